"""Methods without the gradient: feedback, targets, goodness, correlation, each as its paper has it."""

from __future__ import annotations

import numpy as np
import pytest

from learner.autodiff import Tensor
from learner.compare.glyphs import CLASSES
from learner.compare.method import SIZES as LAYERS
from learner.compare.method import activations, output_error
from learner.compare.methods.feedback_alignment import DirectFeedbackAlignment
from learner.compare.methods.forward_forward import ForwardForward, labelled
from learner.compare.methods.hebbian import Hebbian
from learner.compare.methods.target_propagation import TargetPropagation
from tests.compare.conftest import SIZES


def learn(method, x, classes, steps, rng):
    optimizer = method.optimizer()
    for _ in range(steps):
        which = rng.integers(0, len(x), 64)
        for weight, direction in zip(method.weights, method.direction(x[which], classes[which], rng).direction,
                                     strict=True):
            weight.grad = Tensor(np.ascontiguousarray(direction, np.float32))
        optimizer.step()
        method.adapt(x[which], rng)


def test_feedback_alignment_uses_its_own_weights_and_is_exact_with_the_right_ones(batch, rng):
    method = DirectFeedbackAlignment((6, 5, 3), rng)
    assert not np.allclose(method.direction(*batch, rng).direction[0], method.true_gradient(*batch)[0], atol=1e-4)
    method.feedback = [method.weights[2].array]  # the way back of backpropagation, if there is one layer
    for found, true in zip(method.direction(*batch, rng).direction, method.true_gradient(*batch), strict=True):
        np.testing.assert_allclose(found, true, atol=1e-6)


def test_targets_are_where_the_layers_are_if_there_is_no_error(batch, rng):
    method = TargetPropagation(SIZES, rng)
    values = activations(batch[0], [w.array for w in method.weights])
    targets = method.targets(values, np.zeros_like(values[-1]))
    assert all(np.allclose(target, h, atol=1e-6) for target, h in zip(targets, values[1:-1], strict=True))


def test_the_first_target_is_down_the_gradient_and_lowers_the_loss(batch, rng):
    method = TargetPropagation(SIZES, rng)
    values = activations(batch[0], [w.array for w in method.weights])
    target = method.targets(values, output_error(values[-1], batch[1]))[-1]
    W, b = (w.array for w in method.weights[-2:])

    def losses(hidden):
        logits = hidden @ W.T + b
        return np.log(np.exp(logits).sum(1)) - logits[np.arange(len(logits)), batch[1]]

    assert (losses(target) < losses(values[-2])).all()


def test_inverses_learn_to_undo_their_layers(batch, rng):
    method = TargetPropagation(SIZES, rng)
    x = rng.standard_normal((64, SIZES[0])).astype(np.float32)

    def miss() -> float:
        hidden = activations(x, [w.array for w in method.weights])[1:-1]
        return float(np.square(method.inverse(0, hidden[1]) - hidden[0]).mean())

    before = miss()
    for _ in range(300):
        method.adapt(x, rng)
    assert miss() < 0.5 * before


def test_forward_forward_layers_dont_hear_those_above(pictures):
    x, classes = pictures[0].x[:32], pictures[0].classes[:32]
    one, two = (ForwardForward(LAYERS, np.random.default_rng(1)) for _ in range(2))
    two.weights[2].array[...] *= -1.0
    directions = [method.direction(x, classes, np.random.default_rng(2)).direction for method in (one, two)]
    again = one.direction(x, classes, np.random.default_rng(2)).direction
    assert all(np.array_equal(a, b) for a, b in zip(again, directions[0], strict=True))
    assert np.array_equal(directions[0][0], directions[1][0])
    assert not np.array_equal(directions[0][2], directions[1][2])


def test_forward_forward_hides_a_layers_length_from_the_next(pictures):
    method = ForwardForward(LAYERS, np.random.default_rng(1))
    x = Tensor(pictures[0].x[:8])
    once = method.layer(0, x, method.weights).array
    np.testing.assert_allclose(method.layer(0, x * 3.0, method.weights).array, once, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_forward_forward_likes_right_labels_after_learning(pictures):
    train, test = pictures
    method = ForwardForward(LAYERS, np.random.default_rng(1))
    learn(method, train.x, train.classes, 300, np.random.default_rng(3))
    right = method.goodness(test.x, np.eye(CLASSES)[test.classes])
    wrong = method.goodness(test.x, np.eye(CLASSES)[(test.classes + 1) % CLASSES])
    assert (right > wrong).mean() > 0.8


def test_labels_are_written_beside_pictures(pictures):
    written = labelled(pictures[0].x[:2], np.eye(CLASSES)[[3, 5]])
    assert written[:, -CLASSES:].argmax(1).tolist() == [3, 5]
    assert np.array_equal(written[:, :-CLASSES], pictures[0].x[:2, :-CLASSES])
    assert not pictures[0].x[:2, -CLASSES:].any()


def test_ojas_rule_finds_the_principal_subspace(rng):
    turn = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    x = (rng.standard_normal((4000, 6)) * np.sqrt([3.0, 2.0, 0.3, 0.2, 0.1, 0.1]) @ turn.T + 0.7).astype(np.float32)
    method = Hebbian((6, 2, 3), rng)
    method.lr = 0.05
    learn(method, x, rng.integers(0, 3, len(x)), 1500, rng)
    W, b = (w.array.astype(np.float64) for w in method.weights[:2])
    np.testing.assert_allclose(W @ W.T, np.eye(2), atol=0.1)  # orthonormal rows
    np.testing.assert_allclose(W.T @ W, turn[:, :2] @ turn[:, :2].T, atol=0.15)  # that span the first two directions
    np.testing.assert_allclose(b, -W @ x.mean(0), atol=0.3)  # and see the data centred


def test_hebbian_layers_hear_no_labels(batch, rng):
    method = Hebbian(SIZES, rng)
    one, two = (method.direction(batch[0], classes, rng).direction for classes in (batch[1], (batch[1] + 1) % 3))
    assert all(np.array_equal(a, b) for a, b in zip(one[:-2], two[:-2], strict=True))
    assert not np.array_equal(one[-2], two[-2])
