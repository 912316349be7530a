# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""exp of a product, doubled: every call names its destination."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def double_exp_of_product(x, w):
    out = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    acc = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(2):
        a = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=x[k * 128:(k + 1) * 128, 0:128])
        b = nl.ndarray((128, 512), dtype=w.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=b, src=w[k * 128:(k + 1) * 128, 0:512])
        nisa.nc_matmul(dst=acc, stationary=a, moving=b)
    y = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.activation(dst=y, op=nl.exp, data=acc)
    doubled = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=doubled, data=y, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=out, src=doubled)
    return out
