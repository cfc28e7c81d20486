"""Three ways to share out training, and training alone to hold beside them.

| strategy   | parameters | gradients | optimizer's state | sent in a step, in vectors, for n processes |
| ---------- | ---------- | --------- | ----------------- | ------------------------------------------- |
| replicated | whole      | whole     | whole             | 2 (n - 1) / n: sum of gradients             |
| zero1      | whole      | whole     | part              | 2 (n - 1) / n: part of it, then parameters  |
| zero3      | part       | part      | part              | 3 (n - 1) / n: parameters twice, gradients  |

ZeRO's stages 1 and 3 are those of Rajbhandari et al. (2020); stage 3 is what FSDP does. Every way adds the processes'
gradients in the order of ranks, so all of them, and one process that adds its shares in that order, agree to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

import learner.autodiff as ad
import learner.nn as nn
import learner.optim as optim
from learner.autodiff.table import Array
from learner.parallel.group import Group, in_order


@dataclass(frozen=True)
class Task:
    """A network of ReLU layers that learns to name classes, and its examples, all from one seed. float32."""

    sizes: tuple[int, ...] = (64, 256, 256, 256, 16)
    rows: int = 64
    """Examples in a step, divided among the processes."""
    steps: int = 5
    lr: float = 1e-3
    seed: int = 0

    def blocks(self) -> list[nn.Sequential]:
        """Fresh layers: linear, with a ReLU behind all but the last. Equal in every process."""
        rng, last = np.random.default_rng(self.seed), len(self.sizes) - 2
        return [nn.Sequential(nn.Linear(a, b, generator=rng), *([nn.ReLU()] if place < last else []))
                for place, (a, b) in enumerate(pairwise(self.sizes))]

    def batch(self, step: int) -> tuple[Array, Array]:
        """(rows, inputs) and the classes (rows,) of one step."""
        rng = np.random.default_rng([self.seed, step])
        x = rng.standard_normal((self.rows, self.sizes[0])).astype(np.float32)
        return x, np.abs(x[:, :self.sizes[-1]]).argmax(axis=1)

    def share(self, step: int, rank: int, size: int) -> tuple[ad.Tensor, ad.Tensor]:
        """One process's rows of a step."""
        x, y = self.batch(step)
        own = slice(self.rows * rank // size, self.rows * (rank + 1) // size)
        return ad.tensor(x[own]), ad.tensor(y[own])

    def loss(self, logits: ad.Tensor, classes: ad.Tensor) -> ad.Tensor:
        """The share's part of the mean over all rows, so that the shares' losses and gradients add up."""
        return ad.cross_entropy(logits, classes, reduction="sum") / self.rows


@dataclass
class Trained:
    """What one process ends with. `parameters` is put together only at the end, for comparison."""

    parameters: Array
    losses: list[float]
    """Of its own share, step by step."""
    sent: list[int] = field(default_factory=list)
    """Bytes sent in each step."""
    held: dict[str, int] = field(default_factory=dict)
    """Bytes of parameters and of the optimizer's state kept from step to step; of the most gradients, and of the most
    parameters gathered, that there were at once."""


class Vector:
    """Modules whose parameters lie end to end in one vector, of which they are views."""

    def __init__(self, *modules: nn.Module) -> None:
        self.parameters = [p for module in modules for p in module.parameters()]
        self.values = np.concatenate([p.array.reshape(-1) for p in self.parameters])
        self.put(self.values)

    def __len__(self) -> int:
        return sum(p.numel() for p in self.parameters)

    def put(self, values: Array) -> None:
        """Let the parameters be views into these values."""
        self.values, start = values, 0
        for p in self.parameters:
            p.array = values[start:start + p.numel()].reshape(p.shape)
            start += p.numel()

    def gradient(self) -> Array:
        """All gradients in one vector; the parameters' own are forgotten."""
        found = np.concatenate([p.grad.array.reshape(-1) for p in self.parameters if p.grad is not None])
        for p in self.parameters:
            p.grad = None
        return found


class Stepper:
    """AdamW over a vector of its own, with only that vector's state."""

    def __init__(self, values: Array, lr: float) -> None:
        self.parameter = nn.Parameter(values.copy())
        self.optimizer = optim.AdamW([self.parameter], lr=lr)

    @property
    def values(self) -> Array:
        return self.parameter.array

    def step(self, gradient: Array) -> None:
        self.parameter.grad = ad.Tensor(gradient)
        self.optimizer.step()
        self.parameter.grad = None

    def state_bytes(self) -> int:
        """Of the moments that AdamW keeps."""
        (state,) = self.optimizer.state_dict()["state"].values()
        return sum(state[slot].nbytes for slot in self.optimizer.slots)


def alone(task: Task, shares: int = 1) -> Trained:
    """One process; the gradients of so many shares are computed one after the other and added in their order."""
    blocks = task.blocks()
    whole, losses = Vector(*blocks), []
    stepper = Stepper(whole.values, task.lr)
    for step in range(task.steps):
        whole.put(stepper.values)
        gradients = []
        for rank in range(shares):
            losses.append(_backward(task, blocks, step, rank, shares))
            gradients.append(whole.gradient())
        stepper.step(in_order(np.stack(gradients)))
    return Trained(stepper.values.copy(), losses)


def replicated(group: Group, task: Task) -> Trained:
    """Data parallel: every process has everything, sees its share, and takes the same step."""
    blocks = task.blocks()
    whole, found = Vector(*blocks), Trained(np.empty(0), [])
    stepper = Stepper(whole.values, task.lr)
    for step in range(task.steps):
        before = group.sent
        whole.put(stepper.values)
        found.losses.append(_backward(task, blocks, step, group.rank, group.size))
        total = group.all_reduce(whole.gradient())
        stepper.step(total)
        found.sent.append(group.sent - before)
    found.parameters = stepper.values.copy()
    found.held = {"parameters": whole.values.nbytes, "gradients": total.nbytes, "optimizer": stepper.state_bytes(),
                  "gathered": 0}
    return found


def zero1(group: Group, task: Task) -> Trained:
    """The optimizer's state in parts: each process updates its part of the parameters and hands it to the others."""
    blocks = task.blocks()
    whole, found = Vector(*blocks), Trained(np.empty(0), [])
    stepper = Stepper(whole.values[group.part(len(whole))], task.lr)
    for step in range(task.steps):
        before = group.sent
        found.losses.append(_backward(task, blocks, step, group.rank, group.size))
        gradient = whole.gradient()
        stepper.step(group.reduce_scatter(gradient))
        whole.put(group.all_gather(stepper.values, len(whole)))
        found.sent.append(group.sent - before)
    found.parameters = whole.values
    found.held = {"parameters": whole.values.nbytes, "gradients": gradient.nbytes, "optimizer": stepper.state_bytes(),
                  "gathered": 0}
    return found


def zero3(group: Group, task: Task) -> Trained:
    """Parameters in parts, too: a layer is gathered when its turn comes, forward and back, and forgotten again.

    Of a layer's forward pass only its input is kept; the layer is computed again in the backward pass, because what
    the tape saves includes the weights that are to be forgotten.
    """
    blocks = task.blocks()
    layers, found = [Vector(block) for block in blocks], Trained(np.empty(0), [])
    gathered = gradients = 0
    lengths = [len(layer) for layer in layers]
    steppers = [Stepper(layer.values[group.part(n)], task.lr) for layer, n in zip(layers, lengths, strict=True)]
    nothing = np.empty(0, np.float32)

    def gather(place: int) -> None:
        nonlocal gathered
        layers[place].put(group.all_gather(steppers[place].values, lengths[place]))
        gathered = max(gathered, layers[place].values.nbytes)

    def forget(place: int) -> None:
        layers[place].values = nothing
        for p in layers[place].parameters:
            p.array = np.broadcast_to(np.float32(0), p.shape)  # the shape, without the memory

    for step in range(task.steps):
        before = group.sent
        x, classes = task.share(step, group.rank, group.size)
        inputs = [x]
        for place, block in enumerate(blocks[:-1]):
            gather(place)
            with ad.no_grad():
                inputs.append(block(inputs[-1]))
            forget(place)
        sent: ad.Tensor | None = None
        for place in reversed(range(len(blocks))):
            gather(place)
            entering = ad.Tensor(inputs.pop().array, requires_grad=True)
            out = blocks[place](entering)
            if sent is None:
                out = task.loss(out, classes)
                found.losses.append(float(out.item()))
            out.backward(sent)
            sent = entering.grad
            gradient = layers[place].gradient()
            gradients = max(gradients, gradient.nbytes)
            part = group.reduce_scatter(gradient)
            del out, gradient
            forget(place)
            steppers[place].step(part)
        found.sent.append(group.sent - before)
    found.held = {"parameters": sum(s.values.nbytes for s in steppers), "gradients": gradients,
                  "optimizer": sum(s.state_bytes() for s in steppers), "gathered": gathered}
    found.parameters = np.concatenate([group.all_gather(s.values, n) for s, n in zip(steppers, lengths, strict=True)])
    return found


STRATEGIES = {"replicated": replicated, "zero1": zero1, "zero3": zero3}


def _backward(task: Task, blocks: list[nn.Sequential], step: int, rank: int, size: int) -> float:
    """The loss of a share; gradients are left in the parameters."""
    out, classes = task.share(step, rank, size)
    for block in blocks:
        out = block(out)
    loss = task.loss(out, classes)
    loss.backward()
    return float(loss.item())
