# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Names from private modules that public kernels import."""

import types

from .errors import UnsupportedError
from .isa import dma, gpsimd
from .language import loops


def cc_div(a, b):
    """Quotient, rounded up."""
    return -(-int(a) // int(b))


def _sendrecv(*args, **keywords):
    return dma.sendrecv(*args, **keywords)


def names():
    return {"cc_div": cc_div, "div_ceil": cc_div, "do_while": loops.do_while, "core_barrier": gpsimd.core_barrier,
            "sendrecv": _sendrecv}


class PrivateKernels(types.ModuleType):
    """Prebuilt kernels of the compiler, whose source is not public."""

    def __init__(self, name):
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self.__name__}.{name}"

        def missing(*_, **__):
            raise UnsupportedError(f"{full} is a prebuilt kernel of the compiler without public source")

        missing.__name__ = name
        return missing


class TileIndex:
    """An index object of the compiler's own."""

    def __init__(self, *_, **__):
        raise UnsupportedError("TileIndex of the compiler's indexing module is not supported by the recorder")
