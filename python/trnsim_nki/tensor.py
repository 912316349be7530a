# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""A view of a place in memory: what kernels pass around as tensors and tiles.

Strides and offset are in elements, row-major over the storage as declared. On chip the partition
dimension comes first, so that the partition stride is the number of elements in a partition.
`blocks` counts the dimensions left of the partition dimension (block dimensions).
"""

from . import views
from .dtypes import dtype_of
from .errors import LimitError, UnsupportedError
from .storage import BlockStorage
from .subscript import subscript


def row_major(shape):
    strides, n = [], 1
    for count in reversed(shape):
        strides.append(n)
        n *= count
    strides.reverse()
    return tuple(strides)


class Indirect:
    """An address known only at run time: a register or one element, or a row number per partition."""

    __slots__ = ("kind", "index")

    def __init__(self, kind, index):
        self.kind = kind    # "scalar", "vector"
        self.index = index  # the tensor that holds it, or None for a register


class NkiTensor:
    """See the module. `fresh` is the instruction whose result this is, while its place may still change."""

    __slots__ = ("storage", "dtype", "shape", "strides", "offset", "blocks", "fresh", "indirect", "axes", "over",
                 "mask", "__weakref__")
    __array_ufunc__ = None  # numpy scalars leave operators to us

    def __init__(self, storage, dtype, shape, strides, offset=0, blocks=0):
        self.storage = storage
        self.dtype = dtype
        self.shape = shape
        self.strides = strides
        self.offset = offset
        self.blocks = blocks
        self.fresh = None
        self.indirect = None
        self.axes = None  # ranges of index tensors that made the dims
        self.over = ()    # terms that keep the view inside its storage
        self.mask = None  # mask given as x[mask]

    # What a tensor says about itself.

    @property
    def buffer(self):
        return self.storage.region

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        n = 1
        for count in self.shape:
            n *= count
        return n

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    @property
    def name(self):
        return self.storage.name

    @property
    def tensor(self):
        return self

    @property
    def on_chip(self):
        return self.storage.kind != "hbm"

    @property
    def T(self):
        return views.permuted(self, tuple(range(len(self.shape)))[::-1])

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(self.shape[0]))

    def __bool__(self):
        return True

    def __hash__(self):
        return id(self)

    def __repr__(self):
        return f"NkiTensor({self.storage.region.name}, {list(self.shape)}, {self.dtype.name})"

    def is_contiguous(self):
        return views.is_contiguous(self)

    def is_indirect(self):
        return self.indirect is not None

    def get_pattern(self):
        return [[s, n] for s, n in zip(self.strides, self.shape)]

    # Views.

    def __getitem__(self, key):
        return subscript(self, key)

    def __setitem__(self, key, value):
        destination.assign(subscript(self, key), value)

    def reshape(self, *shape, **keywords):
        return views.reshaped(self, views.sizes(shape or (keywords["shape"],)))

    def view(self, dtype):
        return views.viewed(self, dtype_of(dtype))

    bitcast = reinterpret_cast = view

    def ap(self, pattern, offset=None, scalar_offset=None, vector_offset=None, indirect_dim=0, dtype=None, **_):
        return views.pattern(self, pattern, offset, scalar_offset, vector_offset, dtype and dtype_of(dtype))

    def broadcast_to(self, *shape):
        shape = views.sizes(shape)
        return operators.spread(self, shape) if self.on_chip else views.broadcast(self, shape)

    broadcast = broadcast_to

    def expand_dims(self, axis):
        return views.expanded(self, axis)

    expand_dim = expand_dims

    def squeeze_dim(self, axis):
        return views.squeezed(self, axis)

    def permute(self, *axes):
        return views.permuted(self, views.sizes(axes))

    def select(self, dim, index):
        return subscript(self, (slice(None),) * dim + (index,))

    def slice(self, dim, start, end, step=1):
        return subscript(self, (slice(None),) * dim + (slice(start, end, step),))

    def reshape_dim(self, dim, shape):
        shape = tuple(shape)
        return views.reshaped(self, self.shape[:dim] + shape + self.shape[dim + 1:])

    def flatten_dims(self, start, end):
        return views.reshaped(self, self.shape[:start] + (-1,) + self.shape[end + 1:])

    def rearrange(self, source, target=None, sizes=None, **named):
        return views.rearranged(self, source, target, sizes or named)

    def vector_select(self, dim, index):
        return views.indirect(self, "vector", index)

    def indirect_view(self, index):
        return views.indirect(self, "vector", index)

    def astype(self, dtype):
        return operators.copy(self, dtype=dtype)

    def item(self, *_):
        raise UnsupportedError("item(): a recording has no values")

    def __float__(self):
        raise UnsupportedError("a recording has no values: this kernel needs a number out of a tensor")

    __int__ = __float__

    def __index__(self):
        raise UnsupportedError("a recording has no values: this kernel uses an element of a tensor as an integer")


# Set when the package is put together: these modules need this one.
destination = None
operators = None


def tensor_of(storage, dtype=None, blocks=0):
    """The whole of a storage."""
    shape = storage.shape
    return NkiTensor(storage, dtype or storage.dtype, shape, row_major(shape), 0, blocks)


def settled(tensor, role):
    """A view that one instruction can use: no block dimensions left."""
    if tensor.blocks == 0:
        return tensor
    if any(n != 1 for n in tensor.shape[:tensor.blocks]):
        raise UnsupportedError(f"{role}: one instruction over several blocks {list(tensor.shape)}; index the block dimensions")
    return subscript(tensor, (0,) * tensor.blocks)


def on_one_tile(storage, offset):
    """The tile that an offset into a tensor with block dimensions falls in, and the offset there."""
    if not isinstance(storage, BlockStorage):
        return storage, offset
    per_tile = 1
    for n in storage.tile_shape:
        per_tile *= n
    number, rest = divmod(offset, per_tile)
    total = 1
    for n in storage.blocks:
        total *= n
    if not 0 <= number < total:
        raise LimitError(f"block {number} of a tensor with {total} blocks {list(storage.blocks)}")
    return storage.tile(number), rest
