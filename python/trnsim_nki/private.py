# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Names from private modules that public kernels import."""

import importlib.abc
import importlib.machinery
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
            raise UnsupportedError(f"{full} is private to the compiler and has no public source")

        missing.__name__ = name
        return missing


class PrivateFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules below neuronxcc and nki that the recorder does not have: importable, an error when used."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("neuronxcc", "nki"):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return PrivateKernels(spec.name)

    def exec_module(self, module):
        pass


class TileIndex:
    """An index object of the compiler's own."""

    def __init__(self, *_, **__):
        raise UnsupportedError("TileIndex of the compiler's indexing module is not supported by the recorder")
