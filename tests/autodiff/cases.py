"""One table of operation cases. Every check of test_operations.py runs over all of it.

A case is written once over a namespace `t`, which is learner.autodiff or, for the oracle, PyTorch with its functional
module: the names are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Make = Callable[[np.random.Generator], Any]


def normal(*shape: int) -> Make:
    return lambda rng: rng.standard_normal(shape)


def positive(*shape: int) -> Make:
    return lambda rng: rng.uniform(0.5, 2.0, shape)


def apart(*shape: int) -> Make:
    """Distinct numbers at least 0.1 apart and away from 0, so that no finite difference crosses a kink or a tie."""

    def make(rng: np.random.Generator) -> Any:
        size = int(np.prod(shape))
        return (0.13 + 0.2 * rng.permutation(size) - 0.2 * (size // 2)).reshape(shape)

    return make


def integers(low: int, high: int, *shape: int) -> Make:
    return lambda rng: rng.integers(low, high, shape)


def booleans(*shape: int) -> Make:
    return lambda rng: rng.random(shape) < 0.5


@dataclass(frozen=True)
class Case:
    name: str
    function: Callable[..., Any]
    inputs: tuple[Make, ...]
    elementwise: bool = False  # also run on 0-d and empty operands, and (two operands) on every pair of shapes
    order: int = 2
    torch: Callable[..., Any] | None = None  # where PyTorch says it differently
    oracle: bool = True
    fixed: bool = True  # has fixed-order kernels

    def __str__(self) -> str:
        return self.name


def one(name: str, function: Callable[..., Any], make: Callable[..., Make] = normal, **options: Any) -> Case:
    return Case(name, function, (make(3, 4),), elementwise=True, **options)


def two(name: str, function: Callable[..., Any], make: Callable[..., Make] = normal, **options: Any) -> Case:
    return Case(name, function, (make(3, 4), make(3, 4)), elementwise=True, **options)


def case(name: str, function: Callable[..., Any], *inputs: Make, **options: Any) -> Case:
    return Case(name, function, inputs, **options)


ELEMENTWISE = [
    two("add", lambda t, x, y: x + y),
    two("sub", lambda t, x, y: x - y),
    two("mul", lambda t, x, y: x * y),
    two("div", lambda t, x, y: x / y, positive),
    two("pow", lambda t, x, y: x**y, positive),
    two("maximum", lambda t, x, y: t.maximum(x, y)),
    two("minimum", lambda t, x, y: t.minimum(x, y)),
    two("remainder", lambda t, x, y: t.remainder(x, y + 3.0), positive),
    one("neg", lambda t, x: -x),
    one("number left", lambda t, x: 2.0 - x),
    one("number over", lambda t, x: 2.0 / x, positive),
    one("number power", lambda t, x: 2.0**x),
    one("power 0", lambda t, x: x**0 * x),
    one("square", lambda t, x: x**2),
    one("cube", lambda t, x: x**3),
    one("power -1.5", lambda t, x: x**-1.5, positive),
    one("sqrt", lambda t, x: t.sqrt(x), positive),
    one("rsqrt", lambda t, x: t.rsqrt(x), positive),
    one("reciprocal", lambda t, x: t.reciprocal(x), positive),
    one("exp", lambda t, x: t.exp(x)),
    one("expm1", lambda t, x: t.expm1(x)),
    one("log", lambda t, x: t.log(x), positive),
    one("log1p", lambda t, x: t.log1p(x), positive),
    one("log2", lambda t, x: t.log2(x), positive),
    one("sin", lambda t, x: t.sin(x), fixed=False),
    one("cos", lambda t, x: t.cos(x), fixed=False),
    one("tan", lambda t, x: t.tan(x * 0.3), fixed=False),
    one("arctan", lambda t, x: t.arctan(x), fixed=False),
    one("tanh", lambda t, x: t.tanh(x)),
    one("sigmoid", lambda t, x: t.sigmoid(x)),
    one("erf", lambda t, x: t.erf(x)),
    one("abs", lambda t, x: abs(x), apart),
    one("sign", lambda t, x: t.sign(x) * x, apart),
    one("floor", lambda t, x: t.floor(x) * x, apart),
    one("round", lambda t, x: t.round(x) * x, apart),
    one("clip", lambda t, x: t.clip(x, -0.42, 0.42), apart),
    one("clip low", lambda t, x: t.clip(x, min=0.02), apart),
    one("clip high", lambda t, x: x.clip(max=0.02), apart),
    one("where", lambda t, x: t.where(x > 0, x, x * x), apart),
    one("masked_fill", lambda t, x: x.masked_fill(x > 0, -3.0), apart),
    one("relu", lambda t, x: t.relu(x), apart),
    one("leaky_relu", lambda t, x: t.leaky_relu(x, 0.1), apart),
    one("gelu", lambda t, x: t.gelu(x)),
    one("gelu tanh", lambda t, x: t.gelu(x, approximate="tanh")),
    one("silu", lambda t, x: t.silu(x)),
    one("elu", lambda t, x: t.elu(x, 0.7), apart),
    one("softplus", lambda t, x: t.softplus(x)),
    one("logsigmoid", lambda t, x: t.logsigmoid(x)),
    one("clone", lambda t, x: x.clone() * x),
]

REDUCTIONS = [
    case("sum", lambda t, x: x.sum(), normal(3, 4)),
    case("sum dim", lambda t, x: x.sum(1), normal(3, 4)),
    case("sum dims", lambda t, x: x.sum((0, -1), keepdim=True), normal(3, 4, 2)),
    case("mean", lambda t, x: x.mean(), normal(3, 4)),
    case("mean dim", lambda t, x: x.mean(0), normal(3, 4)),
    case("mean keepdim", lambda t, x: x.mean((1, 2), keepdim=True), normal(3, 4, 2)),
    case("max", lambda t, x: x.max(), apart(3, 4)),
    case("max dim", lambda t, x: x.max(1).values, apart(3, 4)),
    case("min dim", lambda t, x: x.min(0, keepdim=True)[0], apart(3, 4)),
    case("amax", lambda t, x: t.amax(x, (0, 2)), apart(3, 4, 2)),
    case("amin", lambda t, x: t.amin(x, -1, keepdim=True), apart(3, 4, 2)),
    case("prod", lambda t, x: x.prod(), normal(2, 3)),
    case("prod dim", lambda t, x: x.prod(1), normal(3, 4)),
    case("prod of zeros", lambda t, x: (x * (x > 0.3)).prod(1), apart(3, 4)),
    case("var", lambda t, x: x.var(), normal(3, 4)),
    case("var dim", lambda t, x: x.var(1, correction=0), normal(3, 4)),
    case("std", lambda t, x: x.std(0, keepdim=True), normal(3, 4)),
    case("logsumexp", lambda t, x: t.logsumexp(x, 1), normal(3, 4)),
    case("logsumexp keepdim", lambda t, x: t.logsumexp(x, (0, 1), keepdim=True), normal(3, 4)),
    case("cumsum", lambda t, x: t.cumsum(x, 1), normal(3, 4)),
    case("norm", lambda t, x: t.norm(x), normal(3, 4)),
    case("norm dim", lambda t, x: t.norm(x, dim=1), normal(3, 4)),
    case("softmax", lambda t, x: t.softmax(x, -1), normal(3, 4)),
    case("softmax dim 0", lambda t, x: t.softmax(x, 0), normal(3, 4)),
    case("log_softmax", lambda t, x: t.log_softmax(x, 1), normal(3, 4)),
]

# all nine kinds of operands, with equal sizes on purpose: a transposed gradient would fit
PRODUCTS = [
    case(f"matmul {a} {b}", lambda t, x, y: x @ y, normal(*a), normal(*b))
    for a in [(3,), (3, 3), (3, 3, 3)]
    for b in [(3,), (3, 3), (3, 3, 3)]
] + [
    case("matmul", lambda t, x, y: t.matmul(x, y), normal(2, 3), normal(3, 4)),
    case("matmul batch and matrix", lambda t, x, y: x @ y, normal(5, 2, 3), normal(3, 4)),
    case("matmul matrix and batch", lambda t, x, y: x @ y, normal(2, 3), normal(5, 3, 4)),
    case("matmul broadcast batches", lambda t, x, y: x @ y, normal(5, 1, 2, 3), normal(4, 3, 2)),
    case("linear", lambda t, x, w, b: t.linear(x, w, b), normal(5, 3), normal(4, 3), normal(4)),
    case("linear one row", lambda t, x, w, b: t.linear(x, w, b), normal(3), normal(4, 3), normal(4)),
    case("linear batch", lambda t, x, w, b: t.linear(x, w, b), normal(2, 5, 3), normal(4, 3), normal(4)),
    case("linear without bias", lambda t, x, w: t.linear(x, w), normal(2, 5, 3), normal(4, 3)),
    case("outer", lambda t, x, y: t.outer(x, y), normal(3), normal(4)),
    case("dot", lambda t, x, y: t.dot(x, y), normal(3), normal(3)),
]

SHAPING = [
    case("reshape", lambda t, x: x.reshape(2, -1) * x.reshape(2, -1), normal(3, 4)),
    case("flatten", lambda t, x: t.flatten(x, 1) ** 2, normal(2, 3, 2)),
    case("transpose", lambda t, x: x.transpose(0, 1) ** 2, normal(3, 4)),
    case("mT", lambda t, x: x.mT**2, normal(2, 3, 4)),
    case("permute", lambda t, x: x.permute(2, 0, 1) ** 2, normal(2, 3, 4)),
    case("squeeze", lambda t, x: x.squeeze(1) ** 2, normal(3, 1, 4)),
    case("unsqueeze", lambda t, x: x.unsqueeze(1) ** 2, normal(3, 4)),
    case("expand", lambda t, x: x.expand(2, 3, -1) ** 2, normal(3, 1)),
    case("broadcast_to", lambda t, x: t.broadcast_to(x, (2, 3, 4)) ** 2, normal(3, 1)),
    case("flip", lambda t, x: t.flip(x, (0, 1)) * x, normal(3, 4)),
    case("cat", lambda t, x, y: t.cat([x, y, x], 1) ** 2, normal(2, 3), normal(2, 1)),
    case("cat negative dim", lambda t, x, y: t.cat([x, y], -2) ** 2, normal(2, 3), normal(1, 3)),
    case("stack", lambda t, x, y: t.stack([x, y], 1) ** 2, normal(2, 3), normal(2, 3)),
    case("stack last", lambda t, x, y: t.stack([x, y, x], -1) ** 2, normal(2, 3), normal(2, 3)),
    case("split", lambda t, x: t.split(x, 2, 1)[1] * t.split(x, 2, 1)[0], normal(3, 5)),
    case("split sizes", lambda t, x: t.split(x, [1, 4], 1)[1] ** 2, normal(3, 5)),
    case("chunk", lambda t, x: t.chunk(x, 2, 1)[1] ** 2, normal(3, 5)),
    case("unbind", lambda t, x: t.unbind(x, 1)[1] * t.unbind(x, 1)[0], normal(3, 2)),
    case("narrow", lambda t, x: t.narrow(x, 1, 1, 2) ** 2, normal(3, 4)),
    case("pad", lambda t, x: t.pad(x, (1, 2)) ** 2, normal(3, 4)),
    case("pad value", lambda t, x: t.pad(x, (1, 0, 2, 1), value=3.0) ** 2, normal(3, 4)),
    case("tril", lambda t, x: t.tril(x) ** 2, normal(2, 3, 3)),
]

INDEXING = [
    case("integer", lambda t, x: x[1] ** 2, normal(3, 4)),
    case("negative integer", lambda t, x: x[-1, 2] ** 2, normal(3, 4)),
    case("slice", lambda t, x: x[1:, ::2] ** 2, normal(3, 4)),
    case("ellipsis and None", lambda t, x: x[..., None, 1] ** 2, normal(3, 4)),
    case("repeated index", lambda t, x: x[[0, 0, 2]] ** 2, normal(3, 4)),
    case("two index arrays", lambda t, x: x[[0, 0, 2], [1, 1, 3]] ** 2, normal(3, 4)),
    case("slice and array", lambda t, x: x[1:, [0, 0, 3]] ** 2, normal(3, 4)),
    case("array, None and slice", lambda t, x: x[[2, 2], None, 1:] ** 2, normal(3, 4)),
    case("mask", lambda t, x: x[x > 0] ** 2, apart(3, 4)),
    case("mask and integer", lambda t, x: x[x[:, 0] > -9.0, 1] ** 2, apart(3, 4)),
    case("tensor index", lambda t, x, i: x[i] ** 2, normal(3, 4), integers(0, 3, 2, 2)),
    case("gather", lambda t, x, i: t.gather(x, 1, i) ** 2, normal(3, 4), integers(0, 4, 3, 6)),
    case("gather dim 0", lambda t, x, i: x.gather(0, i) ** 2, normal(3, 4), integers(0, 3, 2, 4)),
    case("scatter_add", lambda t, x, i, y: t.scatter_add(x, 1, i, y) ** 2,
         normal(3, 4), integers(0, 4, 3, 6), normal(3, 6)),
    case("scatter", lambda t, x, i, y: t.scatter(x, 1, i, y) ** 2,
         normal(3, 4), lambda rng: np.array([[0, 3], [2, 1], [1, 0]]), normal(3, 2)),
    case("index_select", lambda t, x, i: t.index_select(x, 1, i) ** 2, normal(3, 4), integers(0, 4, 6)),
    case("embedding", lambda t, i, w: t.embedding(i, w) ** 2, integers(0, 5, 3, 4), normal(5, 2)),
    case("sort", lambda t, x: t.sort(x, 1).values * t.sort(x, 0, descending=True)[0], apart(3, 4)),
    case("topk", lambda t, x: t.topk(x, 2, 1).values ** 2, apart(3, 4)),
    case("topk smallest", lambda t, x: t.topk(x, 2, 0, largest=False)[0] ** 2, apart(3, 4)),
]  # fmt: skip

LOSSES = [
    case("mse", lambda t, x, y: t.mse_loss(x, y), normal(3, 4), normal(3, 4)),
    case("huber", lambda t, x, y: t.huber_loss(x, y, delta=0.5), apart(3, 4), lambda rng: np.zeros((3, 4))),
    case("bce with logits", lambda t, x, y: t.binary_cross_entropy_with_logits(x, y), normal(3, 4), positive(3, 4)),
    case("cross_entropy", lambda t, x, y: t.cross_entropy(x, y), normal(5, 4), integers(0, 4, 5)),
    case("cross_entropy ignoring", lambda t, x, y: t.cross_entropy(x, y, ignore_index=1),
         normal(5, 4), lambda rng: np.array([0, 1, 3, 1, 2])),
    case("cross_entropy sum", lambda t, x, y: t.cross_entropy(x, y, reduction="sum"), normal(5, 4), integers(0, 4, 5)),
    case("cross_entropy none", lambda t, x, y: t.cross_entropy(x, y, reduction="none") ** 2,
         normal(5, 4), integers(0, 4, 5)),
    case("cross_entropy weighted",
         lambda t, x, y: t.cross_entropy(x, y, weight=t.tensor([0.5, 2.0, 1.0, 1.5], dtype=x.dtype)),
         normal(5, 4), integers(0, 4, 5)),
    case("cross_entropy smoothed", lambda t, x, y: t.cross_entropy(x, y, label_smoothing=0.2),
         normal(5, 4), integers(0, 4, 5)),
    case("cross_entropy all options",
         lambda t, x, y: t.cross_entropy(x, y, weight=t.tensor([0.5, 2.0, 1.0, 1.5], dtype=x.dtype), ignore_index=2,
                                         label_smoothing=0.1),
         normal(5, 4), lambda rng: np.array([0, 2, 3, 1, 2])),
    case("cross_entropy probabilities", lambda t, x, y: t.cross_entropy(x, t.softmax(y, 1), label_smoothing=0.1),
         normal(5, 4), normal(5, 4)),
    case("cross_entropy in space", lambda t, x, y: t.cross_entropy(x, y), normal(2, 4, 3), integers(0, 4, 2, 3)),
    case("cross_entropy one row", lambda t, x, y: t.cross_entropy(x, y), normal(4), integers(0, 4)),
    case("nll", lambda t, x, y: t.nll_loss(t.log_softmax(x, 1), y), normal(5, 4), integers(0, 4, 5)),
    case("ppo surrogate", lambda t, new, old, a: t.minimum(
        t.exp(new - old) * a, t.clip(t.exp(new - old), 0.8, 1.2) * a).mean(), normal(6), normal(6), normal(6)),
    case("entropy over legal entries", lambda t, x: -(
        t.where(x > -1.0, t.softmax(t.where(x > -1.0, x, -1e9), 1), 0.0)
        * t.where(x > -1.0, t.log_softmax(t.where(x > -1.0, x, -1e9), 1), 0.0)).sum(1), apart(3, 4)),
]  # fmt: skip

NORMALISATION = [
    case("layer_norm", lambda t, x, w, b: t.layer_norm(x, (4,), w, b), normal(3, 4), normal(4), normal(4)),
    case("layer_norm axes", lambda t, x, w, b: t.layer_norm(x, (3, 4), w, b), normal(2, 3, 4), normal(3, 4),
         normal(3, 4)),
    case("layer_norm plain", lambda t, x: t.layer_norm(x, (4,)), normal(3, 4)),
    case("batch_norm", lambda t, x, w, b: t.batch_norm(x, None, None, w, b, training=True),
         normal(5, 3), normal(3), normal(3)),
    case("batch_norm in space", lambda t, x, w, b: t.batch_norm(x, None, None, w, b, training=True),
         normal(2, 3, 4), normal(3), normal(3)),
    case("batch_norm evaluating", lambda t, x, w, b: t.batch_norm(
        x, t.tensor([0.0, 0.5, 1.0], dtype=x.dtype), t.tensor([1.0, 2.0, 0.5], dtype=x.dtype), w, b),
         normal(2, 3, 4), normal(3), normal(3)),
    case("rms_norm", lambda t, x, w: t.rms_norm(x, (4,), w, 1e-6), normal(3, 4), normal(4)),
]  # fmt: skip

EINSUM = [
    case("einsum matmul", lambda t, x, y: t.einsum("ij,jk->ik", x, y), normal(2, 3), normal(3, 4)),
    case("einsum batch", lambda t, x, y: t.einsum("bij,bkj->bik", x, y), normal(2, 3, 4), normal(2, 5, 4)),
    case("einsum implicit", lambda t, x, y: t.einsum("ij,jk", x, y), normal(2, 3), normal(3, 4)),
    case("einsum sum of one", lambda t, x: t.einsum("ijk->j", x) ** 2, normal(2, 3, 4)),
    case("einsum trace", lambda t, x: t.einsum("ii->", x) ** 2, normal(3, 3)),
    case("einsum diagonal", lambda t, x: t.einsum("bii->bi", x) ** 2, normal(2, 3, 3)),
    case("einsum ellipsis", lambda t, x, y: t.einsum("...ij,...jk->...ik", x, y), normal(2, 1, 3, 4), normal(5, 4, 2)),
    case("einsum three", lambda t, x, y, z: t.einsum("i,ij,j->", x, y, z), normal(3), normal(3, 4), normal(4)),
    case("einsum outer sum", lambda t, x, y: t.einsum("ik,jl->ij", x, y) ** 2, normal(2, 3), normal(2, 4)),
]

CONVOLUTION = [
    case("conv1d", lambda t, x, w, b: t.conv1d(x, w, b), normal(2, 3, 6), normal(4, 3, 3), normal(4)),
    case("conv1d padded, strided, dilated",
         lambda t, x, w: t.conv1d(x, w, None, stride=2, padding=2, dilation=2), normal(2, 3, 6), normal(4, 3, 3)),
    case("conv1d groups", lambda t, x, w, b: t.conv1d(x, w, b, padding=1, groups=2),
         normal(2, 4, 5), normal(6, 2, 3), normal(6)),
    case("conv2d", lambda t, x, w, b: t.conv2d(x, w, b, padding=1), normal(2, 2, 4, 3), normal(3, 2, 3, 3), normal(3)),
    case("conv2d all options", lambda t, x, w, b: t.conv2d(x, w, b, (2, 1), (1, 2), (1, 2), 2),
         normal(2, 4, 5, 4), normal(4, 2, 2, 3), normal(4)),
    case("conv_transpose1d", lambda t, x, w, b: t.conv_transpose1d(x, w, b, stride=2, padding=1, output_padding=1),
         normal(2, 3, 4), normal(3, 2, 3), normal(2)),
    case("conv_transpose2d groups", lambda t, x, w: t.conv_transpose2d(x, w, None, stride=(1, 2), groups=2, dilation=2),
         normal(2, 4, 3, 3), normal(4, 2, 2, 2)),
    case("max_pool1d", lambda t, x: t.max_pool1d(x, 2), apart(2, 2, 6)),
    case("max_pool2d", lambda t, x: t.max_pool2d(x, (3, 2), stride=1, padding=1), apart(1, 2, 4, 3)),
    case("avg_pool1d", lambda t, x: t.avg_pool1d(x, 3, stride=2, padding=1), normal(2, 2, 6)),
    case("avg_pool2d", lambda t, x: t.avg_pool2d(x, 2), normal(2, 2, 4, 4)),
]  # fmt: skip

ATTENTION = [
    case("attention", lambda t, q, k, v: t.scaled_dot_product_attention(q, k, v),
         normal(2, 3, 4), normal(2, 5, 4), normal(2, 5, 2)),
    case("attention causal", lambda t, q, k, v: t.scaled_dot_product_attention(q, k, v, is_causal=True),
         normal(2, 3, 4), normal(2, 3, 4), normal(2, 3, 2)),
    case("attention masked", lambda t, q, k, v: t.scaled_dot_product_attention(
        q, k, v, attn_mask=t.tensor([[True, False, True], [True, True, True]])),
         normal(2, 2, 4), normal(2, 3, 4), normal(2, 3, 2)),
    case("attention biased", lambda t, q, k, v, m: t.scaled_dot_product_attention(q, k, v, attn_mask=m, scale=0.3),
         normal(2, 2, 4), normal(2, 3, 4), normal(2, 3, 2), normal(2, 3)),
]  # fmt: skip

RECURRENT = [
    case("lstm", lambda t, x, h, c, wi, wh, bi, bh: _joined(t, *t.lstm(x, (h, c), wi, wh, bi, bh)),
         normal(3, 2, 4), normal(2, 3), normal(2, 3), normal(12, 4), normal(12, 3), normal(12), normal(12),
         oracle=False),
    case("lstm_cell", lambda t, x, h, c, wi, wh, bi, bh: t.cat(list(t.lstm_cell(x, (h, c), wi, wh, bi, bh)), 1),
         normal(2, 4), normal(2, 3), normal(2, 3), normal(12, 4), normal(12, 3), normal(12), normal(12)),
    case("gru", lambda t, x, h, wi, wh, bi, bh: t.gru(x, h, wi, wh, bi, bh)[0],
         normal(3, 2, 4), normal(2, 3), normal(9, 4), normal(9, 3), normal(9), normal(9), oracle=False),
    case("gru_cell", lambda t, x, h, wi, wh, bi, bh: t.gru_cell(x, h, wi, wh, bi, bh),
         normal(2, 4), normal(2, 3), normal(9, 4), normal(9, 3), normal(9), normal(9)),
]  # fmt: skip


def _joined(t: Any, hidden: Any, state: Any) -> Any:
    """Hidden states, last hidden state and last cell state in one tensor."""
    return t.cat([hidden, t.stack(list(state))], 0)


CASES = ELEMENTWISE + REDUCTIONS + PRODUCTS + SHAPING + INDEXING + LOSSES + NORMALISATION
CASES += EINSUM + CONVOLUTION + ATTENTION + RECURRENT
