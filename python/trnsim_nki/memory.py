# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Makes tensors and tiles: declared ones, results without a place, constants."""

from . import recorder
from .dtypes import dtype_of, float32
from .errors import LimitError
from .storage import Allocation, BlockStorage, Storage, place, psum, region_of, sbuf
from .site import site
from .tensor import NkiTensor, row_major, tensor_of

PARTITIONS = 128
SBUF_BYTES = {2: 196608, 3: 196608, 4: 262144}
PSUM_BYTES = 16384


class PartitionDim(int):
    """`nl.par_dim(n)`: the size of the partition dimension."""


def declared(shape, dtype, buffer=None, name=None, address=None):
    """A tensor as `nl.ndarray` makes it."""
    kind = dtype_of(dtype) if dtype is not None else float32
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    blocks = next((d for d, n in enumerate(shape) if type(n) is PartitionDim), 0)
    shape = tuple(int(n) for n in shape)
    for n in shape:
        if n <= 0:
            raise LimitError(f"shape {list(shape)}; allowed: sizes from 1")
    region = region_of(buffer)
    if region.kind == "hbm":
        return hbm(shape, kind, region, name)
    if len(shape) == blocks + 1:
        shape += (1,)
    _check_tile(shape[blocks:], kind, region)
    if blocks:
        return tensor_of(BlockStorage(region, shape, blocks, kind, site(), name), blocks=blocks)
    if isinstance(region, Allocation):
        address = place(region, (), (), shape, kind)
    elif address is not None:
        address = (int(address[0] or 0), int(address[1])) if address[1] is not None else None
    return tensor_of(Storage(region, shape, kind, site(), address, name))


def _check_tile(shape, dtype, region):
    if shape[0] > PARTITIONS:
        raise LimitError(f"tile {list(shape)} in {region.name}: {shape[0]} partitions; allowed: 1 to {PARTITIONS}")
    free = dtype.itemsize
    for n in shape[1:]:
        free *= n
    most = PSUM_BYTES if region.kind == "psum" else SBUF_BYTES[recorder.active().generation]
    if free > most:
        raise LimitError(f"tile {list(shape)} {dtype.name} in {region.name}: {free:,} bytes per partition; available: {most:,}")


def fresh(shape, dtype, region=sbuf):
    """A place for a result that has none yet."""
    while len(shape) < 2:
        shape += (1,)
    if shape[0] > PARTITIONS:
        raise LimitError(f"result {list(shape)}: {shape[0]} partitions; allowed: 1 to {PARTITIONS}")
    storage = Storage(region, shape, dtype, site())
    return NkiTensor(storage, dtype, shape, row_major(shape))


def hbm(shape, dtype, region, name=None, use=None):
    """A tensor in HBM. Instances of a grid share those they make, the first with the first and so on."""
    run = recorder.active()
    key = run.created
    run.created += 1
    found = run.shared.get(key)
    if found is not None and found.shape == shape and found.dtype is dtype and region.name != "private_hbm":
        return tensor_of(found)
    storage = Storage(region, shape, dtype, site(), user_name=name)
    storage.use = use
    run.shared[key] = storage
    run.writer.tensor(storage)
    return tensor_of(storage)


def argument(shape, dtype, name, region=None):
    """A tensor in HBM that the caller of a kernel brings."""
    from .storage import shared_hbm
    storage = Storage(region or shared_hbm, tuple(int(n) for n in shape) or (1,), dtype, ("", 0), user_name=name)
    storage.use = "argument"
    recorder.active().writer.tensor(storage)
    return tensor_of(storage)


def psum_tile(shape, dtype=float32):
    return fresh(shape, dtype, psum)
