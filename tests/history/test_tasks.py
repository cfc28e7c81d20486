"""The tasks of 1986 are the functions they are named after."""

from __future__ import annotations

import numpy as np

from learner.history.tasks import encoder, parity, symmetry, xor


def test_xor_and_parity_change_with_every_bit():
    for task in (xor(), parity(3), parity()):
        rows = [tuple(row) for row in task.x.astype(int).tolist()]
        answers = dict(zip(rows, task.t[:, 0].astype(int).tolist(), strict=True))
        assert len(answers) == 2 ** task.x.shape[1]
        for row, answer in answers.items():
            for bit in range(len(row)):
                assert answers[(*row[:bit], 1 - row[bit], *row[bit + 1 :])] == 1 - answer


def test_symmetry_is_reading_the_same_from_both_ends():
    task = symmetry()
    assert [row == row[::-1] for row in task.x.tolist()] == (task.t[:, 0] == 1).tolist()
    assert task.t.sum() == 8


def test_the_encoder_gives_back_its_input():
    task = encoder()
    assert np.array_equal(task.x, task.t)
    assert task.shape == "8–3–8"
