# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""One partition spread over many. An access pattern cannot do that on chip; three instructions can."""

from .. import memory, recorder, views
from ..dtypes import float32
from ..recorder import emit

_COLUMNS = 512


def over_partitions(source, partitions):
    """The [1, F] tile `source` on `partitions` partitions."""
    recorder.approximate("partition_broadcast")
    source.fresh = None
    way = recorder.active().policy.partition_broadcast
    result = memory.fresh((partitions,) + source.shape[1:], source.dtype)
    if way == "pseudo":
        emit("partition_broadcast", result, [("data", source)])
    elif way == "shuffle":
        for start in range(0, partitions, 32):
            n = min(32, partitions - start)
            emit("nc_stream_shuffle", result[start:start + n], [("data", source)])
    else:
        _by_matmul(source, result, partitions)
    return result


def _by_matmul(source, result, partitions):
    """A row of ones times the row, 512 columns at a time, and the copy out of PSUM."""
    from .copies import tile_copy
    if source.storage.kind == "psum":
        staged = memory.fresh(source.shape, source.dtype)
        tile_copy(staged, source)
        source = staged
    ones = ones_row(source.dtype if source.dtype.kind == "float" else float32, partitions)
    if source.dtype.kind != "float":
        staged = memory.fresh(source.shape, float32)
        tile_copy(staged, source)
        source = staged
    columns = views.product(source.shape[1:])
    flat = views.reshaped(source, (1, columns)) if views.merged(source.shape[1:], source.strides[1:])[1:] == [] else _packed(source)
    to = views.reshaped(result, (partitions, columns))
    for start in range(0, columns, _COLUMNS):
        end = min(columns, start + _COLUMNS)
        product = memory.psum_tile((partitions, end - start))
        emit("nc_matmul", product, [("stationary", ones), ("moving", flat[:, start:end])])
        tile_copy(to[:, start:end], product)


def _packed(source):
    from .copies import tile_copy
    staged = memory.fresh(source.shape, source.dtype)
    tile_copy(staged, source)
    return views.reshaped(staged, (1, views.product(source.shape[1:])))


def ones_row(dtype, partitions):
    """A tile of ones, made once in a kernel."""
    from ..isa.vector import fill_tile
    constants = recorder.active().constants
    key = ("ones", dtype.name)
    if key not in constants:
        tile = memory.fresh((1, memory.PARTITIONS), dtype)
        fill_tile(tile, 1.0)
        constants[key] = tile
    return constants[key][:, 0:partitions]
