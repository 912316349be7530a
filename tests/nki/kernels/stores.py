# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Stores between loads."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def one_by_one(x):
    """Four tiles: load, square, store."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i])
        nisa.activation(dst=tile, op=nl.square, data=tile)
        nisa.dma_copy(dst=out[i], src=tile)
    return out


@nki.jit
def one_tile(x):
    """The same tile again and again."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.affine_range(4):
        nisa.dma_copy(dst=tile, src=x[i])
        nisa.dma_copy(dst=out[i], src=tile)
    return out


@nki.jit
def read_back(x):
    """What was stored is loaded again."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    again = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[0])
    nisa.dma_copy(dst=out[0], src=tile)
    nisa.dma_copy(dst=again, src=out[0])
    return out


@nki.jit
def wide_transpose(x):
    """More than the Vector engine takes at once."""
    out = nl.ndarray((64, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    turned = nl.ndarray((64, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.nc_transpose(dst=turned, data=tile, engine=nisa.vector_engine)
    nisa.dma_copy(dst=out, src=turned)
    return out
