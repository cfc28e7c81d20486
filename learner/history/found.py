"""What the hidden units found, as a table, as pictures of the quickest networks, and in words."""

from __future__ import annotations

import numpy as np

from learner import svg
from learner.history.hidden import counting, distinct_codes, fastest, logic, mirrored
from learner.history.population import Training
from learner.lessons.lesson import Table

COUNTS = 0.95
"""A hidden unit counts if the count explains this share of its variance."""
OPPOSITE = 0.05
"""Weights w and w′ are opposite if |w + w′| is at most this share of |w| + |w′|."""


def table(xor: Training, parity: Training, symmetry: Training, encoder: Training) -> Table:
    """What is common among the networks that learned."""
    rows: list[list[object]] = [["XOR", f"hidden units are {pair}", number, int(xor.solvers.sum())]
                                for pair, number in logic(xor).most_common()]
    rows.append(["parity", "all hidden units count inputs", _counters(parity), int(parity.solvers.sum())])
    rows.append(["symmetry", "weights are opposite at mirrored inputs", _opposite(symmetry),
                 int(symmetry.solvers.sum())])
    codes = distinct_codes(encoder)
    rows += [["encoder", f"{number} different codes of three bits", int((codes == number).sum()), len(codes)]
             for number in sorted(set(codes.tolist()), reverse=True)]
    return Table("What the hidden units of the networks that learned have found",
                 ["task", "finding", "networks", "of"], rows)


def sentences(xor: Training, parity: Training, symmetry: Training, encoder: Training) -> list[str]:
    """The same in words, for the tasks that any network learned."""
    said = []
    if symmetry.solvers.any():
        _, ratios = mirrored(symmetry)
        one, two, four = np.median(ratios.reshape(-1, 3), axis=0)
        at = symmetry.solved[symmetry.solvers]
        said.append(f"In {_opposite(symmetry)} of {len(at)} networks that learned symmetry the weights at mirrored "
                    f"inputs are opposite, and the sizes of the three pairs are as {one:.0f} : {two:.2f} : {four:.2f}; "
                    f"their median was {int(np.median(at)):,} sweeps (the letter of 1986 reports 1,425 for its one "
                    f"network, and the ratio 1 : 2 : 4).")
    if encoder.solvers.any():
        codes = distinct_codes(encoder)
        said.append(f"The encoder's three hidden units, rounded to bits, tell all eight patterns apart in "
                    f"{(codes == 8).sum()} of {len(codes)} networks; the others use values between.")
    if parity.solvers.any():
        said.append(f"In {_counters(parity)} of {parity.solvers.sum()} networks that learned parity all four hidden "
                    f"units do nothing but count the inputs that are on (or off).")
    if xor.solvers.any():
        pair, number = logic(xor).most_common(1)[0]
        said.append(f"XOR's two hidden units most often become {pair} ({number} of {xor.solvers.sum()} networks).")
    return said


def panels(xor: Training, parity: Training, symmetry: Training, encoder: Training) -> list[svg.Panel]:
    """The quickest network of each task, as far as there is one."""
    drawn = []
    if xor.solvers.any():
        drawn.append(svg.cells("XOR: hidden values", xor.population.codes()[fastest(xor)].tolist(),
                               ["00", "01", "10", "11"], ["h₁", "h₂"]))
    if encoder.solvers.any():
        drawn.append(svg.cells("Encoder: hidden values", encoder.population.codes()[fastest(encoder)].tolist(),
                               [f"input {n}" for n in range(1, 9)], ["h₁", "h₂", "h₃"], cell=36))
    if symmetry.solvers.any():
        weights = symmetry.population.weights[0].array[fastest(symmetry)]
        drawn.append(svg.cells("Symmetry: weights", weights.tolist(), [f"x{n}" for n in "₁₂₃₄₅₆"], ["h₁", "h₂"]))
    if parity.solvers.any():
        shares, means = counting(parity)
        drawn.append(svg.cells("Parity: mean hidden value", means[shares.min(1).argmax()].tolist(),
                               [f"{n} counted" for n in range(5)], ["h₁", "h₂", "h₃", "h₄"]))
    return drawn


def _counters(parity: Training) -> int:
    return int((counting(parity)[0].min(1) >= COUNTS).sum()) if parity.solvers.any() else 0


def _opposite(symmetry: Training) -> int:
    return int((mirrored(symmetry)[0].max(1) <= OPPOSITE).sum()) if symmetry.solvers.any() else 0
