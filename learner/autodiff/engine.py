"""The backward pass: one loop over nodes, newest first.

The engine alone knows about need-masks, broadcasting, dtypes and accumulation; the rules of the table know only
calculus. Gradients are NumPy arrays in the plain reading. In the other readings (create_graph, fixed order, a recorder
listening) they are Tensors, and every step of the backward pass is itself an operation of the table.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from learner.autodiff.modes import Switch, modes
from learner.autodiff.ops.shaping import as_tensor
from learner.autodiff.table import ARRAYS, TABLE
from learner.autodiff.tape import TENSORS, Node, apply, frozen, unpacked
from learner.autodiff.tensor import Tensor

_FREED: Any = ("freed",)
_ADD, _CLONE = TABLE["add"], TABLE["clone"]


def walk(
    roots: Iterable[tuple[Node, Any]],
    *,
    f: Any,
    retain: bool,
    wanted: set[Node] | None = None,
    leads: set[Node] | None = None,
    stop: bool = False,
) -> dict[Node, Any]:
    """Carry gradients from `roots` down to the leaves; return those that arrived at nodes of interest.

    roots: (node, gradient) pairs. f: ARRAYS or TENSORS, the reading. retain: keep the saved arrays for another pass.
    wanted: the nodes whose gradients are asked for; None means leaves and nodes with `retains` set.
    leads: the nodes that lead to the wanted ones, the only ones visited; None visits all.
    stop: go no further than a wanted node.
    Returns {node: gradient}, each gradient in memory of its own.
    """
    arrived: dict[Node, Any] = {}
    own: set[Node] = set()  # nodes whose arrived array nobody else holds
    found: dict[Node, Any] = {}
    heap: list[tuple[int, Node]] = []
    for node, g in roots:
        _add_up(node, g, arrived, own, heap)
    while heap:
        node = heapq.heappop(heap)[1]
        g = arrived.pop(node)
        if node.hooks is not None:
            g = _run_hooks(node, g)
            own.discard(node)
        if node.retains if wanted is None else node in wanted:
            found[node] = g if node in own or f is TENSORS else np.array(g)
            if stop:
                continue
        if node.op is None or (leads is not None and not any(parent in leads for parent in node.parents)):
            continue
        may_own = f is ARRAYS and not node.op.lends
        for parent, q in _pull(node, g, f, leads):
            if q.shape != parent.shape:
                q = sum_to(f, q, parent.shape)
            if q.dtype is not parent.dtype and q.dtype != parent.dtype:
                q = f.cast(q, dtype=parent.dtype)
            if parent in arrived:
                _add_up(parent, q, arrived, own, heap)
            else:
                arrived[parent] = q
                heapq.heappush(heap, (-parent.id, parent))
                if parent.op is None and may_own and q is not g and type(q) is np.ndarray and q.base is None:
                    own.add(parent)
        if not retain:
            node.xs, node.out, node.aux, node.parents = _FREED, None, None, ()
    return found


def _add_up(node: Node, g: Any, arrived: dict[Node, Any], own: set[Node], heap: list[tuple[int, Node]]) -> None:
    """Borrow the first gradient that reaches a node, allocate the sum at the second, add in place from then on."""
    before = arrived.get(node)
    if before is None:
        arrived[node] = g
        heapq.heappush(heap, (-node.id, node))
    elif node in own:
        np.add(before, g, out=before)
    else:
        total = arrived[node] = before + g
        if type(total) is np.ndarray:
            own.add(node)


def _pull(node: Node, g: Any, f: Any, leads: set[Node] | None) -> list[tuple[Node, Any]]:
    """Apply the rules of one node: the (parent, gradient) pairs of its operands."""
    op, xs, out, aux = node.op, node.xs, node.out, node.aux
    assert op is not None
    if xs is _FREED or node.versions:
        _check(node)
    if node.packed:
        xs, out = tuple([unpacked(x) for x in xs]), unpacked(out)
    parents, shapes, settings = node.parents, node.shapes, node.settings
    if f is TENSORS:
        xs = tuple([_attach(a, parent) for a, parent in zip(xs, parents, strict=False)])
        out = _attach(out, node)
        aux = tuple([_attach(a, None) for a in aux]) if isinstance(aux, tuple) else _attach(aux, None)
        if op.twice_by_reference and modes.grad:
            return _through_reference(node, g, xs, [p is not None and (leads is None or p in leads) for p in parents])
    if op.joint is None:
        return [
            (parent, rule(f, g, xs, out, aux, shapes, None, settings))
            for parent, rule in zip(parents, op.rules, strict=True)
            if parent is not None and rule is not None and (leads is None or parent in leads)
        ]
    need = [parent is not None and (leads is None or parent in leads) for parent in parents]
    grads = op.joint(f, g, xs, out, aux, shapes, need, settings)
    pairs = zip(parents, grads, need, strict=True)
    return [(p, q) for p, q, needed in pairs if p is not None and needed and q is not None]


def _check(node: Node) -> None:
    """Raise where a node's saved arrays are gone, or no longer what they were."""
    name = "" if node.op is None else node.op.name
    if node.xs is _FREED:
        raise RuntimeError(
            f"backward reached '{name}' {node.shape} a second time, but its saved arrays were freed by the first; "
            f"pass retain_graph=True to the first backward, or compute the loss again"
        )
    for cell, version in node.versions:
        if cell[0] != version:
            raise RuntimeError(
                f"backward of '{name}' {node.shape} needs an operand as it was at version {version}, but it was "
                f"changed in place since and is at version {cell[0]}; call backward before changing it "
                f"(optimizer.step, copy_, ...), or give the operation a clone()"
            )


def _attach(array: Any, node: Node | None) -> Any:
    """A saved array as a tensor at its old place in the graph. Made during the walk only, so no cycle is ever kept."""
    return Tensor._at(array, node) if isinstance(array, np.ndarray) else array


def _through_reference(node: Node, g: Tensor, xs: Sequence[Any], need: list[bool]) -> list[tuple[Node, Any]]:
    """Differentiate a fused operation twice: through the primitives that it stands for."""
    assert node.op is not None
    assert node.op.reference is not None
    apart = [apply(_CLONE, x) if needed else x for x, needed in zip(xs, need, strict=True)]  # one node may come twice
    again = node.op.reference(TENSORS, *apart, **node.settings)
    inputs = [x for x, needed in zip(apart, need, strict=True) if needed]
    grads = grad(again, inputs, g, create_graph=True, allow_unused=True)
    parents = [parent for parent, needed in zip(node.parents, need, strict=True) if needed]
    return [(p, q) for p, q in zip(parents, grads, strict=True) if p is not None and q is not None]


def sum_to(f: Any, g: Any, shape: tuple[int, ...]) -> Any:
    """Undo broadcasting: sum a gradient over the axes along which an operand of `shape` was repeated."""
    lead = len(g.shape) - len(shape)
    stretched = tuple(i for i, n in enumerate(g.shape) if i < lead or (shape[i - lead] == 1 and n != 1))
    if stretched and stretched[-1] < lead:
        return f.sum(g, dim=stretched, keepdim=False)
    if stretched:
        g = f.sum(g, dim=stretched, keepdim=True)
    return g if g.shape == shape else f.reshape(g, shape=shape)


def _run_hooks(node: Node, g: Any) -> Any:
    for hook in list(node.hooks or ()):
        tensor = g if isinstance(g, Tensor) else Tensor(np.array(g))
        replaced = hook(tensor)
        if replaced is not None:
            if replaced.shape != node.shape:
                raise ValueError(f"a hook returned a gradient of shape {replaced.shape} for a tensor of {node.shape}")
            g = replaced if isinstance(g, Tensor) else replaced.array
    return g


def _roots(outputs: Sequence[Tensor], gradients: Sequence[Any], tensors: bool) -> list[tuple[Node, Any]]:
    """The nodes where a backward pass starts, with their gradients, checked."""
    roots = []
    for output, g in zip(outputs, gradients, strict=True):
        if output.node is None:
            raise RuntimeError(
                "backward from a tensor that does not require a gradient: no operand does, or it was computed "
                "under no_grad or detached; call requires_grad_() on a leaf before computing the loss"
            )
        if g is None:
            if output.numel() != 1:
                raise RuntimeError(
                    f"backward from shape {output.shape} needs a gradient of that shape; reduce it with .mean() or "
                    f".sum(), or pass gradient="
                )
            one = frozen(np.ones(output.array.shape, output.array.dtype))
            roots.append((output.node, Tensor._at(one, None) if tensors else one))
            continue
        start = as_tensor(g)
        if start.shape != output.shape:
            raise ValueError(f"the gradient has shape {start.shape}, the tensor {output.shape}; they must be equal")
        if start.dtype != output.dtype:
            start = start.to(output.dtype)
        roots.append((output.node, start if tensors else start.array))
    return roots


def backward(
    outputs: Sequence[Tensor], gradients: Sequence[Any], *, retain_graph: bool = False, create_graph: bool = False
) -> None:
    """Add d(sum of outputs . gradients)/d(leaf) to every leaf's `.grad`. See Tensor.backward."""
    found = _read(outputs, gradients, retain_graph or create_graph, create_graph, None)
    for node, g in found.items():
        _accumulate(node, g)


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
) -> tuple[Any, ...]:
    """Gradients of outputs with respect to inputs, returned, with no `.grad` touched.

    outputs, inputs: a tensor or a sequence of tensors; inputs may be leaves or results.
    grad_outputs: gradients of the outputs, in the same arrangement; None stands for 1 at one-element outputs.
    create_graph: the gradients are themselves differentiable. retain_graph: defaults to create_graph.
    Returns a tuple with a tensor for each input; None where allow_unused and the output does not depend on it.
    """
    outs = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    ins = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    gs = list(grad_outputs) if isinstance(grad_outputs, list | tuple) else [grad_outputs] * len(outs)
    for i, tensor in enumerate(ins):
        if tensor.node is None:
            raise RuntimeError(f"input {i} of grad, shape {tensor.shape}, does not require a gradient")
    wanted = {t.node for t in ins if t.node is not None}
    found = _read(outs, gs, create_graph if retain_graph is None else retain_graph, create_graph, wanted)
    result = []
    for i, tensor in enumerate(ins):
        g = found.get(tensor.node) if tensor.node is not None else None
        if g is None and not allow_unused:
            raise RuntimeError(
                f"the output does not depend on input {i} (shape {tensor.shape}); pass allow_unused=True to get None"
            )
        result.append(g if g is None or isinstance(g, Tensor) else Tensor(np.asarray(g)))
    return tuple(result)


def gradients_at(output: Tensor, g: Any, nodes: set[Node]) -> dict[Node, Any]:
    """Gradients that reach `nodes` from one output without passing through another of them; recorded if grad is on."""
    if output.node is None:
        return {}
    return _read([output], [g], modes.grad, modes.grad, nodes, stop=True)


def gradients_of(output: Tensor, nodes: set[Node]) -> dict[Node, Any]:
    """Gradients of one number with respect to any nodes under it, as arrays; the graph is kept."""
    with Switch("recorder", None):
        found = _read([output], [None], True, False, nodes)
    return {node: np.asarray(g.array if isinstance(g, Tensor) else g) for node, g in found.items()}


def _read(
    outputs: Sequence[Tensor],
    gradients: Sequence[Any],
    retain: bool,
    create_graph: bool,
    wanted: set[Node] | None,
    stop: bool = False,
) -> dict[Node, Any]:
    """One backward pass in the reading that the circumstances ask for."""
    tensors = create_graph or (modes.special > 0 and (modes.fixed or modes.recorder is not None))
    before, modes.grad = modes.grad, create_graph
    try:
        with np.errstate(all="ignore"):
            roots = _roots(outputs, gradients, tensors)
            leads = None if wanted is None else _leading_to(wanted, [node for node, _ in roots])
            f = TENSORS if tensors else ARRAYS
            return walk(roots, f=f, retain=retain, wanted=wanted, leads=leads, stop=stop)
    finally:
        modes.grad = before


def _leading_to(wanted: set[Node], roots: Sequence[Node]) -> set[Node]:
    """The nodes between the roots and the wanted ones: those from which a wanted node can be reached."""
    reachable, stack = set(roots), list(roots)
    while stack:
        for parent in stack.pop().parents:
            if parent is not None and parent not in reachable:
                reachable.add(parent)
                stack.append(parent)
    leads = set(wanted)
    for node in sorted(reachable, key=lambda n: n.id):
        if any(parent in leads for parent in node.parents):
            leads.add(node)
    return leads


def _accumulate(node: Node, g: Any) -> None:
    """Add a gradient to a node's `.grad`, in place where the sum so far is plain values."""
    before = node.grad
    if type(g) is np.ndarray and before is None:
        node.grad = Tensor._plain(g)
        return
    g = g if isinstance(g, Tensor) else Tensor(np.asarray(g))
    if modes.recorder is not None:
        node.grad = modes.recorder.gradient(node, g if before is None else apply(_ADD, before, g), before)
    elif before is None:
        node.grad = g if g.node is not None or g.cell is not None else Tensor(g.array.copy())
    elif before.node is None and g.node is None and before.array.flags.writeable:
        before.add_(g)
    else:
        node.grad = apply(_ADD, before, g)
