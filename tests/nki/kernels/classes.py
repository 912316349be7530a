# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Objects of settings inside kernels, and collectives."""
from dataclasses import dataclass

import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl


@dataclass
class Settings(nl.NKIObject):
    columns: int = 64
    scale = None
    name: str

    def width(self):
        return self.columns


@nki.jit
def with_settings(x, settings):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, settings.width()), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    if settings.scale is not None:
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=settings.scale)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def gathered(x):
    out = nl.ndarray((512, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    ncc.all_gather(srcs=[x], dsts=[out], replica_group=ncc.ReplicaGroup([[0, 1, 2, 3]]), collective_dim=0)
    return out
