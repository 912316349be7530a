# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Instructions of the Tensor engine: matmuls and transposes."""

from .. import clip, destination, memory, recorder, views
from ..dtypes import float32, tfloat32
from ..index import mask_of, narrowed
from ..lower import copies
from ..operators import dropped, finish, operand, result, written
from ..recorder import emit
from .call import engine_name, isa_call


@isa_call("stationary moving is_stationary_onezero= is_moving_onezero= is_transpose= accumulate= tile_position= "
          "tile_size= perf_mode= mask= dtype= psum_accumulate_flag=", tensors="stationary moving")
def nc_matmul(dst, stationary, moving, is_stationary_onezero, is_moving_onezero, is_transpose, accumulate,
              tile_position, tile_size, perf_mode, mask, dtype, psum_accumulate_flag):
    stationary, moving = operand(stationary), operand(moving)
    attrs = ""
    mode = getattr(perf_mode, "name", None) or (str(perf_mode) if perf_mode else "none")
    double = mode.rsplit(".", 1)[-1].startswith("double_row")
    if double:
        attrs += ',"perf_mode":"double_row"'
    elif mode not in ("none", "None"):
        recorder.ignore(f"nc_matmul(perf_mode={mode})")
    if is_transpose:
        attrs += ',"transpose":true'
    if (is_stationary_onezero or is_moving_onezero) and stationary.dtype is float32:
        attrs += ',"onezero":true'
    attrs += array_tile(tile_position, tile_size)
    return matmul(dst, stationary, moving, attrs, accumulate, mask, 2 if double else 1,
                  stationary.dtype if is_transpose else float32)


def array_tile(position, size):
    attrs = ""
    if size:
        rows, columns = (128 if n is None else int(n) for n in size)
        if (rows, columns) != (128, 128):
            attrs += f',"tile_size":[{rows},{columns}]'
            if position:
                attrs += f',"tile_position":[{int(position[0])},{int(position[1])}]'
    return attrs


def evicted(tile):
    """A matmul operand: what the first generation left in PSUM is copied to SBUF."""
    if tile.storage.kind != "psum":
        return tile
    staged = memory.fresh(tile.shape, tile.dtype)
    copies.tile_copy(staged, tile)
    staged.axes, staged.over, staged.mask = tile.axes, tile.over, tile.mask
    return staged


def _same_width(stationary, moving):
    """fp32 goes only with fp32: the narrower operand is copied to fp32."""
    wide = (float32, tfloat32)
    if (stationary.dtype in wide) == (moving.dtype in wide):
        return stationary, moving
    recorder.approximate("a matmul operand is cast to fp32 because the other one is")
    return tuple(t if t.dtype in wide else _cast(t) for t in (stationary, moving))


def _cast(tile):
    staged = memory.fresh(tile.shape, float32)
    copies.tile_copy(staged, tile)
    staged.axes, staged.over, staged.mask = tile.axes, tile.over, tile.mask
    return staged


def matmul(dst, stationary, moving, attrs, accumulate=None, mask=None, halves=1, dtype=float32):
    """Emits one matmul into `dst` or a new PSUM tile."""
    if dst is None:
        stationary, moving = evicted(stationary), evicted(moving)
    if stationary.dtype is not moving.dtype:
        stationary, moving = _same_width(stationary, moving)
    m = views.product(stationary.shape[1:]) // halves
    columns = moving.shape[1:] if halves == 1 else moving.shape[2:]
    shape = (m,) + tuple(columns)
    box = None
    mask = mask_of(mask)
    if mask is not None or stationary.over or moving.over or stationary.mask is not None or moving.mask is not None:
        got = _clipped(stationary, moving, mask, shape)
        if got is clip.EMPTY:
            return dropped(dst, shape, dtype)
        stationary, moving, box = got
    if dst is None:
        whole, to = _in_psum(shape, dtype, box)
        made = emit("nc_matmul", to, [("stationary", stationary), ("moving", moving)], attrs)
        destination.note_written(to)
        return finish(made, whole, box, shape)
    if box is not None:
        dst = clip.cut(dst, box, dst.shape)
    if dst.storage.kind == "psum":
        before = destination.was_written(dst)
        if accumulate or (accumulate is None and before) or dst.storage.lazy not in (None, 0, 0.0):
            attrs += ',"accumulate":true'
        if dst.storage.lazy not in (None, 0, 0.0):
            destination.before_read(dst)
        dst.storage.lazy = None
        destination.note_written(dst)
    emit("nc_matmul", dst, [("stationary", stationary), ("moving", moving)], attrs)
    return None


def _in_psum(shape, dtype, box):
    whole = memory.psum_tile(shape, dtype)
    return whole, whole if box is None else clip.cut(whole, box, shape)


def _clipped(stationary, moving, mask, shape):
    """Operands and the part of the result that a mask leaves: dims are found by the ranges they were made from."""
    where = {}
    rank = len(moving.shape)
    for t, first in ((moving, 1), (stationary, rank)):
        for d, axis in enumerate(t.axes or ()):
            if axis is not None:
                where.setdefault(axis, 0 if d == 0 else first + d - 1)
    full = moving.shape + stationary.shape[1:]  # K, N…, M…
    masks = [m for m in (mask, stationary.mask, moving.mask) if m is not None]
    box = [(0, n) for n in full]
    def placed(term, d, own=None):
        axis = term.axes[d] if term.axes else None
        if axis in where:
            return where[axis]
        n = term.shape[d]
        if d == 0 and (n == full[0]):
            return 0
        for p in range(1, len(full)):
            if full[p] == n and (own is None or (p < rank) == (own is moving)):
                return p
        return None

    for m in masks:
        box = narrowed(box, m.terms, placed)
        if box is None:
            return clip.EMPTY
    for t in (stationary, moving):
        if t.over:
            box = narrowed(box, t.over, lambda term, d, t=t: 0 if d == 0 else (d if t is moving else rank + d - 1))
            if box is None:
                return clip.EMPTY
            recorder.clipped()
    moving = clip.cut(moving, box[:rank], moving.shape)
    stationary = clip.cut(stationary, [box[0]] + box[rank:], stationary.shape)
    return stationary, moving, [_product_range(box[rank:])] + box[1:rank]


def _product_range(ranges):
    return ranges[0] if len(ranges) == 1 else (0, views.product(b - a for a, b in ranges))


@isa_call("stationary moving stationary_scale moving_scale tile_position= tile_size= accumulate=",
          tensors="stationary moving stationary_scale moving_scale")
def nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale, tile_position, tile_size, accumulate):
    recorder.needs(4, "nc_matmul_mx")
    stationary, moving = operand(stationary), operand(moving)
    attrs = array_tile(tile_position, tile_size)
    new = dst is None
    if new:
        dst = memory.psum_tile((views.product(stationary.shape[1:]),) + moving.shape[1:], float32)
    elif accumulate or (accumulate is None and destination.was_written(dst)):
        attrs += ',"accumulate":true'
    dst.storage.lazy = None
    destination.note_written(dst)
    made = emit("nc_matmul_mx", dst, [("stationary", stationary), ("moving", moving),
                                      ("stationary_scale", operand(stationary_scale)), ("moving_scale", operand(moving_scale))], attrs)
    return finish(made, dst, None, dst.shape) if new else None


@isa_call("data engine= mask= dtype=", tensors="data")
def nc_transpose(dst, data, engine, mask, dtype):
    return transpose(data, dst, engine_name(engine), mask)


def _blocks(dst, data):
    """A transpose on the Vector engine, which takes 32 x 32 at a time."""
    recorder.approximate("a transpose of more than 32 x 32 on the vector engine is one instruction per block")
    rows, columns = data.shape[0], views.product(data.shape[1:])
    data, dst = views.reshaped(data, (rows, columns)), views.reshaped(dst, (columns, rows))
    for r in range(0, rows, 32):
        for c in range(0, columns, 32):
            emit("nc_transpose", dst[c:c + 32, r:r + 32], [("data", data[r:r + 32, c:c + 32])], "", "vector")


def transpose(data, dst=None, engine=None, mask=None):
    data = operand(data)
    columns = views.product(data.shape[1:])
    shape = (columns, data.shape[0])
    box, data_box = None, clip.region(data.shape, mask, [data])
    if data_box is clip.EMPTY:
        return dropped(dst, shape, data.dtype)
    if data_box is not None:
        data = clip.cut(data, data_box, data.shape)
        box = [_product_range(data_box[1:]), data_box[0]]
    small = data.shape[0] <= 32 and columns <= 32
    if engine is None:
        from_psum = data.storage.kind == "psum"
        into_sbuf = dst is not None and dst.storage.kind == "sbuf"
        if from_psum and dst is None and not small:
            data, from_psum = evicted(data), False
        engine = "vector" if from_psum or into_sbuf or (small and dst is None) else "tensor"
    kind = "vector" if engine == "vector" else None
    if dst is not None:
        if box is not None and dst.shape == shape:
            dst = clip.cut(dst, box, shape)
        written(dst)
        if kind == "vector" and not small:
            return _blocks(dst, data)
        emit("nc_transpose", dst, [("data", data)], "", kind)
        return None
    if kind == "vector":
        whole, to = result(None, shape, data.dtype, box)
        if not small:
            _blocks(to, data)
            return whole
    else:
        whole, to = _in_psum(shape, data.dtype, box)
        destination.note_written(to)
    made = emit("nc_transpose", to, [("data", data)], "", kind)
    return finish(made, whole, box, shape)
