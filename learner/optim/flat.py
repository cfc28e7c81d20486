"""Parameters laid end to end in one buffer, so that an optimizer's step is one pass over memory.

Each parameter's array becomes a view into the buffer. If somebody gives a parameter another array in between (another
optimizer, say), its values are taken over before the next step, so that sharing parameters is safe, if slower.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from learner.autodiff.table import Array
from learner.autodiff.tape import Leaf
from learner.autodiff.tensor import Tensor


class Flat:
    """One parameter group's values and gradients as flat buffers, and where each parameter lies in them."""

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        dtypes = {p.dtype for p in parameters}
        if len(dtypes) != 1:
            raise TypeError(f"the parameters of one group need one dtype, these have {sorted(map(str, dtypes))}; "
                            f"put them into groups of one dtype each")  # fmt: skip
        self.parameters = list(parameters)
        ends = np.cumsum([0, *(p.array.size for p in parameters)]).tolist()
        self.slices = [slice(a, b) for a, b in itertools.pairwise(ends)]
        self._all = [True] * len(self.parameters)
        self.values = np.empty(ends[-1], parameters[0].dtype)
        self.grads = np.zeros_like(self.values)
        self._homes = [self.grads[s].reshape(p.array.shape) for p, s in zip(parameters, self.slices, strict=True)]
        for p, home in zip(parameters, self._homes, strict=True):
            if isinstance(p.node, Leaf):
                p.node.home = home
        self._views: list[Array | None] = [None] * len(self.parameters)
        self.adopt()

    def adopt(self) -> None:
        """Make every parameter's array a view into `values`, taking over its present contents."""
        for i, (p, place) in enumerate(zip(self.parameters, self.slices, strict=True)):
            if p.array is not self._views[i]:
                view = self.values[place].reshape(p.array.shape)
                view[...] = p.array
                p.array = self._views[i] = view

    def gather(self) -> list[bool]:
        """Copy all gradients into `grads`; say which parameters have one."""
        grads = [p.grad for p in self.parameters]
        if all(g is not None and g.array is home for g, home in zip(grads, self._homes, strict=True)):
            return self._all  # a replay has put them there
        given = [g.array.reshape(-1) for g in grads if g is not None]
        if len(given) == len(grads):
            np.concatenate(given, out=self.grads)
            return self._all
        for g, place in zip(grads, self.slices, strict=True):
            self.grads[place] = 0 if g is None else g.array.reshape(-1)
        return [g is not None for g in grads]

    def changed(self) -> None:
        """Tell the version counters that the values were written to."""
        for p in self.parameters:
            if p.cell is not None:
                p.cell[0] += 1
