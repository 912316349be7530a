# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Functions of nki.language and what they become."""
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


def _out(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


@nki.jit
def number_row_and_tile(x):
    tile = nl.load(x)
    row = nl.sum(tile, axis=1)
    scaled = tile * 2.0
    shifted = 1.0 - scaled
    centred = nl.subtract(shifted, row)
    both = centred + tile
    return _out(both)


@nki.jit
def comparisons(x):
    tile = nl.load(x)
    above = tile > 0.5
    kept = nl.where(above, tile, 0.0)
    both = nl.where(above, tile, kept)
    assert above.dtype == nl.bool_ and (tile == None) is False  # noqa: E711
    return _out(both)


@nki.jit
def reductions(x):
    tile = nl.load(x)
    for op in (nl.sum, nl.max, nl.min, nl.prod):
        op(tile, axis=[1])
    nisa.tensor_reduce(np.add, tile, axis=[1])
    middle = nl.mean(tile, axis=1)
    assert middle.shape == (128, 1)
    spread = nl.var(tile, axis=1)
    assert spread.shape == (128, 1)
    return _out(nl.softmax(tile, axis=1))


@nki.jit
def normalised(x, g):
    tile, weight = nl.load(x), nl.load(g.reshape((1, 512)))
    spread = weight.broadcast_to((128, 512))
    return _out(nl.rms_norm(tile, spread, axis=1, n=512))


@nki.jit
def products(a, b):
    left, right = nl.load(a), nl.load(b)
    plain = nl.matmul(left, right)
    turned = nl.matmul(left, right, transpose_x=True)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    total[...] = plain
    total += turned
    return _out(total)


@nki.jit
def transposes(x):
    tile = nl.load(x)
    flipped = nl.transpose(tile)
    kept = nl.ndarray((nl.par_dim(128), 128), dtype=x.dtype, buffer=nl.sbuf)
    kept[...] = flipped
    kept[...] = nisa.nc_transpose(kept, engine=nisa.tensor_engine)
    small = nl.transpose(kept[0:32, 0:32])
    by_dma = nl.load_transpose2d(x)
    kept[0:32, 0:32] = small
    return _out(nl.add(kept, by_dma))


@nki.jit
def accumulated_over_loops(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((nl.par_dim(128), 64), dtype=nl.float32, buffer=nl.sbuf)
    for t in nl.affine_range(4):
        tile = nl.load(x[t])
        total[...] = nl.loop_reduce(tile, op=np.add, loop_indices=[t])
    nl.store(out, total)
    return out


@nki.jit
def lazily_zero(x):
    tile = nl.load(x)
    kept = nl.zeros((nl.par_dim(128), 128), nl.float32, buffer=nl.psum)
    kept[0:128, 0:64] = nl.exp(tile[:, 0:64])
    other = nl.zeros((nl.par_dim(128), 128), nl.float32, buffer=nl.psum)
    summed = nl.add(kept, nl.copy(other))
    return _out(summed)


@nki.jit
def made_of_nothing():
    ones = nl.ones((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    like = nl.zeros_like(ones)
    filled = nl.full((128, 64), 3.0, dtype=nl.float32, buffer=nl.sbuf)
    nl.random_seed(7)
    noise = nl.rand((128, 64))
    dropped = nl.dropout(noise, rate=0.5)
    counted = nisa.iota(nl.arange(64)[None, :], dtype=nl.int32)
    constant = nl.load(nl.shared_constant(np.identity(128, dtype=nl.bfloat16)))
    assert counted.shape == (1, 64) and constant.dtype == nl.bfloat16
    return _out(ones + like + filled + dropped)


@nki.jit
def functions(x):
    tile = nl.load(x)
    for name in ("exp", "log", "sqrt", "rsqrt", "tanh", "sigmoid", "relu", "gelu", "silu", "square", "sign", "erf", "sin"):
        tile = getattr(nl, name)(tile)
    for name in ("abs", "negative", "floor", "reciprocal", "copy"):
        tile = getattr(nl, name)(tile)
    return _out(tile)


@nki.jit
def stored_values():
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, 0.0)
    nl.store(out[0:1, 0:64], nl.arange(64)[None, :])
    return out
