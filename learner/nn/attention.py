"""Dropout, multi-head attention and the transformer block."""

from __future__ import annotations

from typing import Any

import numpy as np

from learner.autodiff.create import empty
from learner.autodiff.ops import activations, attention
from learner.autodiff.ops.products import linear
from learner.autodiff.ops.shaping import chunk, permute, reshape
from learner.autodiff.tensor import Tensor
from learner.nn import init
from learner.nn.linear import Linear
from learner.nn.module import Module, Parameter
from learner.nn.normal import LayerNorm

Generator = np.random.Generator | None


class Dropout(Module):
    """In training, each element is zeroed with probability p and the rest scaled by 1 / (1 - p)."""

    def __init__(self, p: float = 0.5, *, generator: Generator = None) -> None:
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"p must lie in [0, 1], got {p}")
        self.p, self.generator = p, generator

    def forward(self, x: Tensor) -> Tensor:
        return attention.dropout(x, self.p, self.training, self.generator)

    def extra_repr(self) -> str:
        return f"p={self.p}"


class MultiheadAttention(Module):
    """Attention in num_heads subspaces (Vaswani et al. 2017): (B, L, E), or (L, B, E) without batch_first.

    As torch.nn.MultiheadAttention with equal widths: in_proj_weight (3E, E) makes queries, keys and values.
    Unlike there, batch_first is True by default and attention weights are not returned.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        batch_first: bool = True,
        *,
        dtype: object = None,
        generator: Generator = None,
    ) -> None:
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim={embed_dim} must divide by num_heads={num_heads}")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.generator = generator
        self.in_proj_weight = Parameter(empty(3 * embed_dim, embed_dim, dtype=dtype))
        self.in_proj_bias = Parameter(np.zeros(3 * embed_dim, self.in_proj_weight.dtype)) if bias else None
        init.xavier_uniform_(self.in_proj_weight, generator=generator)
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype=dtype, generator=generator)
        if self.out_proj.bias is not None:
            init.zeros_(self.out_proj.bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        attn_mask: Any = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Attention of query over key and value, which default to query. attn_mask: as in
        scaled_dot_product_attention, True where looking is allowed; broadcasts to (B, heads, L, S)."""
        key = query if key is None else key
        sources = [self._batched(t) for t in (query, key, key if value is None else value)]
        weights = chunk(self.in_proj_weight, 3, 0)
        biases = (None, None, None) if self.in_proj_bias is None else chunk(self.in_proj_bias, 3, 0)
        q, k, v = (linear(t, w, b) for t, w, b in zip(sources, weights, biases, strict=True))
        p = self.dropout if self.training else 0.0
        mixed = attention.scaled_dot_product_attention(
            self._heads(q), self._heads(k), self._heads(v), attn_mask, p, is_causal, generator=self.generator
        )
        joined = reshape(permute(mixed, 0, 2, 1, 3), (mixed.shape[0], mixed.shape[2], self.embed_dim))
        return self._batched(self.out_proj(joined))

    def _batched(self, x: Tensor) -> Tensor:
        return x if self.batch_first else permute(x, 1, 0, 2)

    def _heads(self, x: Tensor) -> Tensor:
        """(B, L, E) -> (B, heads, L, E / heads)."""
        split = reshape(x, (x.shape[0], x.shape[1], self.num_heads, self.embed_dim // self.num_heads))
        return permute(split, 0, 2, 1, 3)

    def extra_repr(self) -> str:
        return f"{self.embed_dim}, {self.num_heads}"


class TransformerBlock(Module):
    """Self-attention and a two-layer perceptron, each normalised before and added to its input (pre-norm, Xiong et
    al. 2020): (B, L, E) -> (B, L, E).

    Parameters are named, and outputs equal, as in torch.nn.TransformerEncoderLayer(norm_first=True, batch_first=True).
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int | None = None,
        dropout: float = 0.0,
        activation: str = "gelu",
        *,
        dtype: object = None,
        generator: Generator = None,
    ) -> None:
        if activation not in ("gelu", "relu"):
            raise ValueError(f"activation must be 'gelu' or 'relu', got {activation!r}")
        wide = 4 * d_model if dim_feedforward is None else dim_feedforward
        self.activation = activation
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, dtype=dtype, generator=generator)
        self.linear1 = Linear(d_model, wide, dtype=dtype, generator=generator)
        self.linear2 = Linear(wide, d_model, dtype=dtype, generator=generator)
        self.norm1, self.norm2 = LayerNorm(d_model, dtype=dtype), LayerNorm(d_model, dtype=dtype)
        self.dropout = Dropout(dropout, generator=generator)

    def forward(self, x: Tensor, attn_mask: Any = None, is_causal: bool = False) -> Tensor:
        x = x + self.dropout(self.self_attn(self.norm1(x), attn_mask=attn_mask, is_causal=is_causal))
        act = activations.gelu if self.activation == "gelu" else activations.relu
        hidden = self.dropout(act(self.linear1(self.norm2(x))))
        out: Tensor = x + self.dropout(self.linear2(hidden))
        return out
