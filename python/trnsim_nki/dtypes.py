# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Element types as kernels use them: hashed, compared with numpy types and names, given to numpy."""

import numpy as np


class DType:
    """One element type. `trace` is its name in a trace, `numpy` a numpy type of the same width."""

    __slots__ = ("name", "trace", "itemsize", "kind", "numpy", "dtype")

    def __init__(self, name, trace, itemsize, kind, numpy_type=None):
        self.name = name
        self.trace = trace
        self.itemsize = itemsize
        self.kind = kind  # "float", "int", "bool"
        if numpy_type is None:
            stand_in = {1: np.uint8, 2: np.float16, 4: np.float32, 8: np.int64}[itemsize]
            self.dtype = np.dtype(stand_in, metadata={"nki": name})
            self.numpy = None
        else:
            self.dtype = np.dtype(numpy_type)
            self.numpy = numpy_type
        _BY_NAME[name] = self

    def __repr__(self):
        return "nki.language." + self.name

    def __str__(self):
        return self.name

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return self is other or dtype_or_none(other) is self

    def __ne__(self, other):
        return not self == other

    def __call__(self, value=0):
        return self.dtype.type(value)

    @property
    def __name__(self):
        return self.name

    @property
    def min(self):
        return finfo(self).min

    @property
    def max(self):
        return finfo(self).max


_BY_NAME = {}

float32 = DType("float32", "fp32", 4, "float", np.float32)
tfloat32 = DType("tfloat32", "tf32", 4, "float")
bfloat16 = DType("bfloat16", "bf16", 2, "float")
float16 = DType("float16", "fp16", 2, "float", np.float16)
float8_e4m3 = DType("float8_e4m3", "fp8_e4m3", 1, "float")
float8_e4m3fn = DType("float8_e4m3fn", "fp8_e4m3", 1, "float")
float8_e3m4 = DType("float8_e3m4", "fp8_e4m3", 1, "float")
float8_e5m2 = DType("float8_e5m2", "fp8_e5m2", 1, "float")
float8_e8m0fnu = DType("float8_e8m0fnu", "uint8", 1, "int")
float8_e4m3fn_x4 = DType("float8_e4m3fn_x4", "mxfp8", 4, "float")
float8_e5m2_x4 = DType("float8_e5m2_x4", "mxfp8", 4, "float")
float4_e2m1fn_x4 = DType("float4_e2m1fn_x4", "mxfp4", 2, "float")
int32 = DType("int32", "int32", 4, "int", np.int32)
uint32 = DType("uint32", "uint32", 4, "int", np.uint32)
int16 = DType("int16", "int16", 2, "int", np.int16)
uint16 = DType("uint16", "uint16", 2, "int", np.uint16)
int8 = DType("int8", "int8", 1, "int", np.int8)
uint8 = DType("uint8", "uint8", 1, "int", np.uint8)
bool_ = DType("bool", "uint8", 1, "bool", np.bool_)

# Types without a hardware form, which host arrays have: the compiler narrows them to 32 bits.
_NARROWED = {"int64": int32, "uint64": uint32, "float64": float32}

_ALIASES = {
    "bf16": bfloat16, "fp16": float16, "f16": float16, "fp32": float32, "f32": float32,
    "tf32": tfloat32, "i32": int32, "u32": uint32, "i16": int16, "u16": uint16, "i8": int8,
    "u8": uint8, "float8e4": float8_e4m3, "float8e5": float8_e5m2, "fp8": float8_e4m3,
    "fp8_e4m3": float8_e4m3, "fp8_e5m2": float8_e5m2, "fp8e4": float8_e4m3, "fp8e5": float8_e5m2,
    "mxfp8": float8_e4m3fn_x4, "mxfp4": float4_e2m1fn_x4, "bool_": bool_, "half": float16,
    "float": float32, "int": int32, "float8_e4m3_x4": float8_e4m3fn_x4,
}

_BY_NUMPY_TYPE = {d.numpy: d for d in _BY_NAME.values() if d.numpy is not None}
_BY_NUMPY_TYPE.update({float: float32, int: int32, bool: bool_, np.int64: int32, np.uint64: uint32,
                       np.float64: float32})


def names():
    """Names of all element types."""
    return sorted(_BY_NAME)


def dtype_or_none(value):
    """The element type that `value` names or is, or None."""
    if isinstance(value, DType):
        return value
    if isinstance(value, type):
        known = _BY_NUMPY_TYPE.get(value)
        if known is not None:
            return known
        return _BY_NAME.get(getattr(value, "__name__", ""))
    if isinstance(value, np.dtype):
        if value.metadata and "nki" in value.metadata:
            return _BY_NAME.get(value.metadata["nki"])
        return _by_text(value.name)
    if isinstance(value, str):
        return _by_text(value)
    inner = getattr(value, "dtype", None)
    if inner is not None and inner is not value and not callable(inner):
        return dtype_or_none(inner)
    name = getattr(value, "__name__", None) or getattr(value, "name", None)
    return _by_text(name) if isinstance(name, str) else None


def _by_text(text):
    name = text.rsplit(".", 1)[-1]
    return _BY_NAME.get(name) or _ALIASES.get(name) or _NARROWED.get(name)


def dtype_of(value):
    """The element type that `value` names or is; an error when there is none."""
    found = dtype_or_none(value)
    if found is None:
        raise TypeError(f"{value!r} is no element type; known: {', '.join(names())}")
    return found


def sizeinbytes(value):
    return dtype_of(value).itemsize


class _Limits:
    """Smallest and largest number of a type, as numpy's finfo and iinfo say them."""

    def __init__(self, low, high, eps=0.0):
        self.min, self.max, self.eps = low, high, eps


def finfo(value):
    kind = dtype_of(value)
    special = {"bfloat16": (3.3895313892515355e38, 2.0 ** -7), "tfloat32": (3.4e38, 2.0 ** -10),
               "float8_e4m3": (240.0, 0.125), "float8_e4m3fn": (448.0, 0.125),
               "float8_e3m4": (15.5, 0.0625), "float8_e5m2": (57344.0, 0.25)}
    if kind.name in special:
        top, eps = special[kind.name]
        return _Limits(-top, top, eps)
    if kind.kind == "float" and kind.numpy is not None:
        info = np.finfo(kind.numpy)
        return _Limits(float(info.min), float(info.max), float(info.eps))
    info = np.iinfo(kind.dtype)
    return _Limits(int(info.min), int(info.max))


def promoted(a, b):
    """Type of an operation on tiles of the types `a` and `b` (rules of the first generation)."""
    if a is b:
        return a
    if a.kind == "float" or b.kind == "float":
        if a.kind != "float":
            return b
        if b.kind != "float":
            return a
        if a.itemsize != b.itemsize:
            return a if a.itemsize > b.itemsize else b
        if {a.name, b.name} == {"float16", "bfloat16"}:
            return float32
        if a.itemsize == 1:
            return bfloat16
        return float32
    if a.itemsize != b.itemsize:
        return a if a.itemsize > b.itemsize else b
    return float32 if a.itemsize == 4 else a


def with_number(tile, number):
    """Type of an operation on a tile and a Python number."""
    if tile.kind != "float" and isinstance(number, (float, np.floating)):
        return float32
    return tile
