# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Instructions of the Vector engine that work element by element."""

from .. import clip, destination, memory, names, operators, recorder, views
from ..dtypes import dtype_of, float32, promoted
from ..errors import LimitError
from ..lower import copies
from ..operators import dropped, finish, is_number, operand, result, written
from ..recorder import emit
from ..tensor import NkiTensor
from .call import engine_name, isa_call
from .scalar import column, with_result


def fill_tile(tile, value, engine=None):
    """memset."""
    if engine is None and recorder.active().policy.memset_engine == "gpsimd" and tile.storage.kind == "sbuf":
        engine = "gpsimd"
    written(tile)
    return emit("memset", tile, [], "", engine)


@isa_call("value dtype= engine= mask=")
def _memset(dst, value, dtype, engine, mask):
    box = clip.region(dst.shape, mask, [dst])
    if box is not clip.EMPTY:
        fill_tile(clip.cut(dst, box, dst.shape), value, engine_name(engine))


def memset(*args, **keywords):
    """memset(dst, value) or, with a returned tile, memset(shape, value, dtype)."""
    first = args[0] if args else keywords.get("dst", keywords.get("shape"))
    if isinstance(first, NkiTensor):
        return _memset(*args, **keywords)
    keywords.update(zip(("shape", "value", "dtype"), args))
    tile = memory.fresh(tuple(int(n) for n in keywords["shape"]), dtype_of(keywords["dtype"]))
    mask = keywords.get("mask")
    box = clip.region(tile.shape, mask, [])
    if box is clip.EMPTY:
        return dropped(None, tile.shape, tile.dtype)
    made = fill_tile(clip.cut(tile, box, tile.shape), keywords["value"], engine_name(keywords.get("engine")))
    return finish(made, tile, box, tile.shape)


@isa_call("src engine= mask= dtype=", tensors="src")
def tensor_copy(dst, src, engine, mask, dtype):
    src = operand(src)
    engine = engine_name(engine)
    if dst is not None and dst.storage.kind == "hbm":
        raise LimitError("tensor_copy: dst is in hbm; allowed: sbuf, psum")
    attrs = ""
    if dst is None:
        shape, kind = src.shape, dtype_of(dtype) if dtype is not None else src.dtype
        box = clip.region(shape, mask, [src])
        if box is clip.EMPTY:
            return dropped(None, shape, kind)
        whole, to = result(None, shape, kind, box)
        made = emit("tensor_copy", to, [("data", clip.cut(src, box, shape))], attrs, engine or copies.copy_engine(to, src))
        return finish(made, whole, box, shape)
    if mask is not None or src.over or dst.over:
        box = clip.region(src.shape, mask, [src, dst] if dst.shape == src.shape else [src])
        if box is clip.EMPTY:
            return None
        src, dst = clip.cut(src, box, src.shape), clip.cut(dst, box, dst.shape)
    written(dst)
    emit("tensor_copy", dst, [("data", src)], attrs, engine or copies.copy_engine(dst, src))
    return None


@isa_call("src mask= dtype= engine=", tensors="src")
def tensor_copy_dynamic_src(dst, src, mask, dtype, engine):
    return tensor_copy(dst=dst, src=src, mask=mask, dtype=dtype, engine=engine)


def tensor_copy_dynamic_dst(dst, src, mask=None, dtype=None, engine=None, **_):
    return tensor_copy(dst=dst, src=src, mask=mask, engine=engine)


@isa_call("src predicate reverse_pred= mask= dtype=", tensors="predicate")
def tensor_copy_predicated(dst, src, predicate, reverse_pred, mask, dtype):
    predicate = operand(predicate)
    box = clip.region(predicate.shape, mask, [predicate])
    if box is clip.EMPTY:
        return
    destination.before_read(dst)
    to = clip.cut(dst, box, predicate.shape)
    data = to if is_number(src) else clip.cut(operand(src), box, predicate.shape)
    if data.shape != to.shape and operators.per_partition(data):
        data = operators.spread(data, to.shape)
    written(to)
    emit("tensor_copy_predicated", to, [("data", data), ("data2", clip.cut(predicate, box, predicate.shape))])


@isa_call("data1 data2 op engine= mask= dtype=", tensors="data1 data2")
def tensor_tensor(dst, data1, data2, op, engine, mask, dtype):
    x, y = operand(data1), operand(data2)
    alu = names.alu(op)
    shape = x.shape
    if x.shape != y.shape and x.size != y.size:
        shape = operators.broadcast_shape(x.shape, y.shape)
        x, y = operators.spread(x, shape), operators.spread(y, shape)
    kind = dtype_of(dtype) if dtype is not None else (dst.dtype if dst is not None else promoted(x.dtype, y.dtype))
    box = None
    if mask is not None or x.over or y.over or (dst is not None and dst.over):
        box = clip.region(shape, mask, [x, y] + ([dst] if dst is not None and dst.shape == shape else []))
        if box is clip.EMPTY:
            return dropped(dst, shape, kind)
    whole, to = result(dst, shape, kind, box)
    made = operators.tensor_tensor(alu, to, clip.cut(x, box, shape), clip.cut(y, box, shape), engine_name(engine))
    return finish(made, whole, box, shape) if dst is None else None


def _alus(*ops):
    text = ""
    for key, op in zip(("op0", "op1"), ops):
        if op is not None:
            text += f',"{key}":"{names.alu(op)}"'
    return text


@isa_call("data op0 operand0 reverse0= op1= operand1= reverse1= engine= mask= dtype=", tensors="data")
def tensor_scalar(dst, data, op0, operand0, reverse0, op1, operand1, reverse1, engine, mask, dtype):
    data = operand(data)

    def operands(box):
        out = [("data", clip.cut(data, box, data.shape))]
        for role, value in (("operand0", operand0), ("operand1", operand1)):
            c = column(value, data, box)
            if c is not None:
                out.append((role, c))
        return out

    engine = engine_name(engine)
    if engine is None and names.alu(op0) == "power" and data.storage.kind == "sbuf" and (dst is None or dst.storage.kind == "sbuf"):
        engine = "gpsimd"
    return with_result(dst, data, dtype, mask, "tensor_scalar", operands, _alus(op0, op1), engine)


@isa_call("data op0 operand0 op1 operand1 reverse0= reverse1= mask= dtype=", tensors="data operand1")
def scalar_tensor_tensor(dst, data, op0, operand0, op1, operand1, reverse0, reverse1, mask, dtype):
    data, other = operand(data), operand(operand1)
    if other.size != data.size:
        other = operators.spread(other, data.shape)

    def operands(box):
        out = [("data", clip.cut(data, box, data.shape)), ("data2", clip.cut(other, box, data.shape))]
        c = column(operand0, data, box)
        return out + ([("operand0", c)] if c is not None else [])

    return with_result(dst, data, dtype, mask, "scalar_tensor_tensor", operands, _alus(op0, op1))


@isa_call("data0 data1 initial op0 op1 reverse0= reverse1= mask= dtype=", tensors="data0 data1")
def tensor_tensor_scan(dst, data0, data1, initial, op0, op1, reverse0, reverse1, mask, dtype):
    x, y = operand(data0), operand(data1)
    shape = x.shape if x.size >= y.size else y.shape
    x, y = (t if t.size == views.product(shape) else operators.spread(t, shape) for t in (x, y))
    source = None if is_number(initial) else operators.first_column(operand(initial))

    def operands(box):
        out = [("data", clip.cut(x, box, shape)), ("data2", clip.cut(y, box, shape))]
        if source is not None:
            out.append(("operand0", operators._rows(source, box)))
        return out

    return with_result(dst, x, dtype if dtype is not None or dst is not None else promoted(x.dtype, y.dtype), mask,
                       "tensor_tensor_scan", operands, _alus(op0, op1))


@isa_call("data op0 operand0 reduce_op reduce_res reverse0= reduce_cmd= reduce_init= reduce_res_negate= mask= dtype=", tensors="data")
def tensor_scalar_reduce(dst, data, op0, operand0, reduce_op, reduce_res, reverse0, reduce_cmd, reduce_init,
                         reduce_res_negate, mask, dtype):
    data = operand(data)
    written(reduce_res)
    reduce_res.fresh = None

    def operands(box):
        out = [("data", clip.cut(data, box, data.shape))]
        c = column(operand0, data, box)
        if c is not None:
            out.append(("operand0", c))
        return out + [("reduce_res", operators._rows(reduce_res, box))]

    return with_result(dst, data, dtype, mask, "tensor_scalar_reduce", operands, _alus(op0))


@isa_call("src op0 op1 imm0= imm1= reduce_cmd=", tensors="src")
def tensor_scalar_cumulative(dst, src, op0, op1, imm0, imm1, reduce_cmd):
    data = operand(src)

    def operands(box):
        out = [("data", data)]
        for role, value in (("operand0", imm0), ("operand1", imm1)):
            c = column(value, data, box)
            if c is not None:
                out.append((role, c))
        return out

    return with_result(dst, data, None, None, "tensor_scalar_cumulative", operands, _alus(op0, op1))


@isa_call("data mask= dtype=", tensors="data")
def reciprocal(dst, data, mask, dtype):
    data = operand(data)
    return with_result(dst, data, dtype, mask, "reciprocal", lambda box: [("data", clip.cut(data, box, data.shape))], "")


@isa_call("src max_value= reduce_res= reduce_cmd= reduce_init=", tensors="src")
def exponential(dst, src, max_value, reduce_res, reduce_cmd, reduce_init):
    recorder.needs(4, "exponential")
    data = operand(src)

    def operands(box):
        out = [("data", data)]
        c = column(max_value, data, box)
        if c is not None:
            out.append(("operand0", c))
        return out + ([("reduce_res", reduce_res)] if reduce_res is not None else [])

    return with_result(dst, data, None, None, "exponential", operands, "")


@isa_call("data prob mask= dtype=", tensors="data")
def dropout(dst, data, prob, mask, dtype):
    data = operand(data)

    def operands(box):
        c = column(prob, data, box)
        return [("data", clip.cut(data, box, data.shape))] + ([("operand0", c)] if c is not None else [])

    return with_result(dst, data, dtype, mask, "dropout", operands, "")


@isa_call("on_true_tile comp_op0 comp_op1 bound0 bound1 reduce_cmd= reduce_res= reduce_op= range_start= on_false_value= mask= dtype=",
          tensors="on_true_tile")
def range_select(dst, on_true_tile, comp_op0, comp_op1, bound0, bound1, reduce_cmd, reduce_res, reduce_op, range_start,
                 on_false_value, mask, dtype):
    recorder.needs(3, "range_select")
    data = operand(on_true_tile)
    if reduce_res is not None:
        written(reduce_res)

    def operands(box):
        out = [("data", clip.cut(data, box, data.shape))]
        out += [(role, column(v, data, box)) for role, v in (("operand0", bound0), ("operand1", bound1))]
        return out + ([("reduce_res", operators._rows(reduce_res, box))] if reduce_res is not None else [])

    return with_result(dst, data, dtype, mask, "range_select", operands, _alus(comp_op0, comp_op1))


@isa_call("predicate on_true on_false reduce_res= reduce_cmd= reduce_op= reverse_pred= mask= dtype=", tensors="predicate")
def select_reduce(dst, predicate, on_true, on_false, reduce_res, reduce_cmd, reduce_op, reverse_pred, mask, dtype):
    predicate = operand(predicate)
    data = operand(on_true)
    other = None if is_number(on_false) else operand(on_false)

    def operands(box):
        out = [("data", clip.cut(data, box, data.shape)), ("data2", clip.cut(predicate, box, predicate.shape))]
        if other is not None:
            out.append(("operand0", operators._rows(other, box)))
        return out + ([("reduce_res", operators._rows(reduce_res, box))] if reduce_res is not None else [])

    return with_result(dst, data, dtype if dtype is not None else float32 if dst is None else None, mask, "select_reduce", operands, "")
