"""The card's gradients and steps computed again, from what a ledger keeps: the audit's arithmetic."""

from __future__ import annotations

import json
import platform
import zlib
from collections import Counter
from typing import Any

from safetensors import SafetensorError
from safetensors.numpy import load as from_safetensors

from game.cards import CardSet
from game.errors import GameError
from game.updates import UpdateRequest, Verdict
from learner.agent import Agent, weights_digest
from learner.autodiff import Tensor
from learner.ledger.ledger import lesson_loss, mean_gradient
from learner.ledger.store import APPLIED, PENDING, Store, step_hash
from learner.ledger.updates import Gradient, Lesson, card_gradient, lesson_from
from learner.optim import SGD

EXACT = platform.machine().lower() in ("x86_64", "amd64")
"""Whether the same bits must come out."""
TOLERANCE = 1e-5


class Repeater:
    """Repeats gradients as verdicts come up, and each step once all its gradients are there.

    ``rows``: the ledger by entry number; ``wrong`` takes a line for whatever comes out differently.
    """

    def __init__(self, store: Store, cards: CardSet, rows: dict[int, Any], wrong: list[str]) -> None:
        self.store, self.rows, self.wrong = store, rows, wrong
        self.agent = Agent(0, cards, "auditor")
        self.gradients = 0
        self.steps_done = 0
        self.steps = {int(step["step"]): step for step in store.steps()}
        self.members = {number: self._members(step) for number, step in self.steps.items()}
        self.missing = {number: set(members) for number, members in self.members.items()}
        """Entries of a step whose gradient hasn't come up yet."""
        self.arrays: dict[int, dict[str, Any]] = {}
        self.loaded: dict[str, str] = {}

    # ---- gradients ----

    def not_learned(self, where: str, request: UpdateRequest, verdict: Verdict, weights: str | None) -> None:
        """Check that an update really vanished or exploded, on the weights that the match names."""
        if not weights:
            self.wrong.append(f"{where}: {verdict.outcome}, but on which weights isn't recorded")
            return
        found = self._gradient(where, request, weights)
        if found is None:
            return
        if found.outcome != verdict.outcome:
            self.wrong.append(f"{where}: {verdict.outcome} in the match, computed again {found.outcome}")
        elif EXACT and found.outcome == "vanished" and found.digest != verdict.gradient:
            self.wrong.append(f"{where}: the gradient computed again is {found.digest}, not {verdict.gradient}")

    def learned(self, where: str, row: Any, request: UpdateRequest, round_number: int) -> None:
        """Check an entry against its match, whose request this is; its step is repeated with its last entry."""
        lesson = Lesson.of(request, self.agent.models[request.family])
        try:
            kept = zlib.decompress(row["observation"])
        except (zlib.error, TypeError):
            kept = b"damaged"
        if kept != lesson.to_bytes():
            self.wrong.append(f"{where}: the observation in the ledger isn't the match's")
            return
        found = self._gradient(where, request, str(row["weights"]))
        if found is None:
            return
        true = {"gradient": found.digest, "norm": found.norm, "loss": found.loss, "prediction": found.prediction}
        if found.outcome != "learned" or not all(_agree(row[name], value) for name, value in true.items()):
            told = ", ".join(f"{name} {row[name]!r} ({value!r})" for name, value in true.items())
            self.wrong.append(f"{where}: {told}; in brackets what comes out when it is computed again: {found.outcome}")
        number = row["step"]
        if number not in self.members or int(row["row"]) not in self.missing[number]:
            return
        if self.steps[number]["round"] != round_number:
            self.wrong.append(f"step {number}: took entries of round {round_number}, not of its own")
        self.arrays[int(row["row"])] = found.arrays
        self.missing[number].discard(int(row["row"]))
        if not self.missing[number]:
            self._step(number)

    def _gradient(self, where: str, request: UpdateRequest, weights: str) -> Gradient | None:
        if not self._load(where, request.family, weights):
            return None
        self.gradients += 1
        policy = self.agent.models[request.family]
        return card_gradient(policy, self.agent.encoder, Lesson.of(request, policy))

    def _load(self, where: str, family: str, digest: str) -> bool:
        if self.loaded.get(family) == digest:
            return True
        try:
            self.agent.models[family].load_state_dict(self.store.weights(digest))
        except (GameError, ValueError, KeyError) as error:
            self.wrong.append(f"{where}: {error}")
            return False
        self.loaded[family] = digest
        return True

    # ---- steps ----

    def _members(self, step: Any) -> list[int]:
        try:
            return [int(row) for row in json.loads(step["entries"])]
        except (ValueError, TypeError):
            self.wrong.append(f"step {step['step']}: its list of entries can't be read")
            return []

    def _step(self, number: int) -> None:
        """Take a step again and forget its gradients."""
        step, members = self.steps[number], sorted(set(self.members[number]))
        gradients = [self.arrays.pop(row) for row in members]
        where, family = f"step {number}", str(step["family"])
        for row in members:
            for name, theirs in (("owner", "owner"), ("family", "family"), ("weights", "before")):
                if self.rows[row][name] != step[theirs]:
                    self.wrong.append(f"{where}: its {theirs} is {step[theirs]}, that of entry {row} is "
                                      f"{self.rows[row][name]}")
                    return
        try:
            self.store.weights(str(step["after"]))
            lr = float(step["lr"])
        except (GameError, ValueError) as error:
            self.wrong.append(f"{where}: {error}")
            return
        if not self._load(where, family, str(step["before"])):
            return
        policy, mean = self.agent.models[family], mean_gradient(gradients)
        for name, parameter in policy.named_parameters():
            parameter.grad = Tensor(mean[name]) if name in mean else None
        SGD(policy.parameters(), lr=lr).step()
        policy.zero_grad()
        self.loaded.pop(family)
        self.steps_done += 1
        if EXACT and weights_digest(policy.state_dict()) != step["after"]:
            self.wrong.append(f"{where}: taken again it gives other weights than the ledger says")
            return
        for row in map(self.rows.__getitem__, members):
            loss = lesson_loss(policy, self.agent.encoder, lesson_from(
                zlib.decompress(row["observation"]), int(row["slot"]), int(row["target"]), int(row["damage"])))
            if not _agree(row["loss_after"], loss):
                self.wrong.append(f"ledger entry {row['row']}: its loss after step {number} is {loss!r}, "
                                  f"not {row['loss_after']!r}")

    def check_status(self, number: int, row: Any) -> None:
        """Check that an entry is applied in the step that says so, or waits with its gradient, or neither."""
        status, step = row["status"], row["step"]
        if (status == APPLIED) != (step is not None) or (step is not None and step not in self.steps):
            self.wrong.append(f"ledger entry {number}: marked {status}, but its step is {step}")
        if status == PENDING:
            try:
                kept = weights_digest(from_safetensors(row["arrays"]))
            except (SafetensorError, TypeError, ValueError):
                kept = "missing"
            if kept != row["gradient"]:
                self.wrong.append(f"ledger entry {number}: the gradient that waits is {kept}, not {row['gradient']}")

    def finish(self) -> None:
        """Check that each step was repeated, that its record is whole, and that no entry was applied twice."""
        taken = Counter[int]()
        for number, step in self.steps.items():
            taken.update(self.members[number])
            for row in self.members[number]:
                if row not in self.rows or self.rows[row]["step"] != number:
                    self.wrong.append(f"step {number}: ledger entry {row} doesn't belong to it")
            if self.missing[number] or not self.members[number]:
                self.wrong.append(f"step {number}: couldn't be repeated, some of its gradients are missing")
            if step_hash(step) != step["hash"]:
                self.wrong.append(f"step {number}: its content isn't what was recorded")
        self.wrong += [f"ledger entry {row}: applied {times} times" for row, times in taken.items() if times != 1]


def _agree(kept: Any, found: Any) -> bool:
    """Equal to the bit, or where bits may differ, numbers close and anything for a digest."""
    if EXACT:
        return bool(kept == found)
    if isinstance(found, str):
        return True
    return isinstance(kept, float) and abs(kept - found) <= TOLERANCE * max(1.0, abs(found))
