# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Calls of the first generation that few kernels make."""
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt
import numpy as np
from neuronxcc.nki._private.private_api import cc_div, core_barrier, do_while, sendrecv
from neuronxcc.nki.compiler.backends.neuron.indexing import TileIndex


def _out(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.hbm)
    nl.store(out, tile)
    return out


@nki.jit
def more_functions(x):
    tile = nl.load(x)
    for name in ("gelu_apprx_tanh", "gelu_apprx_sigmoid", "gelu_apprx_sigmoid_dx", "silu_dx", "gelu_dx", "softplus", "mish", "erf_dx", "cos",
                 "tan", "arctan", "ceil", "trunc"):
        tile = getattr(nl, name)(tile)
    for name in ("divide", "minimum", "maximum", "mod", "power", "abs_max", "greater", "less_equal", "not_equal", "logical_and", "logical_or",
                 "logical_xor"):
        tile = getattr(nl, name)(tile, tile)
    whole = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.sbuf)
    whole[...] = nl.copy(tile, dtype=nl.int32)
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
        whole = getattr(nl, name)(whole, 1)
    assert nl.invert(whole).shape == nl.logical_not(whole).shape == (128, 64)
    return _out(-tile + tile ** 2 - tile / 3)


@nki.jit
def helpers(x):
    tile = nl.load(x)
    assert nl.empty_like(tile).shape == nl.zeros_like(tile).shape == (128, 64)
    assert nl.expand_dims(tile, 1).shape == (128, 1, 64)
    same = nl.static_cast(tile, nl.float32)
    nl.device_print("tile", tile)
    eye = nl.shared_identity_matrix(128, dtype=nl.uint8)
    assert eye.shape == (128, 128) and eye.dtype == nl.uint8
    least = nl.fp32.min
    assert least < -1e38 and nl.bfp16.min < 0 and nl.finfo(nl.float16).max > 60000
    assert cc_div(130, 128) == 2 and nl.constants.sizeinbytes(nl.float16) == 2
    picked = nl.gather_flattened(tile, nl.copy(tile, dtype=nl.uint32))
    spread = nl.broadcast_to(tile[:, 0:1], shape=(128, 64))
    return _out(nl.add(nl.add(same, spread), picked))


@nki.jit
def constant_of_a_file(path):
    return _out(nl.load(nl.shared_constant(path)))


@nki.jit
def types():
    sizes = {"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "float16": 2, "tfloat32": 4, "float8_e4m3": 1,
             "float8_e4m3fn": 1, "float8_e5m2": 1, "bool_": 1}
    out = nl.ndarray((128, len(sizes)), dtype=nl.float32, buffer=nl.shared_hbm)
    for column, (name, size) in enumerate(sizes.items()):
        tile = nl.zeros((128, 1), dtype=getattr(nl, name), buffer=nl.sbuf)
        assert tile.itemsize == size, name
        nl.store(out[:, column], nl.copy(tile, dtype=nl.float32))
    return out


@nki.jit
def scattered(x, rows):
    out = nl.ndarray((1024, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    which, tile = nl.load(rows), nl.load(x)
    nl.store(out[which, nl.arange(64)[None, :]], tile)
    nl.atomic_rmw(out[which, nl.arange(64)[None, :]], value=tile, op=np.add)
    return out


@nki.jit
def dynamic_columns(x, where):
    tile, at = nl.load(x), nl.load(where)
    rows, columns = nl.arange(128)[:, None], nl.arange(16)[None, :]
    part = nisa.tensor_copy_dynamic_src(tile[rows, at + columns])
    nisa.tensor_copy_dynamic_dst(dst=tile[rows, at + columns], src=part)
    return _out(tile)


@nki.jit
def offloaded(x, y):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.private_hbm)
    nisa._tiled_offloaded_memcpy(dst=out, src=x)
    nisa._tiled_offloaded_fma(x, y, scales=[1.0, 1.0], dst=out)
    return out


@ncc.enable_stack_allocator(log_level=1)
@ncc.skip_middle_end_transformations
@nki.jit(experimental_flags="x", kernel_return=True)
def allocated_by_the_compiler(x):
    out = nl.ndarray((4, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    with ncc.allocation_scope():
        for i in nl.sequential_range(4, directives=ncc.multi_buffer(2)):
            tile = nl.ndarray((nl.par_dim(128), 64), dtype=x.dtype, buffer=ncc.sbuf.auto_alloc())
            tile[...] = nl.load(x[i])
            nl.store(out[i], tile)
    for i in nl.sequential_range(1, directives=ncc.no_reorder()):
        bank = nl.ndarray((nl.par_dim(128), 64), dtype=nl.float32, buffer=ncc.psum.auto_alloc())
        bank[...] = nl.exp(nl.load(x[i]))
    return out


@ncc.force_auto_alloc
@nki.jit
def manual_places_ignored(x):
    tile = nl.ndarray((nl.par_dim(128), 64), dtype=x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile[...] = nl.load(x)
    return _out(tile)


@nki.jit
def lazily_filled(x):
    total = nl.zeros((nl.par_dim(128), 64), dtype=nl.float32, buffer=nl.sbuf, lazy_initialization=True)
    for i in nl.static_range(4):
        tile = nl.load(x[i])
        total[...] = nl.loop_reduce(tile, op=np.add, loop_indices=[i], dtype=nl.float32)
    return _out(total)


@nki.jit
def by_programs(x):
    assert nl.program_ndim() == 1 and nl.num_programs(0) == 4
    i = nl.program_id(0)
    out = nl.ndarray((4, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out[i], nl.load(x[i]))
    return out


@nki.jit
def over_two_cores(x):
    i = nl.program_id(0)
    out = nl.ndarray((4, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    mine = nl.load(x[i])
    other = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    sendrecv(src=mine, dst=other, send_to_rank=1, recv_from_rank=1, pipe_id=0)
    core_barrier(out, (0, 1))
    nl.store(out[i], other)
    return out


def outputs_as_arguments(x, out):
    tile = nl.load(x)
    nl.store(out, nl.all_reduce(tile, op=np.add, program_axes=[]))


@nki.jit
def old_indices(x: nt.tensor[128, 64], flags: nt.mutable_tensor = None):
    grid = nl.mgrid[0:128, 0:64]
    p, f = grid
    tile = nl.load(x[grid.p, grid.x])
    again = nl.load(x[TileIndex(p), TileIndex(f)]) if isinstance(p, TileIndex) else nl.load(x[p, f])
    return _out(nl.add(tile, again))


timed = nki.benchmark(warmup=1, iters=2)(by_programs)
on_device = nki.baremetal(more_functions)
profiled = nki.profile(working_directory="/tmp")(helpers)
traced = nki.trace(types)
