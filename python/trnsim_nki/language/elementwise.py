# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Functions on tiles that are also values: `nl.add(a, b)` and `op=nl.add`."""

from .. import operators
from ..lower import compound

BINARY = ("add subtract multiply divide maximum minimum abs_max abs_min power fmod mod equal not_equal less less_equal "
          "greater greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift "
          "right_shift").split()
UNARY = ("exp log sqrt rsqrt tanh sigmoid relu gelu gelu_dx gelu_apprx_tanh gelu_apprx_sigmoid gelu_apprx_sigmoid_dx "
         "silu silu_dx softplus mish erf erf_dx sin cos tan arctan square sign abs negative ceil floor trunc reciprocal "
         "copy invert bitwise_not logical_not").split()
REDUCTIONS = "sum max min prod all".split()
VALUES = "average prelu bypass identity".split()  # operations without a call form


class Operator:
    """An operation that can be called and passed as `op=`."""

    __slots__ = ("op_name", "__name__", "call")

    def __init__(self, name, call):
        self.op_name = self.__name__ = name
        self.call = call

    def __call__(self, *args, **keywords):
        return self.call(*args, **keywords)

    def __repr__(self):
        return "nki.language." + self.op_name

    def __hash__(self):
        return hash(self.op_name)

    def __eq__(self, other):
        return self is other or getattr(other, "op_name", None) == self.op_name


def _binary(name):
    def call(x, y, dtype=None, mask=None, **_):
        return operators.binary(name, x, y, None, dtype, mask)
    return call


def _unary(name):
    def call(x, dtype=None, mask=None, **_):
        return operators.unary(name, x, None, dtype, mask)
    return call


def _reduction(name):
    def call(x, axis, dtype=None, mask=None, keepdims=False, **_):
        return compound.reduce(name, x, axis, dtype, mask, keepdims)
    return call


def _no_call(name):
    def call(*_, **__):
        raise TypeError(f"nl.{name} is an operation to pass as op=; it cannot be called")
    return call


def operators_by_name():
    table = {}
    for names, make in ((UNARY, _unary), (BINARY, _binary), (REDUCTIONS, _reduction), (VALUES, _no_call)):
        for name in names:
            table[name] = Operator(name, make(name))
    return table
