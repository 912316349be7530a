# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Functions of nki.language that are several instructions."""

from .. import clip, destination, memory, operators, recorder, views
from ..dtypes import dtype_of, float32
from ..errors import LimitError
from ..isa import reduce as reductions
from ..isa import scalar, tensor_engine, vector
from ..lower import copies
from ..operators import binary, finish, is_number, operand, unary
from ..recorder import emit
from ..tensor import NkiTensor


def reduce(name, x, axis, dtype=None, mask=None, keepdims=False):
    return reductions.reduce(name, x, axis, None, dtype, mask, keepdims)


def mean(x, axis, dtype=None, mask=None, keepdims=False, **_):
    n = views.product(x.shape[a] for a in reductions.axes_of(axis, len(x.shape)))
    total = reduce("sum", x, axis, dtype or float32, mask, keepdims)
    return binary("multiply", total, 1.0 / n, dtype=dtype or x.dtype, mask=None)


def var(x, axis, dtype=None, mask=None, **_):
    """bn_stats on pieces of 512, then one bn_aggr."""
    x = operand(x)
    n = views.product(x.shape[1:])
    flat = views.reshaped(x, (x.shape[0], n))
    pieces = -(-n // 512)
    stats = memory.fresh((x.shape[0], pieces, 6), float32)
    for i in range(pieces):
        vector_piece = flat[:, i * 512:min(n, (i + 1) * 512)]
        reductions.bn_stats(dst=stats[:, i, :], data=vector_piece)
    both = reductions.bn_aggr(views.reshaped(stats, (x.shape[0], pieces * 6)))
    return both[:, 1:2]


def softmax(x, axis, dtype=None, mask=None, **_):
    x = operand(x)
    top = reduce("max", x, axis, None, mask)
    total = memory.fresh(top.shape, float32)
    shifted = scalar.activation(op="exp", data=x, bias=top, reduce_op="add", reduce_res=total, mask=mask, dtype=float32)
    inverse = vector.reciprocal(total)
    return binary("multiply", shifted, inverse, dtype=dtype or x.dtype, mask=mask)


def rms_norm(x, w, axis, n, epsilon=1e-6, dtype=None, mask=None, **_):
    x = operand(x)
    total = memory.fresh((x.shape[0], 1), float32)
    scalar.activation(op="square", data=x, reduce_op="add", reduce_res=total, mask=mask)
    scaled = vector.tensor_scalar(data=total, op0="multiply", operand0=1.0 / n, op1="add", operand1=epsilon)
    inverse = unary("rsqrt", scaled)
    normal = binary("multiply", x, inverse, dtype=dtype or x.dtype, mask=mask)
    return normal if w is None else binary("multiply", normal, w, dtype=dtype or x.dtype, mask=mask)


def matmul(x, y, transpose_x=False, mask=None, **_):
    """x @ y with the product in PSUM; x is transposed first unless it comes transposed."""
    x, y = operand(x), operand(y)
    if not transpose_x:
        x = tensor_engine.transpose(tensor_engine.evicted(x))
    return tensor_engine.matmul(None, x, y, "", None, mask)


def copies_to_sbuf(tile):
    staged = memory.fresh(tile.shape, tile.dtype)
    copies.tile_copy(staged, tile)
    return staged


def transpose(x, dtype=None, mask=None, **_):
    if isinstance(x, NkiTensor) and x.storage.kind == "psum":
        x = copies_to_sbuf(operand(x))
    return tensor_engine.transpose(x, None, None, mask)


def where(condition, x, y, dtype=None, mask=None, **_):
    """The result filled with y, then x copied where the condition holds."""
    condition = operand(condition)
    tiles = [t for t in (x, y) if isinstance(t, NkiTensor)]
    shape = condition.shape
    for t in tiles:
        shape = operators.broadcast_shape(shape, t.shape)
    kind = dtype_of(dtype) if dtype is not None else (tiles[0].dtype if tiles else float32)
    if condition.shape != shape:
        condition = operators.spread(condition, shape)
    whole = memory.fresh(shape, kind)
    box = clip.region(shape, mask, [condition] + tiles)
    if box is clip.EMPTY:
        return operators.dropped(None, shape, kind)
    to = clip.cut(whole, box, shape)
    part = clip.cut(condition, box, shape)
    if isinstance(y, NkiTensor):
        copies.tile_copy(to, clip.cut(operators.spread(operand(y), shape), box, shape))
    else:
        vector.fill_tile(to, y)
    data = to if not isinstance(x, NkiTensor) else clip.cut(operators.spread(operand(x), shape), box, shape)
    emit("tensor_copy_predicated", to, [("data", data), ("data2", part)])
    return whole


class LoopReduction:
    """`nl.loop_reduce`: assigned to a slice, it starts it or is combined with it."""

    def __init__(self, value, op, dtype):
        self.value, self.op, self.dtype = value, op, dtype


def loop_reduce(x, op, loop_indices=None, dtype=None, mask=None, **_):
    return LoopReduction(x, op, dtype)


def assign_reduction(target, reduction, written):
    """First time a copy, later an operation with what is there."""
    value = reduction.value
    if target.storage.kind == "psum":
        return destination.accumulate(target, value)
    if not written:
        return copies.copy(target, value)
    return binary(reduction.op, target, value, dst=target)


def dropout(x, rate, dtype=None, mask=None, **_):
    return vector.dropout(operand(x), rate, mask=mask, dtype=dtype)


def rand(shape, dtype=float32, mask=None, **_):
    shape = tuple(int(n) for n in shape)
    tile = memory.fresh(shape, dtype_of(dtype))
    made = emit("rng", tile, [])
    return finish(made, tile, None, tile.shape)


def random_seed(seed, mask=None, **_):
    emit("set_rng_seed", None, [] if is_number(seed) else [("data", operand(seed))])


def broadcast_to(src, shape=None, **keywords):
    shape = shape if shape is not None else keywords.get("shape")
    return src.broadcast_to(tuple(int(n) for n in shape))


def gather_flattened(data, indices, mask=None, dtype=None, **_):
    from ..isa.gpsimd import nc_n_gather
    return nc_n_gather(data, indices)


def all_reduce(x, op, program_axes=None, dtype=None, mask=None, **_):
    """Across the instances of a launch grid; nothing to do when there is one."""
    axes = program_axes if isinstance(program_axes, (tuple, list)) else (program_axes,)
    grid = recorder.active().grid
    sizes = [grid[a] for a in axes if isinstance(a, int) and a < len(grid)]
    if views.product(sizes) == 1:
        return x
    raise LimitError(f"all_reduce over grid axes of sizes {sizes}: instances of a grid are recorded one after the other")

