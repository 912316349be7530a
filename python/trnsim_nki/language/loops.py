# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Loops, launch grids and markers. Every iteration runs, since its instructions are recorded one by one."""

import contextlib

from .. import recorder
from ..isa.gpsimd import VirtualRegister
from ..subscript import _integer


def _range(*bounds, directives=None, **_):
    return range(*(_integer(b) for b in bounds))


class Loop:
    """A loop that the first generation traces once: every iteration runs here, the recorder knows which is a repetition."""

    __slots__ = ("values",)

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        run = recorder.now
        if run is None:
            yield from self.values
            return
        outermost = run.loops == 0
        run.loops += 1
        repeated = False
        try:
            for i in self.values:
                if outermost:
                    run.allocations.clear()
                yield i
                if not repeated:
                    repeated = True
                    run.repeating += 1
        finally:
            run.loops -= 1
            run.repeating -= repeated

    def __len__(self):
        return len(self.values)

    def __getitem__(self, key):
        return self.values[key]

    def __contains__(self, value):
        return value in self.values

    start = property(lambda self: self.values.start)
    stop = property(lambda self: self.values.stop)
    step = property(lambda self: self.values.step)


def affine_range(*bounds, **keywords):
    return Loop(_range(*bounds, **keywords))


sequential_range = affine_range


def static_range(*bounds, **keywords):
    return _range(*bounds, **keywords)


def dynamic_range(*bounds, **_):
    """A loop whose bounds may be registers: recorded for a chosen number of iterations."""
    known = [_integer(b) for b in bounds]
    if all(b is not None for b in known):
        return range(*known)
    recorder.approximate("a loop with bounds known only at run time runs trip_count times")
    return [VirtualRegister() for _ in range(recorder.active().policy.trip_count)]


def fori_loop(low, high, body, *_, **__):
    for i in dynamic_range(low, high):
        body(i)


def while_loop(init, body, *_, **__):
    recorder.approximate("a loop with bounds known only at run time runs trip_count times")
    for _i in range(recorder.active().policy.trip_count):
        body(init)


def do_while(condition, *_, **__):
    recorder.approximate("a loop with bounds known only at run time runs trip_count times")


def program_id(axis=0):
    program = recorder.active().program
    return program[axis] if axis < len(program) else 0


def num_programs(axes=None):
    grid = recorder.active().grid
    if axes is None:
        axes = range(len(grid))
    n = 1
    for a in axes if isinstance(axes, (tuple, list, range)) else (axes,):
        n *= grid[a] if a < len(grid) else 1
    return n


def program_ndim():
    return len(recorder.active().grid)


@contextlib.contextmanager
def region(*_, **__):
    yield None


class NoReorder:
    """`nl.no_reorder`: a region, a directive, or a decorator."""

    def __call__(self, *args, **__):
        if args and callable(args[0]):
            return args[0]
        return region()


class Cores(int):
    """`nl.nc(n)`: a grid dimension spread over physical cores."""


def spmd_dim(size, cores):
    dim = Cores(int(size) * int(cores))
    return dim


class NKIObject:
    """Base of classes in kernels: every attribute of the class is a field, and every field may be left out."""

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        annotations = dict(cls.__dict__.get("__annotations__", {}))
        for name, value in list(cls.__dict__.items()):
            if name.startswith("__") or callable(value) or isinstance(value, (property, classmethod, staticmethod)):
                continue
            annotations.setdefault(name, object)
        for name in annotations:
            if name not in cls.__dict__:
                setattr(cls, name, None)
        if annotations:
            cls.__annotations__ = annotations

    def __init__(self, *args, **keywords):
        names = [n for c in reversed(type(self).__mro__) for n in c.__dict__.get("__annotations__", {})]
        for name, value in list(zip(names, args)) + list(keywords.items()):
            setattr(self, name, value)
        after = getattr(self, "__post_init__", None)
        if after is not None:
            after()
