# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Functions of nki.language that make, load and store tensors."""

import numpy as np

from .. import clip, destination, memory, operators, recorder, storage, views
from ..dtypes import dtype_of, uint8
from ..errors import LimitError
from ..index import Index
from ..isa.dma import dma_copy, dma_transpose, load, region_box
from ..lower import copies
from ..operators import is_number
from ..subscript import DynamicSlice
from ..tensor import NkiTensor, settled

__all__ = ["load"]


def ndarray(shape, dtype=None, *, buffer=None, name=None, address=None, **keywords):
    for keyword in keywords:
        if keyword not in ("lazy_initialization", "init_value"):
            recorder.ignore(f"ndarray({keyword}=)")
    return memory.declared(shape, dtype, buffer, name, address)


def full(shape, fill_value, dtype=None, *, buffer=None, name=None, address=None, lazy_initialization=False, **_):
    """A tensor filled with a value. In PSUM, zero waits for what comes first: a matmul overwrites it."""
    tile = memory.declared(shape, dtype, buffer, name, address)
    place = tile.storage
    if place.kind == "hbm":
        copies.fill_hbm(tile, fill_value)
    elif place.kind == "psum" or lazy_initialization:
        place.lazy = fill_value if place.kind == "psum" else None
    else:
        destination.fill(tile, fill_value)
    return tile


def zeros(shape, dtype=None, **keywords):
    return full(shape, 0, dtype, **keywords)


def ones(shape, dtype=None, **keywords):
    return full(shape, 1, dtype, **keywords)


def zeros_like(a, dtype=None, *, buffer=None, name=None, **_):
    return zeros(a.shape, dtype or a.dtype, buffer=buffer or a.buffer, name=name)


def empty_like(a, dtype=None, *, buffer=None, name=None, **_):
    return ndarray(a.shape, dtype or a.dtype, buffer=buffer or a.buffer, name=name)


def store(dst, value=None, mask=None, **keywords):
    """`nl.store`: a tile into a region of HBM."""
    for keyword in keywords:
        recorder.ignore(f"store({keyword}=)")
    dst = settled(dst, "dst")
    if is_number(value):
        box = clip.region(dst.shape, mask, [dst])
        if box is not clip.EMPTY:
            copies.fill_hbm(clip.cut(dst, box, dst.shape), value)
        return
    if not isinstance(value, NkiTensor):
        value = operators.operand(value)
    value = settled(value, "value")
    box = store_box(dst, value, mask)
    if box is clip.EMPTY:
        return
    part, source = clip.cut(dst, box, dst.shape), clip.cut(value, box, dst.shape)
    if part.size != source.size:
        part, source = copies.matched(part, source)
    from ..isa.dma import dge_attrs
    copies.dma(part, source, dge_attrs(None, part))


def store_box(dst, value, mask):
    """Box of a store. A tile smaller than its region by a mask is cut with it."""
    if mask is None and not dst.over and not value.over and value.mask is None:
        return None
    if dst.shape == value.shape:
        return clip.region(dst.shape, mask, [dst, value])
    return region_box(dst, value, mask) if mask is None else clip.region(dst.shape, mask, [dst])


def load_transpose2d(src, dtype=None, mask=None, **_):
    if src.dtype.itemsize != 2:
        recorder.approximate("load_transpose2d of a type that is not two bytes is one dma_transpose")
    if len(src.shape) != 2:
        raise LimitError(f"load_transpose2d of {list(src.shape)}; allowed: 2 dimensions")
    return dma_transpose(src=src, dtype=dtype, mask=mask)


def atomic_rmw(dst, value, op=None, mask=None, **_):
    return dma_copy(dst=dst, src=value, mask=mask, dst_rmw_op=op if op is not None else "add")


def _from_file(path):
    try:
        return np.load(path, mmap_mode="r")
    except (OSError, ValueError) as error:
        raise LimitError(f"shared_constant of {path}: {error}; allowed: an array or a file of numpy.save") from error


def shared_constant(constant, dtype=None, **_):
    """A tensor in HBM that exists before the kernel starts."""
    array = _from_file(constant) if isinstance(constant, str) else np.asarray(constant)
    kind = dtype_of(dtype) if dtype is not None else dtype_of(array.dtype)
    constants = recorder.active().arguments
    return constants.setdefault(("constant", id(constant)), (constant, memory.argument(array.shape, kind, "constant")))[1]


def shared_identity_matrix(n, dtype=uint8, **_):
    """An identity matrix in SBUF, loaded once."""
    kind = dtype_of(dtype)
    constants = recorder.active().constants
    key = ("identity", n, kind.name)
    if key not in constants:
        source = memory.argument((n, n), kind, f"identity_{n}_{kind.name}")
        tile = memory.fresh((n, n), kind)
        copies.dma(tile, source)
        constants[key] = tile
    return constants[key]


def expand_dims(data, axis, **_):
    return data[(None,) * 1] if isinstance(data, Index) else views.expanded(data, axis)


def static_cast(value, dtype, **_):
    return value if value.dtype is dtype_of(dtype) else operators.copy(value, dtype=dtype)



def ds(start, size, step=1):
    return DynamicSlice(start, size, step)


def par_dim(n):
    return memory.PartitionDim(int(n))


def device_print(*_, **__):
    return None


def is_kind(kind):
    def predicate(buffer):
        buffer = getattr(buffer, "buffer", buffer)
        found = storage.region_of(buffer).kind
        return found in ("sbuf", "psum") if kind == "on_chip" else found == kind
    return predicate


class TileSize:
    """Sizes that the hardware sets: `nl.tile_size`."""

    pmax = 128
    psum_fmax = 512
    psum_bank_fmax = 512
    gemm_stationary_fmax = 128
    gemm_moving_fmax = 512
    bn_stats_fmax = 512
    psum_bank_fmax_bytes = 2048
    psum_num_banks = 8
    psum_min_align = 4
    sbuf_min_align = 4

    @property
    def total_available_sbuf_size(self):
        generation = recorder.now.generation if recorder.now is not None else 3
        return memory.SBUF_BYTES[generation] - 16384

    sbuf_fmax_bytes = total_available_sbuf_size

    @property
    def sbuf_fmax(self):
        return self.total_available_sbuf_size // 4

    @property
    def sbuf_size_bytes(self):
        return self.total_available_sbuf_size * 128
