# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Masks of the first generation: bounds, suffixes, triangles, conditions on loop indices."""
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def rows_in_bounds(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.mgrid[0:128, 0:64]
    for t in nl.affine_range((x.shape[0] + 127) // 128):
        inside = t * 128 + i.p < x.shape[0]
        tile = nl.load(x[t * 128 + i.p, i.x], mask=inside)
        twice = nl.add(tile, tile, mask=inside)
        nl.store(out[t * 128 + i.p, i.x], twice, mask=inside)
    return out


@nki.jit
def columns_from(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    ip, jf = nl.arange(128)[:, None], nl.arange(512)[None, :]
    tile = nl.load(x[ip, jf])
    part = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    part[ip, jf] = nl.exp(tile, mask=jf >= 100)
    nl.store(out, part)
    return out


@nki.jit
def one_column(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    ip, jf = nl.arange(128)[:, None], nl.arange(512)[None, :]
    tile = nl.load(x[ip, jf])
    nl.store(out[ip, jf], tile, mask=jf == 7)
    return out


@nki.jit
def triangle(x):
    out = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    ip, jf = nl.arange(128)[:, None], nl.arange(128)[None, :]
    tile = nl.load(x[ip, jf])
    nl.store(out[ip, jf], tile, mask=(ip >= jf) & (ip < 32))
    return out


@nki.jit
def only_even_blocks(x):
    out = nl.ndarray((512, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range(4):
        tile = nl.load(x[t * 128:(t + 1) * 128, :], mask=t % 2 == 0)
        nl.store(out[t * 128:(t + 1) * 128, :], nl.square(tile, mask=t % 2 == 0), mask=t % 2 == 0)
    return out


@nki.jit
def product_in_bounds(a, b):
    out = nl.ndarray((100, 300), dtype=nl.float32, buffer=nl.shared_hbm)
    k, m, n = nl.arange(128)[:, None], nl.arange(128)[None, :], nl.arange(512)[None, :]
    left = nl.load(a[k, m], mask=(k < 60) & (m < 100))
    right = nl.load(b[k, n], mask=(k < 60) & (n < 300))
    acc = nl.zeros((128, 512), nl.float32, buffer=nl.psum)
    acc[nl.arange(128)[:, None], n] += nisa.nc_matmul(left[k, m], right[k, n], mask=(k < 60) & (m < 100) & (n < 300))
    rows = nl.arange(128)[:, None]
    res = nl.copy(acc[rows, n], dtype=nl.float32, mask=(rows < 100) & (n < 300))
    nl.store(out[rows, n], res, mask=(rows < 100) & (n < 300))
    return out


@nki.jit
def masked_operands(a, b):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    left, right = nl.load(a), nl.load(b)
    k, m, n = nl.arange(128)[:, None], nl.arange(128)[None, :], nl.arange(512)[None, :]
    acc = nl.zeros((128, 512), nl.float32, buffer=nl.psum)
    acc[...] += nisa.nc_matmul(left[k, m][m < 96], right[k, n][n < 200])
    nl.store(out[k, n], acc[k, n], mask=(k < 96) & (n < 200))
    return out


@nki.jit
def selected(x):
    out = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    ip, jf = nl.arange(128)[:, None], nl.arange(128)[None, :]
    tile = nl.load(x)
    kept = nisa.affine_select(pred=ip >= jf, on_true_tile=tile[ip, jf], on_false_value=-1e30)
    nl.store(out, kept)
    return out
