"""The agents of a run as they were every few rounds: files that nothing changes any more.

Unlike past selves in the league, which the card goes on teaching. A run keeps them from its beginning
(round 0), as often as a past self joins the league; measurements over a whole run read them.
"""

from __future__ import annotations

from pathlib import Path

from game.errors import GameError

FOLDER = "snapshots"


def place(run: Path, owner: str, number: int) -> Path:
    """The file of a lab's agent as it was after round ``number``."""
    return run / FOLDER / f"{owner}@{number:06d}.safetensors"


def kept(run: Path | str) -> dict[str, dict[int, Path]]:
    """A run's snapshots: owner → round → file, rounds ascending; GameError if there are none."""
    found: dict[str, dict[int, Path]] = {}
    for file in sorted((Path(run) / FOLDER).glob("*@*.safetensors")):
        owner, _, number = file.stem.rpartition("@")
        if number.isdecimal():
            found.setdefault(owner, {})[int(number)] = file
    if not found:
        raise GameError(f"{run}: has no snapshots; name the folder of a run by `backprop train` "
                        "(runs begun by earlier versions kept none)")
    return found


def spread(rounds: list[int], most: int) -> list[int]:
    """At most ``most`` of ascending rounds, spread evenly: with the last, and the first if there is room for two."""
    if most < 2:
        return rounds[-most:]
    places = {round(i * (len(rounds) - 1) / (most - 1)) for i in range(most)}
    return [rounds[place] for place in sorted(places)]
