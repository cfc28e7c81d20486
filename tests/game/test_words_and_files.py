"""Actions in words, texts in two languages, files written whole or not at all, assets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from game import assets, files
from game.actions import END, encode, place_name
from game.errors import CardError, GameError, IllegalAction, ReplayError
from game.updates import ScriptedUpdates, Verdict
from game.words import number, say, texts
from tests.game.matches import new
from tests.scenarios.scenario import given


def test_actions_in_words() -> None:
    match = given(own={2: "gru"}, enemy={3: "bert"}, hand="dropout, perceptron, adversarial-example").match
    for action, words in ((END, "end turn"), (encode(0), "play Dropout"),
                          (encode(1, 1), "play Perceptron at your slot 1"),
                          (encode(2, 10), "play Adversarial Example at the enemy BERT (slot 3)"),
                          (encode(11, 7), "your GRU (slot 2) attacks the enemy lab"),
                          (encode(11, 10), "your GRU (slot 2) attacks the enemy BERT (slot 3)"),
                          (encode(9), "play card 10 of the hand at your lab")):
        assert match.describe(action) == words
        assert match.describe(action, "pt-BR")
    opening = new(1)
    assert opening.describe(END) == "keep the hand"
    assert opening.describe(0).startswith("exchange ")


def test_both_languages_have_the_same_texts_with_the_same_places() -> None:
    english, portuguese = texts("en"), texts("pt-BR")
    assert set(english) == set(portuguese)
    for key, text in english.items():
        assert sorted(_places(text)) == sorted(_places(portuguese[key])), key
    assert place_name(0, {}) == "your lab"
    with pytest.raises(GameError, match="unknown language 'de'"):
        texts("de")
    with pytest.raises(KeyError):
        say("no.such.key")


def _places(text: str) -> list[str]:
    return [part.split("}")[0] for part in text.split("{")[1:]]


def test_fractions_are_written_as_the_language_writes_them() -> None:
    assert number(-0.25, "+.3f") == "−0.250"
    assert number(-0.25, "+.3f", "pt-BR") == "−0,250"
    assert number(0.125, ".1%", "pt-BR") == "12,5%"
    numbers = {"prediction": -0.5, "damage": 2, "loss": 3.125, "norm": 0.25}
    assert say("event.verdict_numbers", "pt-BR", **numbers).startswith("dano previsto −0,500, sofrido 2; perda 3,125")


def test_errors_that_a_caller_can_mend_are_of_one_kind() -> None:
    assert all(issubclass(kind, GameError) and issubclass(kind, ValueError)
               for kind in (CardError, IllegalAction, ReplayError))


def test_files_are_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.txt"
    files.write_atomic(path, "über")
    files.write_atomic(str(path), "zwei")
    assert path.read_bytes() == b"zwei"

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.write_atomic(path, b"half")
    assert path.read_bytes() == b"zwei"
    assert list(tmp_path.iterdir()) == [path]


def test_assets_missing_from_an_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (assets.assets() / "cards").is_dir()
    monkeypatch.setattr(assets, "_PACKAGE", tmp_path / "game")
    with pytest.raises(FileNotFoundError, match="install it again"):
        assets.assets()


@pytest.mark.parametrize("arguments", [("perhaps",), ("learned", -1), ("learned", 2**31), ("learned", 1.0),
                                       ("learned", True), ("",)])
def test_what_is_no_verdict(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=r"a verdict is one of|a ledger entry's number"):
        Verdict(*arguments)


def test_a_script_of_verdicts_starts_again_at_its_end() -> None:
    source = ScriptedUpdates("learned", "vanished")
    assert [source.update(None).outcome for _ in range(5)] == [  # type: ignore[arg-type]
        "learned", "vanished", "learned", "vanished", "learned"]
    assert ScriptedUpdates().update(None).outcome == "learned"  # type: ignore[arg-type]
