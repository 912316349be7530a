# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Engines, modes and commands that calls of nki.isa name."""

import enum

from .. import recorder


class Enum(enum.Enum):
    def __str__(self):
        return f"{type(self).__name__}.{self.name}"

    def __index__(self):
        return self.value


class engine(Enum):
    unknown = 0
    tensor = 1
    vector = 2
    scalar = 3
    gpsimd = 4
    dma = 5
    sync = 6


class dge_mode(Enum):
    unknown = 0
    swdge = 1
    hwdge = 2
    none = 3


class oob_mode(Enum):
    error = 0
    skip = 1


class reduce_cmd(Enum):
    idle = 0
    reset = 1
    reduce = 2
    reset_reduce = 3
    load_reduce = 4


class matmul_perf_mode(Enum):
    none = 0
    double_row = 1
    double_column = 2
    double_pixel = 3
    double_row_sw_interleave = 4


class dma_engine(Enum):
    dma = 0
    gpsimd_dma = 1


class nc_version(enum.IntEnum):
    gen2 = 2
    gen3 = 3
    gen4 = 4


unknown_engine = engine.unknown
tensor_engine = engine.tensor
vector_engine = engine.vector
scalar_engine = engine.scalar
gpsimd_engine = engine.gpsimd
sync_engine = engine.sync


def get_nc_version():
    return nc_version(recorder.now.generation if recorder.now is not None else 3)


def get_nc_sub_version():
    return 0
