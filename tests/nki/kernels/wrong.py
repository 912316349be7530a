# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Kernels that break one limit each; the comment marks the line that does."""
import neuronxcc.nki.isa as nisa1
import nki
import nki.isa as nisa
import nki.language as nl


def _tile(shape, dtype=nl.bfloat16, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=dtype, buffer=buffer)


@nki.jit
def too_many_partitions(x):
    _tile((129, 4))


@nki.jit
def too_many_columns(x):
    a, b, c = _tile((128, 128)), _tile((128, 513)), _tile((128, 513), nl.float32, nl.psum)
    nisa.nc_matmul(dst=c, stationary=a, moving=b)  # columns


@nki.jit
def leaves_its_bank(x):
    a, b, c = _tile((128, 128)), _tile((128, 256)), _tile((128, 1024), nl.float32, nl.psum)
    nisa.nc_matmul(dst=c[:, 384:640], stationary=a, moving=b)  # bank


@nki.jit
def product_in_sbuf(x):
    a, b, c = _tile((128, 128)), _tile((128, 512)), _tile((128, 512), nl.float32)
    nisa.nc_matmul(dst=c, stationary=a, moving=b)  # buffer


@nki.jit
def starts_at_five(x):
    a = _tile((128, 16))
    nisa.tensor_copy(dst=a[0:32, :], src=a[5:37, :])  # start


@nki.jit
def gpsimd_in_psum(x):
    a = _tile((128, 16), nl.float32, nl.psum)
    nisa.memset(dst=a, value=0.0, engine=nisa.gpsimd_engine)  # psum


@nki.jit
def unequal_copy(x):
    a = _tile((128, 16))
    nisa.dma_copy(dst=a.reshape((128, 4, 4)), src=x[0:128, 0:9])  # elements


@nki.jit
def no_such_instruction(x):
    nisa.nc_frobnicate(x)  # unknown


@nki.jit
def only_on_trn3(x):
    a, b = _tile((128, 64)), _tile((128, 64))
    nisa.exponential(dst=b, src=a)  # generation


@nki.jit
def needs_a_value(x):
    tile = _tile((128, 64))
    if int(tile):  # value
        return None


@nki.jit
def unknown_keyword(x):
    a = _tile((128, 64))
    nisa.dma_copy(dst=a, src=x, mode="fast")
    nisa1.tensor_copy(a, colour="red")
