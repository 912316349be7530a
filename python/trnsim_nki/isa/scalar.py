# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Instructions of the Scalar engine: functions applied element by element."""

from .. import clip, names, operators, recorder
from ..dtypes import dtype_of
from ..operators import dropped, finish, is_number, operand, result, written
from ..recorder import emit
from .call import command, isa_call


def column(value, data, box):
    """A [P, 1] operand cut to the partitions a mask leaves; None for a number."""
    if value is None or is_number(value):
        return None
    t = operand(value)
    if t.shape[0] == 1 and data.shape[0] != 1:
        t = operators.spread(t, (data.shape[0],) + t.shape[1:])
    t = operators.first_column(t) if operators.per_partition(t) else t
    return operators._rows(t, box)


def with_result(dst, data, dtype, mask, op, operands, attrs, engine=None, shape=None, second=None):
    """Emits an elementwise instruction into `dst` or a new tile. `operands` get the box of a mask."""
    shape = shape or data.shape
    kind = dtype_of(dtype) if dtype is not None else (dst.dtype if dst is not None else data.dtype)
    streams = [data] + ([dst] if dst is not None and dst.shape == shape else [])
    box = clip.region(data.shape, mask, streams) if (mask is not None or data.over or data.mask is not None or (dst is not None and dst.over)) else None
    if box is clip.EMPTY:
        return dropped(dst, shape, kind)
    whole, to = result(dst, shape, kind, box if shape == data.shape else None)
    written(to)
    made = emit(op, to, operands(box) + (second or []), attrs, engine)
    return finish(made, whole, box if shape == data.shape else None, shape) if dst is None else None


def _activation(instruction, dst, op, data, bias, scale, reduce_op, reduce_res, reduce_cmd, mask, dtype):
    data = operand(data)
    cmd = command(reduce_cmd)
    attrs = f',"function":"{names.activation(op)}"'
    if reduce_res is not None:
        attrs += ',"reduce":true'
        written(reduce_res)
        reduce_res.fresh = None
    elif cmd not in (None, "idle"):
        recorder.approximate(f"{instruction}: reduce_cmd without reduce_res is a plain activation")

    def operands(box):
        out = [("data", clip.cut(data, box, data.shape))]
        for role, value in (("bias", bias), ("scale", scale)):
            c = column(value, data, box)
            if c is not None:
                out.append((role, c))
        if reduce_res is not None:
            out.append(("reduce_res", operators._rows(reduce_res, box)))
        return out

    return with_result(dst, data, dtype, mask, instruction, operands, attrs)


@isa_call("op data bias= scale= reduce_op= reduce_res= reduce_cmd= mask= dtype=", tensors="data")
def activation(dst, op, data, bias, scale, reduce_op, reduce_res, reduce_cmd, mask, dtype):
    return _activation("activation", dst, op, data, bias, scale, reduce_op, reduce_res, reduce_cmd, mask, dtype)


@isa_call("op data reduce_op= reduce_res= bias= scale= mask= dtype=", tensors="data")
def activation_reduce(dst, op, data, reduce_op, reduce_res, bias, scale, mask, dtype):
    return _activation("activation_reduce", dst, op, data, bias, scale, reduce_op, reduce_res, None, mask, dtype)


@isa_call("op data imm0= imm1= op0= op1= relu_param= reverse0= reverse1= reduce_op= reduce_res= reduce_cmd=", tensors="data")
def activate2(dst, op, data, imm0, imm1, op0, op1, relu_param, reverse0, reverse1, reduce_op, reduce_res, reduce_cmd):
    recorder.needs(4, "activate2")
    return _activation("activate2", dst, op, data, imm0, imm1, reduce_op, reduce_res, reduce_cmd, None, None)
