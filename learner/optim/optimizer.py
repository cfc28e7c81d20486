"""What all optimizers share: groups, flat buffers, skipped steps, exact states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from learner.autodiff.recorder import effect
from learner.autodiff.table import Array
from learner.autodiff.tensor import Tensor
from learner.optim import kernels
from learner.optim.flat import Flat


class Optimizer:
    """Updates parameters from their gradients. Subclasses say what one pass over a flat buffer does.

    params: tensors, or dicts {"params": tensors, option: value, ...} for groups with options of their own.
    A parameter whose `.grad` is None is left alone. A step whose gradients hold a NaN or an infinity is skipped as a
    whole: no value, moment or step count changes, and `skipped_steps` counts it.
    """

    slots: tuple[str, ...] = ()
    """Names of the per-parameter arrays that this optimizer keeps."""

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        self.skipped_steps = 0
        self._flats: list[Flat] = []
        self._slots: list[dict[str, Array]] = []
        self._steps: list[list[int]] = []
        groups = list(params)
        if not groups:
            raise ValueError("the optimizer got no parameters; an exhausted generator? pass model.parameters() afresh")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, group: Mapping[str, Any]) -> None:
        """Add parameters with options of their own; options not named take the optimizer's defaults."""
        params = [group["params"]] if isinstance(group["params"], Tensor) else list(group["params"])
        unknown = set(group) - set(self.defaults) - {"params"}
        if unknown:
            raise ValueError(f"unknown options {sorted(unknown)}; {type(self).__name__} knows {sorted(self.defaults)}")
        known = {id(p) for g in self.param_groups for p in g["params"]}
        for p in params:
            if not isinstance(p, Tensor) or not p.is_leaf or not p.requires_grad:
                raise TypeError("every parameter must be a leaf tensor that requires a gradient")
            if id(p) in known:
                raise ValueError(f"a parameter of shape {p.shape} appears twice among the optimizer's groups")
            known.add(id(p))
        self.param_groups.append({**self.defaults, **group, "params": params})
        flat = Flat(params)
        self._flats.append(flat)
        self._slots.append({name: np.zeros_like(flat.values) for name in self.slots})
        self._steps.append([0] * len(params))

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters (or fill them with zeros)."""
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none or p.grad is None:
                    p.grad = None
                else:
                    p.grad = Tensor(np.zeros_like(p.array))

    def step(self) -> None:
        """Update every parameter that has a gradient, unless some gradient is not finite."""
        effect(self._step)

    def _step(self) -> None:
        present = [flat.gather() for flat in self._flats]
        if not all(finite(flat.grads) for flat in self._flats):
            self.skipped_steps += 1
            return
        for i, (flat, group, here) in enumerate(zip(self._flats, self.param_groups, present, strict=True)):
            flat.adopt()
            steps = self._steps[i]
            for j, given in enumerate(here):
                steps[j] += given
            if all(here) and len(set(steps)) == 1:
                self._update(group, flat.values, flat.grads, self._slots[i], steps[0])
            else:
                for place, given, t in zip(flat.slices, here, steps, strict=True):
                    if given:
                        slots = {name: array[place] for name, array in self._slots[i].items()}
                        self._update(group, flat.values[place], flat.grads[place], slots, t)
            flat.changed()

    def _update(self, group: dict[str, Any], w: Array, g: Array, slots: dict[str, Array], t: int) -> None:
        """One step on flat arrays, in place. t counts from 1."""
        raise NotImplementedError(f"{type(self).__name__} must say how it updates")

    def state_dict(self) -> dict[str, Any]:
        """Everything needed to go on exactly: {"state": {index: {"step", slot arrays}}, "param_groups": [...],
        "skipped_steps"}. Arrays are copies; parameters are numbered across groups, as in PyTorch."""
        state: dict[int, dict[str, Any]] = {}
        groups = []
        for group, flat, slots, steps in zip(self.param_groups, self._flats, self._slots, self._steps, strict=True):
            first = len(state)
            for j, (p, place) in enumerate(zip(flat.parameters, flat.slices, strict=True)):
                arrays = {name: array[place].reshape(p.shape).copy() for name, array in slots.items()}
                state[first + j] = {"step": steps[j], **arrays}
            options = {name: value for name, value in group.items() if name != "params"}
            groups.append({**options, "params": list(range(first, first + len(steps)))})
        return {"state": state, "param_groups": groups, "skipped_steps": self.skipped_steps}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over a state_dict of an optimizer with the same groups of the same shapes.

        Raises ValueError that lists everything that does not fit, and then nothing is changed.
        """
        wrong = self._misfits(state)
        if wrong:
            lines = "\n  ".join(wrong)
            raise ValueError(f"the state does not fit this {type(self).__name__}; nothing was loaded:\n  {lines}")
        number = 0
        for i, (group, saved) in enumerate(zip(self.param_groups, state["param_groups"], strict=True)):
            group.update({name: value for name, value in saved.items() if name != "params"})
            for j, place in enumerate(self._flats[i].slices):
                entry = state["state"][number]
                self._steps[i][j] = int(entry["step"])
                for name, array in self._slots[i].items():
                    array[place] = np.asarray(entry[name]).reshape(-1)
                number += 1
        self.skipped_steps = int(state["skipped_steps"])

    def _misfits(self, state: Mapping[str, Any]) -> list[str]:
        sizes = [len(group["params"]) for group in state["param_groups"]]
        own = [len(flat.parameters) for flat in self._flats]
        if sizes != own:
            return [f"groups of {sizes} parameters in the state, of {own} here"]
        wrong = []
        for number, p in enumerate(p for flat in self._flats for p in flat.parameters):
            entry = state["state"].get(number, {})
            for name in ("step", *self.slots):
                if name not in entry:
                    wrong.append(f"missing: {name} of parameter {number}")
                elif name != "step" and np.shape(entry[name]) != p.shape:
                    there = np.shape(entry[name])
                    wrong.append(f"misshapen: {name} of parameter {number} is {p.shape} here, {there} in the state")
        return wrong


def finite(g: Array) -> bool:
    """Whether all elements are finite."""
    return bool(kernels.finite(g)) if kernels.finite is not None else bool(np.isfinite(g).all())
