# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""`nki.compiler`: where tiles are placed by hand, and directives that change nothing in a recording."""

import contextlib
import inspect
import types

from . import recorder
from .storage import Allocation

BANK = 2048


def _row_major(index, counts):
    n = 0
    for i, c in zip(index, counts):
        n = n * c + i
    return n


def _modulo(index, tiles):
    """(copy number, copies) of a block index under `num_…_tiles`; () stands for one."""
    tiles = tuple(int(t) for t in (tiles if isinstance(tiles, (tuple, list)) else (tiles,)))
    tiles = (1,) * (len(index) - len(tiles)) + tiles if len(tiles) < len(index) else tiles
    return _row_major([i % t for i, t in zip(index, tiles)], tiles)


def _sbuf_mod(base_addr=0, base_partition=0, num_par_tiles=(), num_free_tiles=(), **_):
    base_addr = recorder.active().first_said(base_addr)

    def place(index, blocks, partitions, size):
        partition = base_partition + _modulo(index, num_par_tiles) * partitions
        return partition, base_addr + _modulo(index, num_free_tiles) * size
    return Allocation("sbuf", place)


def _psum_mod(base_bank=0, base_addr=0, base_partition=0, num_bank_tiles=(), num_par_tiles=(), num_free_tiles=(), **_):
    def place(index, blocks, partitions, size):
        bank = base_bank + _modulo(index, num_bank_tiles)
        partition = base_partition + _modulo(index, num_par_tiles) * partitions
        return partition, bank * BANK + base_addr + _modulo(index, num_free_tiles) * size
    return Allocation("psum", place)


def _sbuf_by(function):
    def place(index, blocks, partitions, size):
        partition, address = _call(function, index, partitions, size)
        return int(partition), int(address)
    return Allocation("sbuf", place)


def _psum_by(function):
    def place(index, blocks, partitions, size):
        bank, partition, address = _call(function, index, partitions, size)
        return int(partition), int(bank) * BANK + int(address)
    return Allocation("psum", place)


def _call(function, index, partitions, size):
    """Allocators take (idx, pdim_size, fdim_size), by these names where they have them."""
    try:
        names = set(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = set()
    if {"idx", "pdim_size", "fdim_size"} <= names:
        return function(idx=index, pdim_size=partitions, fdim_size=size)
    return function(index, partitions, size)


def _auto(kind):
    return lambda *_, **__: Allocation(kind, lambda *_: None)


sbuf = types.SimpleNamespace(mod_alloc=_sbuf_mod, alloc=_sbuf_by, auto_alloc=_auto("sbuf"))
psum = types.SimpleNamespace(mod_alloc=_psum_mod, alloc=_psum_by, auto_alloc=_auto("psum"))


def directive(*args, **_):
    """A decorator with or without arguments that changes nothing."""
    if len(args) == 1 and callable(args[0]):
        return args[0]
    return lambda function: function


skip_middle_end_transformations = enable_stack_allocator = directive


def force_auto_alloc(function=None, **_):
    """A decorator: places that the kernel gives its tiles do not count."""
    if function is None:
        return force_auto_alloc
    function.automatic_places = True
    return function


def multi_buffer(*_, **__):
    return None


def no_reorder(*_, **__):
    return contextlib.nullcontext()


def allocation_scope(*_, **__):
    return contextlib.nullcontext()
