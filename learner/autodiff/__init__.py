"""Reverse-mode automatic differentiation over NumPy, under PyTorch's names.

    import learner.autodiff as torch

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x ** 2).sum().backward()
    x.grad  # tensor([2., 4.])

Start reading at table.py (what an operation is), then ops/elementwise.py (rows that look like formulas), tape.py (how
a call is recorded) and engine.py (how gradients flow back).
"""

from learner.autodiff.checkpoint import checkpoint
from learner.autodiff.create import (
    arange,
    bool_,
    default_generator,
    empty,
    eye,
    float16,
    float32,
    float64,
    from_numpy,
    full,
    full_like,
    int32,
    int64,
    linspace,
    manual_seed,
    ones,
    ones_like,
    rand,
    randint,
    randn,
    randperm,
    tensor,
    zeros,
    zeros_like,
)  # fmt: skip
from learner.autodiff.debugger import debug
from learner.autodiff.diagnose import diagnose
from learner.autodiff.draw import draw
from learner.autodiff.engine import grad
from learner.autodiff.fixed import fixed_order
from learner.autodiff.gradcheck import gradcheck
from learner.autodiff.modes import enable_grad, is_grad_enabled, no_grad, steady_rows
from learner.autodiff.ops.activations import (
    elu,
    gelu,
    hard_threshold,
    leaky_relu,
    log_softmax,
    logsigmoid,
    relu,
    silu,
    softmax,
    softplus,
)  # fmt: skip
from learner.autodiff.ops.attention import dropout, scaled_dot_product_attention
from learner.autodiff.ops.convolution import (
    avg_pool1d,
    avg_pool2d,
    conv1d,
    conv2d,
    conv_transpose1d,
    conv_transpose2d,
    max_pool1d,
    max_pool2d,
)  # fmt: skip
from learner.autodiff.ops.cross_entropy import cross_entropy, nll_loss
from learner.autodiff.ops.einsum import einsum
from learner.autodiff.ops.elementwise import (
    abs,
    add,
    arctan,
    ceil,
    clamp,
    clip,
    cos,
    div,
    eq,
    erf,
    exp,
    expm1,
    floor,
    ge,
    gt,
    isfinite,
    isnan,
    le,
    log,
    log1p,
    log2,
    logical_and,
    logical_not,
    logical_or,
    lt,
    maximum,
    minimum,
    mul,
    ne,
    neg,
    pow,
    reciprocal,
    remainder,
    round,
    rsqrt,
    sigmoid,
    sign,
    sin,
    sqrt,
    square,
    sub,
    tan,
    tanh,
    where,
)  # fmt: skip
from learner.autodiff.ops.indexing import (
    argsort,
    embedding,
    gather,
    index_select,
    masked_fill,
    one_hot,
    scatter,
    scatter_add,
    sort,
    take_along_dim,
    topk,
)  # fmt: skip
from learner.autodiff.ops.losses import binary_cross_entropy_with_logits, huber_loss, mse_loss
from learner.autodiff.ops.normal import batch_norm, layer_norm, rms_norm
from learner.autodiff.ops.products import dot, linear, matmul, outer
from learner.autodiff.ops.recurrent import gru, gru_cell, lstm, lstm_cell
from learner.autodiff.ops.reductions import (
    all,
    amax,
    amin,
    any,
    argmax,
    argmin,
    cumsum,
    logsumexp,
    max,
    mean,
    min,
    norm,
    prod,
    std,
    sum,
    var,
)  # fmt: skip
from learner.autodiff.ops.shaping import (
    as_tensor,
    broadcast_to,
    cat,
    chunk,
    concatenate,
    expand,
    flatten,
    flip,
    narrow,
    pad,
    permute,
    reshape,
    split,
    squeeze,
    stack,
    transpose,
    tril,
    unbind,
    unsqueeze,
)  # fmt: skip
from learner.autodiff.precision import GradScaler, LossScaleError, memory, saved_as
from learner.autodiff.replay import Compiled, ReplayWarning, compile
from learner.autodiff.table import op
from learner.autodiff.tape import get_default_dtype, set_default_dtype
from learner.autodiff.tensor import Tensor
from learner.autodiff.transforms import hessian, hessian_vector, jacobian, vjp
from learner.autodiff.vmap import per_sample_gradients, per_sample_norms, vmap

__all__ = [
    "Compiled", "GradScaler", "LossScaleError", "ReplayWarning", "Tensor", "abs", "add", "all", "amax", "amin",
    "any", "arange", "arctan", "argmax", "argmin", "argsort", "as_tensor", "avg_pool1d", "avg_pool2d", "batch_norm",
    "binary_cross_entropy_with_logits", "bool_", "broadcast_to", "cat", "ceil", "checkpoint", "chunk", "clamp",
    "clip", "compile", "concatenate", "conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d", "cos",
    "cross_entropy", "cumsum", "debug", "default_generator", "diagnose", "div", "dot", "draw", "dropout", "einsum",
    "elu", "embedding", "empty", "enable_grad", "eq", "erf", "exp", "expand", "expm1", "eye", "fixed_order",
    "flatten", "flip", "float16", "float32", "float64", "floor", "from_numpy", "full", "full_like", "gather", "ge",
    "gelu", "get_default_dtype", "grad", "gradcheck", "gru", "gru_cell", "gt", "hard_threshold", "hessian",
    "hessian_vector", "huber_loss", "index_select", "int32", "int64", "is_grad_enabled", "isfinite", "isnan",
    "jacobian", "layer_norm", "le", "leaky_relu", "linear", "linspace", "log", "log1p", "log2", "log_softmax",
    "logical_and", "logical_not", "logical_or", "logsigmoid", "logsumexp", "lstm", "lstm_cell", "lt", "manual_seed",
    "masked_fill", "matmul", "max", "max_pool1d", "max_pool2d", "maximum", "mean", "memory", "min", "minimum",
    "mse_loss", "mul", "narrow", "ne", "neg", "nll_loss", "no_grad", "norm", "one_hot", "ones", "ones_like", "op",
    "outer", "pad", "per_sample_gradients", "per_sample_norms", "permute", "pow", "prod", "rand", "randint",
    "randn", "randperm", "reciprocal", "relu", "remainder", "reshape", "rms_norm", "round", "rsqrt", "saved_as",
    "scaled_dot_product_attention", "scatter", "scatter_add", "set_default_dtype", "sigmoid", "sign", "silu", "sin",
    "softmax", "softplus", "sort", "split", "sqrt", "square", "squeeze", "stack", "std", "steady_rows", "sub",
    "sum", "take_along_dim", "tan", "tanh", "tensor", "topk", "transpose", "tril", "unbind", "unsqueeze", "var",
    "vjp", "vmap", "where", "zeros", "zeros_like",
]  # fmt: skip
