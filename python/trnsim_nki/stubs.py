# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Stand-ins for packages that kernel files import beside nki, when they are not installed."""

import importlib.abc
import importlib.machinery
import sys
import types

from . import dtypes
from .errors import UnsupportedError
from .hosts import Spec

ROOTS = frozenset((
    "torch", "torch_xla", "torch_neuronx", "neuronx_distributed", "neuronx_distributed_inference", "jax", "jaxlib",
    "ml_dtypes", "neuron_dtypes", "scipy", "pytest", "loguru", "transformers", "libneuronxla", "matplotlib", "pandas",
    "tqdm", "nkilib_private", "test", "parameterized", "einops", "typing_extensions", "triton", "absl", "flax"))


class Stub:
    """Stands for anything: can be called, subclassed, used as a decorator; has no values."""

    def __init__(self, name="stub"):
        self.__name__ = self.__qualname__ = name

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Stub(f"{self.__name__}.{name}")

    def __call__(self, *args, **keywords):
        if len(args) == 1 and not keywords and isinstance(args[0], (types.FunctionType, type)):
            return args[0]
        return self

    def __mro_entries__(self, _bases):
        return ()

    def __getitem__(self, _key):
        return self

    def __or__(self, _other):
        return self

    __ror__ = __or__

    def __iter__(self):
        return iter(())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __repr__(self):
        return f"<stand-in for {self.__name__}>"

    def __int__(self):
        raise UnsupportedError(f"{self.__name__}: the package is not installed and its stand-in has no values")

    __float__ = __index__ = __int__


def _shape(args, keywords):
    shape = keywords.get("size", keywords.get("shape", args))
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    return tuple(n for n in shape if isinstance(n, int))


def _factory(default="float32"):
    def make(*args, dtype=None, **keywords):
        for a in args:
            if isinstance(a, dtypes.DType):
                dtype = dtype or a
        return Spec(_shape(args, keywords), dtype if dtype is not None else default)
    return make


def _random_integers(*args, dtype=None, size=None, **_):
    size = size or next((a for a in args if isinstance(a, (tuple, list))), ())
    return Spec(size, dtype if dtype is not None else "int32")


def _like(x, dtype=None, **_):
    return Spec(x.shape, dtype if dtype is not None else x.dtype)


def _tensor(data, dtype=None, **_):
    import numpy as np
    array = np.asarray(data)
    return Spec(array.shape, dtype if dtype is not None else dtypes.dtype_of(array.dtype))


def _array_module(name):
    members = {d: getattr(dtypes, "bool_" if d == "bool" else d) for d in dtypes.names()}
    members.update(float=dtypes.float32, half=dtypes.float16, int=dtypes.int32, long=dtypes.int32, int64=dtypes.int32,
                   float64=dtypes.float32, double=dtypes.float32)
    for factory in ("randn", "rand", "zeros", "ones", "empty", "full", "normal", "uniform"):
        members[factory] = _factory()
    members["full"] = lambda size, value=0, dtype=None, **_: Spec(size if isinstance(size, (tuple, list)) else (size,), dtype or "float32")
    members["arange"] = lambda *a, dtype=None, **_: Spec((len(range(*(int(v) for v in a if isinstance(v, int)))),), dtype or "int32")
    members["eye"] = lambda n, m=None, dtype=None, **_: Spec((n, m or n), dtype or "float32")
    members["randint"] = _random_integers
    for factory in ("zeros_like", "ones_like", "randn_like", "rand_like", "empty_like", "tril", "triu"):
        members[factory] = _like
    members.update(tensor=_tensor, as_tensor=_tensor, from_numpy=_tensor, array=_tensor, asarray=_tensor, Tensor=Spec)
    return members


class StubModule(types.ModuleType):
    def __init__(self, name):
        super().__init__(name)
        self.__path__ = []
        if name in ("torch", "jax.numpy", "ml_dtypes", "neuron_dtypes"):
            self.__dict__.update(_array_module(name))

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Stub(f"{self.__name__}.{name}")


class StubFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes after all other finders, so that an installed package wins."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ROOTS:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return StubModule(spec.name)

    def exec_module(self, module):
        pass


def install():
    sys.meta_path.append(StubFinder())
