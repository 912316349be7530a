# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Names of operations: what kernels pass as `op=` and what a trace calls it."""

from .errors import UnsupportedError

# Operations of the Vector engine, by the name in nki.language (or numpy).
ALU = {
    "bypass": "bypass", "copy": "bypass", "add": "add", "sum": "add", "subtract": "subtract",
    "multiply": "multiply", "prod": "multiply", "divide": "divide", "true_divide": "divide",
    "maximum": "max", "max": "max", "amax": "max", "minimum": "min", "min": "min", "amin": "min",
    "abs": "abs", "absolute": "abs", "abs_max": "abs_max", "abs_min": "abs_min", "power": "power",
    "pow": "power", "rsqrt": "rsqrt", "logical_and": "and", "logical_or": "or", "logical_xor": "xor",
    "logical_not": "not", "greater_equal": "is_ge", "less_equal": "is_le", "greater": "is_gt",
    "less": "is_lt", "equal": "is_equal", "not_equal": "not_equal", "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor", "bitwise_not": "bitwise_not",
    "invert": "bitwise_not", "left_shift": "left_shift", "right_shift": "right_shift", "mod": "mod",
    "fmod": "mod", "remainder": "mod", "average": "average", "floor": "floor", "ceil": "ceil",
    "trunc": "trunc", "negative": "negative", "relu": "max", "all": "and", "any": "or",
}

# Functions of the Scalar engine.
ACTIVATIONS = frozenset((
    "copy", "identity", "relu", "square", "exp", "sqrt", "rsqrt", "log", "sigmoid", "tanh", "silu", "gelu",
    "gelu_dx", "gelu_apprx_tanh", "gelu_apprx_sigmoid", "gelu_apprx_sigmoid_dx", "silu_dx", "softplus", "mish",
    "erf", "erf_dx", "sin", "cos", "tan", "arctan", "sign", "abs", "reciprocal", "prelu", "gelu_apprx_sigmoid_dx"))

_ACTIVATION_NAMES = {"absolute": "abs", "bypass": "copy", "negative": "copy"}

COMPARISONS = frozenset(("is_ge", "is_le", "is_gt", "is_lt", "is_equal", "not_equal", "and", "or", "xor", "not"))
COMMUTE = frozenset(("add", "multiply", "max", "min", "and", "or", "xor", "is_equal", "not_equal", "bitwise_and",
                     "bitwise_or", "bitwise_xor", "abs_max", "abs_min"))

_CACHE = {}


def name_of(op):
    """The name in nki.language of an operation given as one of its objects, a numpy function, or a text."""
    if op is None:
        return "bypass"
    name = getattr(op, "op_name", None)
    if name is None:
        name = op if isinstance(op, str) else getattr(op, "__name__", None) or getattr(op, "name", None)
    if name is None:
        raise UnsupportedError(f"operation {op!r}")
    return name.rsplit(".", 1)[-1]


def alu(op):
    """Name in a trace of an operation of the Vector engine."""
    found = _CACHE.get(op)
    if found is None:
        name = name_of(op)
        found = ALU.get(name)
        if found is None:
            raise UnsupportedError(f"operation {name} on tiles; known: {', '.join(sorted(ALU))}")
        _CACHE[op] = found
    return found


def activation(op):
    """Name in a trace of a function of the Scalar engine."""
    name = name_of(op)
    name = _ACTIVATION_NAMES.get(name, name)
    if name not in ACTIVATIONS:
        raise UnsupportedError(f"activation function {name}; known: {', '.join(sorted(ACTIVATIONS))}")
    return name
