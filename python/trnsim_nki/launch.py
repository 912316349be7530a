# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Decorators of kernels and what happens when one is called."""

import copy
import functools
import inspect
import itertools
import os

from . import memory, recorder
from .errors import RecordError
from .hosts import Spec, dtype_of_array, is_array
from .language.loops import Cores
from .tensor import NkiTensor

ENVIRONMENT = "TRNSIM_NKI_RECORD"

importing = 0  # kernel files being imported: calls at their top level do nothing


class Percentiles:
    """`benchmark_result.nc_latency`: a recording has no time, so every percentile is 0."""

    def get_latency_percentile(self, _percentile):
        return 0


class BenchmarkResult:
    def __init__(self):
        self.nc_latency = Percentiles()


class Kernel:
    """A decorated function. Called inside a recording it is part of it; called outside it starts one."""

    def __init__(self, function, grid=(), options=None):
        while isinstance(function, Kernel):
            function = function.function
        self.function = function
        self.grid = grid
        self.options = options or {}
        self.benchmark_result = BenchmarkResult()
        functools.update_wrapper(self, function)

    func = property(lambda self: self.function)

    def __getitem__(self, grid):
        return Kernel(self.function, grid_of(grid), self.options)

    def __call__(self, *args, **keywords):
        if recorder.now is not None:
            return self.function(*args, **keywords)
        path = os.environ.get(ENVIRONMENT)
        if not path:
            if importing:
                return None
            raise RecordError(f"kernel {self.__name__} was called outside of a recording: use trnsim_nki.record, "
                              f"or set {ENVIRONMENT} to the file to write")
        from . import recording
        return recording.into(path, self, args, keywords, **recording.from_environment()).outputs

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)


def grid_of(grid):
    """Sizes of a launch grid: an integer, a tuple, or markers that name cores."""
    if grid is None:
        return ()
    if isinstance(grid, (tuple, list)):
        return tuple(n if isinstance(n, Cores) else int(n) for n in grid)
    return (grid if isinstance(grid, Cores) else int(grid),)


def jit(function=None, **options):
    if function is None:
        return lambda f: Kernel(f, options=options)
    return Kernel(function, options=options)


def jit_of_cores(function=None, **options):
    """nki.jit of the second generation: its launch grid is the number of cores."""
    return jit(function, _grid_of_cores=True, **options)


def decorator(function=None, **options):
    """baremetal, benchmark, profile, trace: with or without arguments."""
    return jit(function, **options)


def simulate_kernel(kernel, *args, **keywords):
    return (kernel if isinstance(kernel, Kernel) else Kernel(kernel))(*args, **keywords)


def simulate(kernel, *args, **keywords):
    kernel = kernel if isinstance(kernel, Kernel) else Kernel(kernel)
    return kernel if not args and not keywords else kernel(*args, **keywords)


def call(recorder, kernel, args, keywords):
    """Runs a kernel for every instance of its grid. Returns what the first one returned."""
    function = kernel.function if isinstance(kernel, Kernel) else kernel
    recorder.automatic = getattr(kernel, "automatic_places", False) or getattr(function, "automatic_places", False)
    names = _names(function, args)
    args = tuple(_wrapped(recorder, a, names[i] if i < len(names) else f"arg{i}") for i, a in enumerate(args))
    keywords = {name: _wrapped(recorder, value, name) for name, value in keywords.items()}
    sizes = [int(n) for n in recorder.grid]
    programs = list(itertools.product(*(range(n) for n in sizes)))
    choice = recorder.policy.programs
    cores = any(isinstance(n, Cores) for n in recorder.grid) or _grid_of_cores(kernel, function)
    if choice == "first" or (choice == "auto" and cores):
        programs = programs[:1]
    first = None
    for number, program in enumerate(programs):
        recorder.program = program
        recorder.created = 0
        recorder.constants = {}
        result = function(*args, **keywords)
        if number == 0:
            first = result
    recorder.flush()
    return host_result(first)


def _grid_of_cores(kernel, function):
    """Whether the kernel is of the second generation, whose grid counts the cores that run it together."""
    if getattr(kernel, "options", {}).get("_grid_of_cores"):
        return True
    names = getattr(function, "__globals__", {}).values()
    return any(getattr(v, "__name__", None) in ("nki", "nki.language", "nki.isa") for v in names)


def _names(function, args):
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return names + [f"arg{i}" for i in range(len(names), len(args))]


def described(kernel, args, keywords):
    """The call as texts: the file of the kernel without its folder, and each argument."""
    function = inspect.unwrap(kernel.function)
    code = getattr(function, "__code__", None)
    file = os.path.basename(code.co_filename) + "::" if code else ""
    named = {**dict(zip(_names(kernel.function, args), args)), **keywords}
    return {"kernel": file + kernel.__name__, **{"arg_" + name: _text(value) for name, value in named.items()}}


def _text(value):
    if is_array(value):
        return f"{dtype_of_array(value).trace}[{','.join(str(n) for n in value.shape)}]"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_text(v) for v in value) + "]"
    if value is None or isinstance(value, (bool, int, float, str)):
        return str(value)
    return getattr(value, "__name__", None) or type(value).__name__


def _wrapped(recorder, value, name):
    """Host arrays as tensors in HBM, also inside lists, dicts and objects of settings."""
    if isinstance(value, NkiTensor):
        return value
    if is_array(value):
        key = id(value)
        found = recorder.arguments.get(key)
        if found is None:
            found = recorder.arguments[key] = (value, memory.argument(value.shape, dtype_of_array(value), name))
        return found[1]
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_wrapped(recorder, v, f"{name}.{i}") for i, v in enumerate(value))
    if type(value) is dict:
        return {k: _wrapped(recorder, v, f"{name}.{k}") for k, v in value.items()}
    fields = getattr(value, "__dict__", None)
    if fields and not isinstance(value, type) and not callable(value) and any(is_array(v) for v in fields.values()):
        value = copy.copy(value)
        for field, v in fields.items():
            if is_array(v):
                object.__setattr__(value, field, _wrapped(recorder, v, f"{name}.{field}"))
    return value


def host_result(value):
    """What a kernel returned, as arrays without values."""
    if isinstance(value, NkiTensor):
        return Spec(value.shape, value.dtype)
    if isinstance(value, (list, tuple)):
        return type(value)(host_result(v) for v in value) if type(value) in (list, tuple) else value
    if isinstance(value, dict):
        return {k: host_result(v) for k, v in value.items()}
    return value
