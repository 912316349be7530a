# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Elementwise operations on tiles and numbers: which instruction they become."""

import math
import numbers

import numpy as np

from . import clip, destination, memory, names, recorder, views
from .dtypes import bool_, dtype_of, promoted, with_number
from .errors import LimitError, UnsupportedError
from .index import Index, Mask
from .lower import broadcast, copies
from .recorder import DROPPED, emit
from .tensor import NkiTensor, settled


def is_number(x):
    return isinstance(x, (int, float, bool, np.number, np.bool_, numbers.Number)) or \
        (isinstance(x, np.ndarray) and x.size == 1)


def operand(x):
    """A tile that an instruction can read."""
    if isinstance(x, NkiTensor):
        x = settled(x, "operand")
        if x.storage.kind == "hbm":
            raise LimitError("an operand is in hbm; allowed: sbuf, psum")
        if x.storage.lazy is not None:
            destination.before_read(x)
        return x
    if isinstance(x, (Index, Mask)):
        from .isa.gpsimd import materialised
        return materialised(x)
    raise UnsupportedError(f"operand {type(x).__name__}")


def result(dst, shape, dtype, box):
    """Place of a result: `dst` as far as a mask leaves it, or a new tile. Returns (whole, written part)."""
    whole = dst if dst is not None else memory.fresh(shape, dtype)
    if box is not None and box is not clip.EMPTY:
        return whole, clip.cut(whole, box, shape)
    return whole, whole


def written(view):
    """Notes that an instruction other than a matmul writes a tile."""
    storage = view.storage
    if storage.lazy is not None:
        destination.fill_before(view)
    if storage.kind == "psum":
        destination.note_written(view)


def finish(made, whole, box, shape):
    """Ties a new tile to the instruction that makes it."""
    whole.fresh = made
    if box is not None:
        made.region, made.shape = box, shape
    return whole


def per_partition(t):
    """[P, 1]: one value per partition, also when a stride of zero repeats it."""
    for n, stride in zip(t.shape[1:], t.strides[1:]):
        if n != 1 and stride != 0:
            return False
    return True


def first_column(t):
    return views.derived(t, t.shape[:1] + (1,), t.strides[:1] + (1,))


def broadcast_shape(a, b):
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        raise LimitError(f"shapes {list(a)} and {list(b)} do not broadcast") from None


def spread(t, shape):
    """`t` broadcast to `shape` on chip: free dims cost nothing, partitions an instruction."""
    t = settled(t, "operand")
    if len(shape) < len(t.shape):
        raise LimitError(f"broadcast of {list(t.shape)} to {list(shape)}")
    if t.shape[0] == 1 and shape[0] != 1 and len(shape) == len(t.shape):
        destination.before_read(t)
        t = broadcast.over_partitions(t, shape[0])
    return views.broadcast(t, shape)


_PYTHON = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b, "max": max, "min": min, "power": lambda a, b: a ** b, "mod": lambda a, b: a % b,
    "is_ge": lambda a, b: a >= b, "is_le": lambda a, b: a <= b, "is_gt": lambda a, b: a > b,
    "is_lt": lambda a, b: a < b, "is_equal": lambda a, b: a == b, "not_equal": lambda a, b: a != b,
    "and": lambda a, b: bool(a) and bool(b), "or": lambda a, b: bool(a) or bool(b),
    "bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b, "bitwise_xor": lambda a, b: a ^ b,
    "left_shift": lambda a, b: a << b, "right_shift": lambda a, b: a >> b, "abs_max": lambda a, b: max(abs(a), abs(b)),
}


def binary(op, x, y, dst=None, dtype=None, mask=None, engine=None):
    """x op y."""
    alu = names.alu(op)
    if is_number(x) and is_number(y):
        return _PYTHON[alu](x, y)
    if is_number(y):
        return _with_number(alu, operand(x), y, dst, dtype, mask, engine)
    if is_number(x):
        return _with_number(alu, operand(y), x, dst, dtype, mask, engine)
    x, y = operand(x), operand(y)
    shape = broadcast_shape(x.shape, y.shape) if x.shape != y.shape else x.shape
    if x.shape[0] != y.shape[0] and len(x.shape) == len(y.shape):
        if x.shape[0] == 1:
            x = broadcast.over_partitions(x, y.shape[0])
        else:
            y = broadcast.over_partitions(y, x.shape[0])
    kind = dtype_of(dtype) if dtype is not None else (dst.dtype if dst is not None else _result_dtype(alu, promoted(x.dtype, y.dtype)))
    box = clip.region(shape, mask, [x, y] if dst is None else [x, y, dst])
    if box is clip.EMPTY:
        return dropped(dst, shape, kind)
    columns = views.product(shape[1:])
    whole, to = result(dst, shape, kind, box)
    if columns > 1 and per_partition(y) and not per_partition(x):
        made = _tensor_scalar(alu, to, clip.cut(spread(x, shape), box, shape), first_column(_rows(y, box)), engine)
    elif columns > 1 and per_partition(x) and not per_partition(y):
        made = _tensor_scalar(alu, to, clip.cut(spread(y, shape), box, shape), first_column(_rows(x, box)), engine)
    else:
        x, y = (t if t.shape == shape else views.broadcast(t, shape) for t in (x, y))
        made = tensor_tensor(alu, to, clip.cut(x, box, shape), clip.cut(y, box, shape), engine)
    if dst is None:
        return finish(made, whole, box, shape)
    return dst


def _rows(t, box):
    """The partitions of a [P, 1] operand that a mask leaves."""
    return t if box is None else clip.cut(t, box[:1] + [(0, n) for n in t.shape[1:]], t.shape)


def dropped(dst, shape, dtype):
    """Result of an instruction that a mask leaves nothing of."""
    if dst is not None:
        return dst
    tile = memory.fresh(shape, dtype)
    tile.fresh = DROPPED
    return tile


def _result_dtype(alu, dtype):
    return bool_ if alu in names.COMPARISONS else dtype


def _with_number(alu, x, number, dst, dtype, mask, engine):
    kind = dtype_of(dtype) if dtype is not None else (dst.dtype if dst is not None else _result_dtype(alu, with_number(x.dtype, number)))
    box = clip.region(x.shape, mask, [x] if dst is None else [x, dst])
    if box is clip.EMPTY:
        return dropped(dst, x.shape, kind)
    whole, to = result(dst, x.shape, kind, box)
    made = _tensor_scalar(alu, to, clip.cut(x, box, x.shape), None, engine)
    if dst is None:
        return finish(made, whole, box, x.shape)
    return dst


def _tensor_scalar(alu, dst, data, scalar, engine):
    written(dst)
    if engine is None and alu == "power":
        engine = "gpsimd" if dst.storage.kind == data.storage.kind == "sbuf" else None
    operands = [("data", data)] if scalar is None else [("data", data), ("operand0", scalar)]
    return emit("tensor_scalar", dst, operands, f',"op0":"{alu}"', engine)


_WIDE_INTEGERS = ("int32", "uint32")


def tensor_tensor(alu, dst, x, y, engine=None):
    written(dst)
    in_psum = "psum" in (dst.storage.kind, x.storage.kind, y.storage.kind)
    if engine is None and not in_psum:
        wide = alu in ("add", "subtract", "multiply") and all(t.dtype.name in _WIDE_INTEGERS for t in (dst, x, y))
        if alu == "power" or wide:
            engine = "gpsimd"
    if x.storage.kind == "psum" and y.storage.kind == "psum":
        x, y = _one_in_psum(x, y)
    return emit("tensor_tensor", dst, [("data", x), ("data2", y)], f',"op0":"{alu}"', engine)


def _one_in_psum(x, y):
    """Only one input of a Vector instruction may be in PSUM: the other is copied to SBUF."""
    recorder.approximate("a second operand in psum is copied to sbuf")
    staged = memory.fresh(y.shape, y.dtype)
    copies.tile_copy(staged, y)
    return x, staged


_PLAIN = {"exp": math.exp, "log": math.log, "sqrt": math.sqrt, "rsqrt": lambda v: 1 / math.sqrt(v), "abs": abs,
          "square": lambda v: v * v, "negative": lambda v: -v, "tanh": math.tanh, "sin": math.sin, "cos": math.cos,
          "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "reciprocal": lambda v: 1 / v,
          "relu": lambda v: max(v, 0), "sigmoid": lambda v: 1 / (1 + math.exp(-v)), "copy": lambda v: v,
          "logical_not": lambda v: not v, "invert": lambda v: ~v}

_ON_VECTOR = {"abs": "abs", "negative": "multiply", "ceil": "ceil", "floor": "floor", "trunc": "trunc",
              "invert": "bitwise_not", "bitwise_not": "bitwise_not", "logical_not": "not"}


def unary(name, x, dst=None, dtype=None, mask=None, **_):
    """A function of one tile."""
    if is_number(x):
        return _PLAIN[name](x)
    x = operand(x)
    kind = dtype_of(dtype) if dtype is not None else (dst.dtype if dst is not None else _unary_dtype(name, x.dtype))
    box = clip.region(x.shape, mask, [x] if dst is None else [x, dst])
    if box is clip.EMPTY:
        return dropped(dst, x.shape, kind)
    whole, to = result(dst, x.shape, kind, box)
    data = clip.cut(x, box, x.shape)
    written(to)
    if name == "copy":
        made = copies.tile_copy(to, data)
    elif name == "reciprocal":
        made = emit("reciprocal", to, [("data", data)])
    elif name in _ON_VECTOR:
        made = emit("tensor_scalar", to, [("data", data)], f',"op0":"{_ON_VECTOR[name]}"')
    elif name == "rsqrt" and recorder.active().policy.rsqrt_engine == "gpsimd":
        made = emit("tensor_scalar", to, [("data", data)], ',"op0":"power"', "gpsimd")
    else:
        made = emit("activation", to, [("data", data)], f',"function":"{names.activation(name)}"')
    if dst is None:
        return finish(made, whole, box, x.shape)
    return dst


def _unary_dtype(name, dtype):
    if name == "logical_not":
        return bool_
    return dtype


def copy(x, dst=None, dtype=None, mask=None, **_):
    return unary("copy", x, dst, dtype, mask)


# Python operators of tiles.


def _install():
    table = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "mod": "mod", "pow": "power",
             "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift"}
    for python, op in table.items():
        setattr(NkiTensor, f"__{python}__", lambda a, b, op=op: binary(op, a, b))
        setattr(NkiTensor, f"__r{python}__", lambda a, b, op=op: binary(op, b, a))
        setattr(NkiTensor, f"__i{python}__", lambda a, b, op=op: destination.accumulate(a, b, op))
    NkiTensor.__floordiv__ = lambda a, b: unary("floor", binary("divide", a, b))
    for python, op in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}.items():
        setattr(NkiTensor, f"__{python}__", lambda a, b, op=op: binary(op, a, b))
    for python, op, other in (("eq", "equal", False), ("ne", "not_equal", True)):
        def compare(a, b, op=op, other=other):
            if isinstance(b, NkiTensor) or is_number(b):
                if a.storage.kind == "hbm":
                    return (a is b) != other
                return binary(op, a, b)
            return other
        setattr(NkiTensor, f"__{python}__", compare)
    NkiTensor.__hash__ = lambda a: id(a)
    NkiTensor.__neg__ = lambda a: unary("negative", a)
    NkiTensor.__abs__ = lambda a: unary("abs", a)
    NkiTensor.__invert__ = lambda a: unary("invert", a)


_install()
