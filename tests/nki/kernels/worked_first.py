# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""exp of a product, doubled: tiles are returned, the product accumulates with +=."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def double_exp_of_product(x, w):
    out = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    acc = nl.zeros((nl.par_dim(128), 512), nl.float32, buffer=nl.psum)
    for k in nl.affine_range(2):
        a = nl.load(x[k * 128:(k + 1) * 128, 0:128])
        b = nl.load(w[k * 128:(k + 1) * 128, 0:512])
        acc += nl.matmul(a, b, transpose_x=True)
    y = nl.ndarray((128, 512), nl.bfloat16, buffer=nl.sbuf)
    y[...] = nl.exp(acc)
    nl.store(out, y * 2.0)
    return out
