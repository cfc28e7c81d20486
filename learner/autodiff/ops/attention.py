"""Dropout and scaled dot-product attention."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from learner.autodiff import create
from learner.autodiff.modes import modes
from learner.autodiff.ops.activations import softmax
from learner.autodiff.ops.elementwise import where
from learner.autodiff.ops.products import matmul
from learner.autodiff.table import Array, op
from learner.autodiff.tape import frozen

if TYPE_CHECKING:
    from learner.autodiff.tensor import Tensor


def _dropout_mask(x: Array, p: float, generator: np.random.Generator, out: Any = None) -> Array:
    """0 with probability p, 1 / (1 - p) otherwise, in x's shape and dtype; drawn anew at every call, replays too."""
    kept = generator.random(x.shape, np.float32) >= np.float32(p)
    mask: Array = np.multiply(kept, x.dtype.type(1.0 / (1.0 - p)), out=out)
    return mask


_mask = op("dropout_mask", _dropout_mask)


def dropout(x: Tensor, p: float = 0.5, training: bool = True, generator: np.random.Generator | None = None) -> Tensor:
    """x with each element zeroed with probability p and the rest scaled by 1 / (1 - p); x itself if not training
    (Srivastava et al. 2014)."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout: p must lie in [0, 1], got {p}")
    if not training or p == 0.0:
        return x
    if p == 1.0:
        return x * 0.0
    generator = generator or create.default_generator()
    if modes.draws is not None:
        generator = modes.draws.generator(generator)
    return x * _mask(x.detach(), p=p, generator=generator)


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    generator: np.random.Generator | None = None,
) -> Tensor:
    """softmax(query key^T scale + mask) value (Vaswani et al. 2017).

    query (..., L, E), key (..., S, E), value (..., S, V) -> (..., L, V).

    attn_mask: boolean (True may be looked at) or added to the scores; broadcasts to (..., L, S). A row that may look at
    nothing gets the mean of all values, not NaN, because masked scores are a large finite negative.
    is_causal: position i looks at positions up to i. scale: 1 / sqrt(E) by default.
    """
    scores = matmul(query * (1.0 / math.sqrt(query.shape[-1]) if scale is None else scale), key.mT)
    masked = -1e9 if scores.dtype != np.float16 else -6e4
    if is_causal:
        scores = where(frozen(np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)), scores, masked)
    if attn_mask is not None:
        scores = where(attn_mask, scores, masked) if attn_mask.dtype == np.bool_ else scores + attn_mask
    return matmul(dropout(softmax(scores, -1), dropout_p, dropout_p > 0.0, generator), value)
