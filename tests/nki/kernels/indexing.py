# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Index tensors, slices, block dimensions and views of the first generation."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc.nki.language import par_dim


@nki.jit
def transposed_by_index(x):
    out = nl.ndarray((2, 12), dtype=x.dtype, buffer=nl.shared_hbm)
    p, i, j = nl.arange(2)[:, None, None], nl.arange(3)[None, :, None], nl.arange(4)[None, None, :]
    tile = nl.load(x)
    turned = nl.ndarray((par_dim(2), 12), dtype=x.dtype, buffer=nl.sbuf)
    turned[p, j * 3 + i] = nl.copy(tile[p, i * 4 + j])
    nl.store(out, turned)
    return out


@nki.jit
def blocks(x):
    out = nl.ndarray((4, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = nl.ndarray((4, par_dim(128), 64), dtype=x.dtype, buffer=nl.sbuf)
    for b in nl.affine_range(4):
        tiles[b] = nl.load(x[b])
    for b in nl.affine_range(4):
        nl.store(out[b, :, :], tiles[b, :, nl.ds(0, 64)])
    return out


@nki.jit
def windows(x):
    out = nl.ndarray((64, 4, 4), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    p = nl.arange(64)[:, None, None, None, None]
    i, a = nl.arange(4)[None, :, None, None, None], nl.arange(2)[None, None, :, None, None]
    j, b = nl.arange(4)[None, None, None, :, None], nl.arange(2)[None, None, None, None, :]
    pooled = nl.sum(tile[p, i * 2 + a, j * 2 + b], axis=[2, 4])
    nl.store(out, pooled)
    return out


@nki.jit
def every_form(x):
    out = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in range(np.int64(2)):
        tile = nl.load(x[nl.ds(t * 128, 128), :])
        tile[0:64, 0:32] = nl.load(x[0:64, 0:32])
        tile[..., 63] = nl.load(x[t, 0:128])
        tile[:, 0:64:2] = nl.copy(tile[:, 1:64:2])
        tile[:, 3:4] = tile[:, 5:6]
        nl.store(out[t * 128:(t + 1) * 128], tile)
    return out


@nki.jit
def past_the_end(x):
    out = nl.ndarray((100, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in range(2):
        tile = nl.load(x[t * 64:(t + 1) * 64, :])
        nl.store(out[t * 64:(t + 1) * 64, :], tile)
    return out


@nki.jit
def list_of_indices(x):
    tile = nl.ndarray((4, par_dim(32), 8), dtype=x.dtype, buffer=nl.sbuf)
    tile[[0, slice(0, 32), slice(0, 8)]] = nl.load(x[0:32, 0:8])
    out = nl.ndarray((32, 8), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile[0])
    return out


@nki.jit
def gathered(x, rows):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    which = nl.load(rows)
    tile = nl.load(x[which, nl.arange(64)[None, :]])
    nl.store(out, tile)
    return out
