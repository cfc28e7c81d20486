"""Diagnose, drawing, the tape debugger."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import learner.autodiff as ad
import learner.nn as nn
from learner.autodiff.draw import VIEWS, draw_tape
from learner.autodiff.inspection import Tape

RNG = np.random.default_rng(0)


def findings(model: nn.Module, loss: Any) -> str:
    return "\n".join(ad.diagnose(model, loss).findings)


def squares(model: nn.Module, x: Any) -> Any:
    return lambda: model(ad.tensor(x.astype(np.float32))).square().mean()


X = RNG.standard_normal((32, 8))


def test_a_healthy_network_has_nothing_found_wrong() -> None:
    rng = np.random.default_rng(0)
    model = nn.Sequential(nn.Linear(8, 16, generator=rng), nn.Tanh(), nn.Linear(16, 2, generator=rng))
    report = ad.diagnose(model, squares(model, X))
    assert report.findings == []
    assert "nothing found wrong" in str(report)
    assert [p.name for p in report.parameters] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert all(p.grad is None for p in model.parameters())
    loss = squares(model, X)()
    loss.backward(retain_graph=True)
    for told, p in zip(ad.diagnose(model, loss).parameters, model.parameters(), strict=True):
        assert p.grad is not None
        assert told.grad_norm == pytest.approx(np.linalg.norm(p.grad.numpy()), rel=1e-5)
        assert told.ratio == pytest.approx(told.grad_norm / told.weight_norm)


def test_dead_relus_and_zero_gradients() -> None:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
    model[0].bias.detach().fill_(-100.0)
    said = findings(model, squares(model, X))
    assert "100% of the ReLUs are dead" in said
    assert "0.weight: its gradient is exactly zero" in said
    assert "test_inspection.py:" in said


def test_saturated_units() -> None:
    model = nn.Sequential(nn.Linear(8, 16), nn.Sigmoid(), nn.Linear(16, 2))
    model[0].weight.detach().mul_(1000.0)
    assert "of the sigmoid units' values are saturated" in findings(model, squares(model, X))


def test_exploding_and_vanishing() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 1))
    model[2].weight.detach().mul_(1e4)
    said = findings(model, squares(model, X))
    assert "0.weight: exploding, gradient norm" in said
    model[2].weight.detach().mul_(1e-11)
    assert "0.weight: vanishing" in findings(model, lambda: squares(model, X)() + model[2].bias.sum() * 10.0)


def test_parameters_that_nothing_connects_to_the_loss() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 1))
    x = ad.tensor(X.astype(np.float32))
    assert "0.weight gets no gradient" in findings(model, lambda: model[1](model[0](x).detach()).mean())
    model[0].requires_grad_(False)
    assert "0.weight" not in findings(model, lambda: model(x).mean())


def test_gradients_all_in_one_direction() -> None:
    model = nn.Sequential(nn.Linear(8, 6), nn.Linear(6, 1))
    assert "pushed in one direction" in findings(model, squares(model, np.abs(X) + 5.0))


def test_the_first_nan_is_named_with_its_line() -> None:
    model = nn.Linear(8, 2)
    x = ad.tensor(X.astype(np.float32))

    def loss() -> ad.Tensor:
        y = model(x)
        z = y.log()  # the culprit
        return (z * z).mean()

    line = next(i for i, text in enumerate(Path(__file__).read_text().splitlines(), 1) if "# the culprit" in text)
    said = findings(model, loss)
    assert "the first NaN was made by 'log' on (32, 2) in the forward pass" in said
    assert f"test_inspection.py:{line}" in said


def test_a_nan_of_the_backward_pass_is_found_too() -> None:
    model = nn.Linear(8, 2, bias=False)
    model.weight.detach().zero_()
    said = findings(model, lambda: (model(ad.tensor(X.astype(np.float32))).sqrt() * 0.0).sum())
    assert "in the backward pass" in said
    assert "its gradient is not finite" in said


def network() -> tuple[Any, dict[str, Any]]:
    w, x = ad.tensor([[1.0, -2.0]], requires_grad=True), ad.tensor([[3.0, 1.0]])
    return (lambda: (ad.relu(x * w) ** 2).sum()), {"w": w, "x": x}


def test_drawings_are_svg_with_values_and_gradients() -> None:
    function, names = network()
    text = ad.draw(function, names=names)
    root = ET.fromstring(text)
    assert root.tag.endswith("svg")
    words = [t.text or "" for t in root.iter("{http://www.w3.org/2000/svg}text")]
    for expected in ("w", "x", "mul", "relu", "square", "sum", "1x2", "number", "value 9", "grad 1", "no gradient",
                     "grad 0 .. 18"):  # fmt: skip
        assert expected in words, expected
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) == 5
    rects = list(root.iter("{http://www.w3.org/2000/svg}rect"))
    assert len({(r.get("x"), r.get("y")) for r in rects if r.get("rx")}) == 6
    strips = [r for r in rects if r.get("height") == "11" and r.get("fill") == "none"]
    assert len(strips) == 5 + 4, "five values of two elements, four of which have a gradient"


def test_views_can_be_left_out_and_lines_go_past_them() -> None:
    w = ad.tensor([[1.0, -2.0]], requires_grad=True)
    function = lambda: ad.reshape(ad.reshape(w, (2, 1)) * 2.0, (2,)).sum()  # noqa: E731
    tape = Tape.record(function, names={"w": w})
    whole, less = (ET.fromstring(draw_tape(tape, hide)) for hide in ((), VIEWS))
    svg = "{http://www.w3.org/2000/svg}"

    def boxes(root: Any) -> list[str | None]:
        return [next(g.iter(f"{svg}text")).text for g in root.iter(f"{svg}g")]

    assert boxes(whole) == ["w", "reshape", "mul", "reshape", "sum"]
    assert boxes(less) == ["w", "mul", "sum"]
    assert len(list(less.iter(f"{svg}path"))) == 2


def test_only_what_was_computed_can_be_drawn() -> None:
    with pytest.raises(ValueError, match="nothing to show"):
        ad.draw(lambda: ad.ones(1))


def converse(*commands: str) -> str:
    function, names = network()
    out = io.StringIO()
    ad.debug(function, names=names, stdin=io.StringIO("\n".join([*commands, "q"]) + "\n"), stdout=out)
    return out.getvalue()


def test_stepping_both_ways() -> None:
    said = converse("n", "n", "b", "g", "g 99", "l", "w")
    assert "0/5  x (1, 2)  1 .. 3  no gradient" in said
    assert "1/5  w (1, 2)  -2 .. 1  gradient 0 .. 18" in said
    assert "5/5  sum ()  9  gradient 1" in said
    assert "the program has entries 0 to 5" in said
    assert "test_inspection.py" in said


def test_changing_a_value_changes_what_follows() -> None:
    said = converse("g 1", "set 0,1 2.0", "p", "d", "undo", "d")
    assert "changed what follows: 2 mul by up to 4, 3 relu by up to 2, 4 square by up to 4, 5 sum by up to 4" in said
    assert "result 9 -> 13" in said
    assert "[[1. 2.]]" in said
    assert "[[18.  4.]]" in said
    assert "result 13 -> 9" in said
    assert "[[18. -0.]]" in said or "[[18.  0.]]" in said


def test_an_intermediate_value_can_be_set_and_what_led_to_it_stays() -> None:
    said = converse("g 3", "set 1.0")
    assert "changed what follows: 4 square by up to 8, 5 sum by up to 7" in said
    assert "(changed)" in said


def test_mistakes_are_answered() -> None:
    said = converse("set", "set a", "set 9,9 1", "frobnicate", "")
    assert said.count("cannot set that") == 3
    assert "unknown command 'frobnicate'" in said
