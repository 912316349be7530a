# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Instructions of the Vector engine that make fewer elements of many."""

from .. import clip, names, operators, recorder, views
from ..dtypes import bool_, dtype_of, float32, uint32
from ..errors import LimitError
from ..operators import dropped, finish, operand, result, written
from ..recorder import emit
from .call import isa_call


def axes_of(axis, rank):
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    out = sorted({int(a) + rank if int(a) < 0 else int(a) for a in axes})
    if not out or out[0] < 1 or out[-1] >= rank:
        raise LimitError(f"axis {axis} of a tile with {rank} dimensions; allowed: 1 to {rank - 1}, the free dimensions")
    return out


def reduce(op, data, axis, dst=None, dtype=None, mask=None, keepdims=False, negate=False):
    """tensor_reduce over free axes; the reduced dims become the innermost of the pattern."""
    data = operand(data)
    rank = len(data.shape)
    axes = axes_of(axis, rank)
    kept = [d for d in range(rank) if d not in axes]
    alu = names.alu(op)
    kind = dtype_of(dtype) if dtype is not None else (dst.dtype if dst is not None else (bool_ if names.name_of(op) in ("all", "any") else data.dtype))
    if keepdims:
        shape = tuple(1 if d in axes else n for d, n in enumerate(data.shape))
    else:
        shape = tuple(data.shape[d] for d in kept)
        if len(shape) < 2:
            shape += (1,)
    box = clip.region(data.shape, mask, [data])
    if box is clip.EMPTY:
        return dropped(dst, shape, kind)
    part = clip.cut(data, box, data.shape)
    part = views.permuted(part, tuple(kept + axes))
    small = None
    if box is not None:
        small = [(0, 1) if d in axes else box[d] for d in range(rank)] if keepdims else [box[d] for d in kept]
        small += [(0, 1)] * (len(shape) - len(small))
        if all(b == (0, n) for b, n in zip(small, shape)):
            small = None
    whole, to = result(dst, shape, kind, small if dst is None or dst.shape == shape else None)
    written(to)
    made = emit("tensor_reduce", to, [("data", part)], f',"op0":"{alu}"')
    return finish(made, whole, small, shape) if dst is None else None


@isa_call("op data axis negate= keepdims= mask= dtype=", tensors="data")
def tensor_reduce(dst, op, data, axis, negate, keepdims, mask, dtype):
    return reduce(op, data, axis, dst, dtype, mask, bool(keepdims), negate)


def _to_columns(instruction, dst, data, columns, mask, dtype, extra=()):
    """An instruction that makes a fixed number of columns of each partition."""
    shape = (data.shape[0], columns)
    box = clip.region(data.shape, mask, [data])
    if box is clip.EMPTY:
        return dropped(dst, shape, dtype)
    part = clip.cut(data, box, data.shape)
    small = None if box is None or box[0] == (0, shape[0]) else [box[0], (0, columns)]
    whole, to = result(dst, shape, dtype, small)
    written(to)
    made = emit(instruction, to, [("data", part)] + [(r, operators._rows(t, box)) for r, t in extra])
    return finish(made, whole, small, shape) if dst is None else None


@isa_call("data mask= dtype=", tensors="data")
def bn_stats(dst, data, mask, dtype):
    data = operand(data)
    if views.product(data.shape[1:]) > 512:
        raise LimitError(f"bn_stats of {views.product(data.shape[1:])} elements per partition; allowed: at most 512")
    return _to_columns("bn_stats", dst, data, 6, mask, dtype_of(dtype) if dtype is not None else float32)


@isa_call("data mask= dtype=", tensors="data")
def bn_aggr(dst, data, mask, dtype):
    data = operand(data)
    if views.product(data.shape[1:]) % 3:
        raise LimitError(f"bn_aggr of {views.product(data.shape[1:])} elements per partition; allowed: a multiple of 3")
    return _to_columns("bn_aggr", dst, data, 2, mask, dtype_of(dtype) if dtype is not None else float32)


@isa_call("src mask= dtype=", tensors="src")
def max8(dst, src, mask, dtype):
    data = operand(src)
    n = views.product(data.shape[1:])
    if not 8 <= n <= 16384:
        raise LimitError(f"max8 of {n} elements per partition; allowed: 8 to 16384")
    return _to_columns("max8", dst, data, 8, mask, dtype_of(dtype) if dtype is not None else data.dtype)


@isa_call("data vals mask= dtype=", tensors="data vals")
def nc_find_index8(dst, data, vals, mask, dtype):
    data = operand(data)
    n = views.product(data.shape[1:])
    if not 8 <= n <= 16384:
        raise LimitError(f"nc_find_index8 of {n} elements per partition; allowed: 8 to 16384")
    return _to_columns("nc_find_index8", dst, data, 8, mask, dtype_of(dtype) if dtype is not None else uint32,
                       [("data2", operand(vals))])


@isa_call("data vals imm dst_idx= mask= dtype=", tensors="data vals")
def nc_match_replace8(dst, data, vals, imm, dst_idx, mask, dtype):
    data, vals = operand(data), operand(vals)
    kind = dtype_of(dtype) if dtype is not None else data.dtype
    box = clip.region(data.shape, mask, [data])
    if box is clip.EMPTY:
        return dropped(dst, data.shape, kind)
    whole, to = result(dst, data.shape, kind, box)
    written(to)
    operands = [("data", clip.cut(data, box, data.shape)), ("data2", operators._rows(vals, box))]
    if dst_idx is not None:
        operands.append(("dst_index", operators._rows(dst_idx, box)))
    made = emit("nc_match_replace8", to, operands)
    return finish(made, whole, box, data.shape) if dst is None else None


@isa_call("src dst_scale", tensors="src dst_scale")
def quantize_mx(dst, src, dst_scale):
    recorder.needs(4, "quantize_mx")
    emit("quantize_mx", dst, [("data", operand(src)), ("dst_scale", dst_scale)])
    written(dst)

