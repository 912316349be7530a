# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Instructions of the GpSimd engine, shuffles, random numbers, registers and barriers."""

import linecache
import sys

from .. import clip, memory, names, operators, recorder, views
from ..dtypes import bool_, dtype_of, int32
from ..errors import LimitError
from ..index import Index, Mask
from ..lower import copies
from ..operators import dropped, finish, is_number, operand, result, written
from ..recorder import emit
from ..tensor import NkiTensor
from .call import engine_name, isa_call
from .scalar import with_result


def materialised(index, dtype=None, dst=None):
    """The values of an index tensor or of a comparison of index tensors in a tile."""
    if isinstance(index, Mask):
        recorder.approximate("a comparison of index tensors as data is one iota and one comparison")
        shape = index.shape
        shape = shape if len(shape) > 1 else shape + (1,)
        tile = memory.fresh(shape, int32)
        emit("iota", tile, [])
        return operators.binary("greater_equal", tile, 0, dtype=bool_)
    shape = index.shape if len(index.shape) > 1 else (1,) + index.shape
    whole = dst if dst is not None else memory.fresh(shape, dtype_of(dtype) if dtype is not None else int32)
    written(whole)
    made = emit("iota", whole, [])
    return finish(made, whole, None, shape) if dst is None else whole


def iota(*args, **keywords):
    """iota(index tensor, dtype) returns a tile; iota(dst, pattern, offset, channel_multiplier) fills one."""
    expr = keywords.pop("expr", None)
    dst = keywords.pop("dst", None)
    if dst is None and args and isinstance(args[0], NkiTensor):
        dst, args = args[0], args[1:]
    if args and isinstance(args[0], Index):
        expr, args = args[0], args[1:]
    if isinstance(expr, Index):
        dtype = args[0] if args else keywords.get("dtype")
        box = clip.region(expr.shape, keywords.get("mask"), [])
        if box is clip.EMPTY:
            return dropped(dst, expr.shape, int32)
        return materialised(expr, dtype, dst)
    if dst is None:
        raise LimitError("iota needs an index tensor or a destination")
    written(dst)
    emit("iota", dst, [])
    return None


def in_sbuf(tile):
    """A tile that GpSimd can read: one in PSUM is copied first."""
    tile = operand(tile)
    if tile.storage.kind != "psum":
        return tile
    recorder.approximate("an operand of GpSimd in psum is copied to sbuf")
    staged = memory.fresh(tile.shape, tile.dtype)
    copies.tile_copy(staged, tile)
    return staged


def affine_select(*args, **keywords):
    """affine_select(pred, on_true_tile, on_false_value), or with a destination and a pattern."""
    first = args[0] if args else keywords.get("pred")
    if isinstance(first, Mask) or "pred" in keywords or is_number(first):
        values = dict(zip(("pred", "on_true_tile", "on_false_value"), args))
        values.update(keywords)
        dst = values.get("dst")
        data = values["on_true_tile"]
        box = clip.region(data.shape, values.get("mask"), [data])
        data = operand(data) if box is clip.EMPTY else in_sbuf(data)
        return with_result(dst, data, values.get("dtype"), values.get("mask"), "affine_select",
                           lambda box: [("data", clip.cut(data, box, data.shape))], "")
    dst = keywords.get("dst", None)
    if dst is None:
        dst, args = args[0], args[1:]
    data = keywords.get("on_true_tile")
    if data is None:
        data = next((a for a in args if isinstance(a, NkiTensor)), None)
    if data is None:
        raise LimitError("affine_select: argument 'on_true_tile' is missing")
    data = in_sbuf(data)
    written(dst)
    emit("affine_select", dst, [("data", data)])
    return None


@isa_call("data indices", tensors="data indices")
def nc_n_gather(dst, data, indices):
    data, indices = operand(data), operand(indices)
    groups = -(-views.product(indices.shape[1:]) // 512)
    attrs = f',"chunks":{groups}'
    whole, to = result(dst, indices.shape, data.dtype, None)
    written(to)
    made = emit("nc_n_gather", to, [("data", data), ("data2", indices)], attrs)
    return finish(made, whole, None, indices.shape) if dst is None else None


@isa_call("src_buffer index num_elem_per_idx= num_valid_indices= mask=", tensors="src_buffer index")
def local_gather(dst, src_buffer, index, num_elem_per_idx, num_valid_indices, mask):
    data, index = operand(src_buffer), operand(index)
    each = int(num_elem_per_idx or 1)
    shape = (data.shape[0], 16 * views.product(index.shape[1:]) * each)
    if num_valid_indices is not None:
        shape = (data.shape[0], int(num_valid_indices) * each)
    whole, to = result(dst, shape, data.dtype, None)
    written(to)
    made = emit("local_gather", to, [("data", data), ("data2", index)])
    return finish(made, whole, None, shape) if dst is None else None


@isa_call("op data mask= dtype=", tensors="data")
def tensor_partition_reduce(dst, op, data, mask, dtype):
    data = operand(data)
    kind = dtype_of(dtype) if dtype is not None else data.dtype
    shape = (1,) + data.shape[1:]
    box = clip.region(data.shape, mask, [data])
    if box is clip.EMPTY:
        return dropped(dst, shape, kind)
    small = None if box is None else [(0, 1)] + box[1:]
    whole, to = result(dst, shape, kind, small)
    written(to)
    made = emit("tensor_partition_reduce", to, [("data", clip.cut(data, box, data.shape))], f',"op0":"{names.alu(op)}"')
    return finish(made, whole, small, shape) if dst is None else None


@isa_call("segment_ids mask= dtype=", tensors="segment_ids")
def sequence_bounds(dst, segment_ids, mask, dtype):
    data = operand(segment_ids)
    shape = (data.shape[0], 2, views.product(data.shape[1:]))
    whole, to = result(dst, shape, dtype_of(dtype) if dtype is not None else data.dtype, None)
    written(to)
    made = emit("sequence_bounds", to, [("data", data)])
    return finish(made, whole, None, shape) if dst is None else None


@isa_call("src index_offset= padding_val=", tensors="src")
def nonzero_with_count(dst, src, index_offset, padding_val):
    written(dst)
    emit("nonzero_with_count", dst, [("data", operand(src))])


def topk(val_dst, idx_dst, src, n=None, **_):
    written(val_dst)
    written(idx_dst)
    emit("topk", val_dst, [("data", operand(src)), ("dst_index", idx_dst)])


def _shuffle(dst, src):
    dst, src = operators.settled(dst, "dst"), operand(src)
    written(dst)
    emit("nc_stream_shuffle", dst, [("data", src)])


def nc_stream_shuffle(*args, **keywords):
    """(dst, src, shuffle_mask)."""
    values = dict(zip(("dst", "src", "shuffle_mask"), args))
    values.update(keywords)
    _shuffle(values["dst"], values["src"])


def nc_stream_shuffle_first_generation(*args, **keywords):
    """(src, dst, shuffle_mask)."""
    values = dict(zip(("src", "dst", "shuffle_mask"), args))
    values.update(keywords)
    _shuffle(values["dst"], values["src"])


# Random numbers.


def rng(dst=None, **_):
    written(dst)
    emit("rng", dst, [])


def rand2(dst, *_, **__):
    written(dst)
    emit("rand2", dst, [])


def set_rng_seed(src=None, *_, **keywords):
    seed = keywords.get("seed", src)
    emit("set_rng_seed", None, [] if is_number(seed) or seed is None else [("data", operand(seed))])


def rand_set_state(src=None, *_, **__):
    emit("rand_set_state", None, [] if src is None else [("data", operand(src))])


def rand_get_state(dst=None, *_, **__):
    emit("rand_get_state", dst, [])


# Registers: their values are known only at run time.


class VirtualRegister:
    """A number in a register of an engine."""

    is_register = True

    def __init__(self, value=None):
        self.value = value

    def _other(self, *_):
        return VirtualRegister()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __mod__ = __neg__ = _other
    __and__ = __or__ = __lshift__ = __rshift__ = __lt__ = __le__ = __gt__ = __ge__ = _other

    def __bool__(self):
        """A loop `while register:` runs as often as the policy says; elsewhere a register only says that it is there."""
        caller = sys._getframe(1)
        if not linecache.getline(caller.f_code.co_filename, caller.f_lineno).lstrip().startswith("while"):
            return True
        return recorder.active().another_trip((caller.f_code.co_filename, caller.f_lineno))

    def __repr__(self):
        return "register"


def register_alloc(x=None, **_):
    if isinstance(x, NkiTensor):
        register = VirtualRegister()
        register_load(register, x)
        return register
    return VirtualRegister(x)


def register_move(dst, src, **_):
    dst.value = getattr(src, "value", src)
    emit("register_move", None, [])


def register_load(dst, src, **_):
    emit("register_load", None, [("data", src)])


def register_store(dst, src, **_):
    emit("register_store", dst, [])


def core_barrier(data=None, cores=None, engine=None, **_):
    attrs = ""
    if cores is not None:
        cores = list(cores) if not isinstance(cores, int) else list(range(cores))
        attrs = ',"cores":[' + ",".join(str(int(c)) for c in cores) + "]"
    shared = isinstance(data, NkiTensor) and data.storage.kind == "hbm"  # what lies on chip only its own core sees
    emit("core_barrier", None, [("data", data)] if shared else [], attrs, engine_name(engine))


def builtin_custom_op(function_name=None, lib_file_name=None, srcs=(), dsts=(), **_):
    dsts = list(dsts)
    operands = [("data" if i == 0 else f"data{i + 1}", operand(s)) for i, s in enumerate(srcs)]
    operands += [(f"dst{i}", t) for i, t in enumerate(dsts[1:], 2)]
    emit("builtin_custom_op", dsts[0] if dsts else None, operands)

