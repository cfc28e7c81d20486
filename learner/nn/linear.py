"""Linear maps and table look-ups."""

from __future__ import annotations

import numpy as np

from learner.autodiff import ops
from learner.autodiff.create import empty
from learner.autodiff.ops.indexing import embedding
from learner.autodiff.ops.products import linear
from learner.autodiff.ops.shaping import flatten
from learner.autodiff.tensor import Tensor
from learner.nn import init
from learner.nn.module import Module, Parameter

assert ops.__name__


class Linear(Module):
    """x @ weight.T + bias: (..., in_features) -> (..., out_features). weight: (out_features, in_features).

    generator: for the initial weights, uniform within 1 / sqrt(in_features) as in PyTorch.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        dtype: object = None,
        generator: np.random.Generator | None = None,
    ) -> None:
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty(out_features, in_features, dtype=dtype))
        self.bias = Parameter(empty(out_features, dtype=dtype)) if bias else None
        init.linear_(self.weight, self.bias, generator)

    def forward(self, x: Tensor) -> Tensor:
        return linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Embedding(Module):
    """A learned row for each of num_embeddings integers: (...) -> (..., embedding_dim). Normal initial weights."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        dtype: object = None,
        generator: np.random.Generator | None = None,
    ) -> None:
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.weight = Parameter(empty(num_embeddings, embedding_dim, dtype=dtype))
        init.normal_(self.weight, generator=generator)

    def forward(self, index: Tensor) -> Tensor:
        return embedding(index, self.weight)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}"


class Flatten(Module):
    """The axes from start_dim to end_dim become one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: Tensor) -> Tensor:
        return flatten(x, self.start_dim, self.end_dim)


class Identity(Module):
    """x itself."""

    def forward(self, x: Tensor) -> Tensor:
        return x
