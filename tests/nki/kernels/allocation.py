# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Tiles placed by hand, in both generations."""
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


@ncc.skip_middle_end_transformations
@nki.jit
def two_copies(x, w):
    out = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    base = 0
    weight = nl.ndarray((par_dim(128), 128), dtype=w.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=base))
    base += 128 * 2
    weight[...] = nl.load(w)
    moving = nl.ndarray((4, par_dim(128), 512), dtype=x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=base, num_free_tiles=(2,)))
    base += 2 * 512 * 2
    for t in nl.affine_range(4):
        acc = nl.ndarray((par_dim(128), 512), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=3))
        res = nl.ndarray((par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=base))
        base += 512 * 4
        moving[t] = nl.load(x[t])
        acc[...] = nisa.nc_matmul(weight, moving[t])
        res[...] = nl.copy(acc)
        nl.store(out[t], res)
    return out


@nki.jit
def by_function(x):
    out = nl.ndarray((4, 128, 256), dtype=x.dtype, buffer=nl.shared_hbm)

    def place(idx, pdim_size, fdim_size):
        return 0, 1024 + (idx[0] % 3) * fdim_size

    tiles = nl.ndarray((4, par_dim(128), 256), dtype=x.dtype, buffer=ncc.sbuf.alloc(place))
    for t in nl.affine_range(4):
        tiles[t] = nl.load(x[t])
        nl.store(out[t], tiles[t])
    return out


@nki.jit
def by_address(x):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.sbuf, address=(64, 4096), name="fixed")
    tile[...] = nl.load(x)
    nl.store(out, tile)
    return out
