# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Places in HBM, SBUF and PSUM that hold tensors."""

from . import recorder


class MemoryRegion:
    """A kind of memory: what `nl.sbuf`, `nl.psum`, `nl.hbm`, `nl.shared_hbm`, `nl.private_hbm` are."""

    __slots__ = ("name", "kind")

    def __init__(self, name, kind):
        self.name = name
        self.kind = kind  # "sbuf", "psum", "hbm"

    def __repr__(self):
        return "nki.language." + self.name

    def __eq__(self, other):
        return self is other or (isinstance(other, (MemoryRegion, Allocation)) and other.name == self.name)

    def __hash__(self):
        return hash(self.name)

    def __call__(self, *_, **__):
        return self


class Allocation:
    """A kind of memory with a rule that gives each block of a tensor its address.

    `place(block, sizes, partitions, bytes)` returns (start partition, byte offset).
    """

    __slots__ = ("name", "kind", "place")

    def __init__(self, kind, place):
        self.name = kind
        self.kind = kind
        self.place = place

    def __eq__(self, other):
        return self is other or (isinstance(other, MemoryRegion) and other.name == self.name)

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return "nki.language." + self.name


sbuf = MemoryRegion("sbuf", "sbuf")
psum = MemoryRegion("psum", "psum")
hbm = MemoryRegion("hbm", "hbm")
shared_hbm = MemoryRegion("shared_hbm", "hbm")
private_hbm = MemoryRegion("private_hbm", "hbm")
REGIONS = {r.name: r for r in (sbuf, psum, hbm, shared_hbm, private_hbm)}


def region_of(buffer):
    """The region that `buffer=` names; SBUF when it names none."""
    if buffer is None:
        return sbuf
    if isinstance(buffer, (MemoryRegion, Allocation)):
        return buffer
    region = getattr(buffer, "region", None) or REGIONS.get(str(buffer).rsplit(".", 1)[-1])
    if region is None:
        raise TypeError(f"buffer={buffer!r}; allowed: {', '.join(REGIONS)}")
    return region


class Storage:
    """One tensor in HBM, or one tile in SBUF or PSUM (partition dimension first).

    `free` is the number of bytes per partition of a tile. A tensor with block dimensions is a
    `BlockStorage`, whose tiles are storages of their own.
    """

    __slots__ = ("kind", "region", "shape", "dtype", "partitions", "free", "address", "name", "text", "lazy",
                 "written", "read", "wrote", "use", "at", "user_name", "wide", "__weakref__")

    def __init__(self, region, shape, dtype, at, address=None, user_name=None):
        self.region = region
        self.kind = region.kind
        self.shape = shape
        self.dtype = dtype
        self.at = at
        self.address = address
        self.user_name = user_name
        self.text = None     # name in the trace, once declared
        self.name = user_name
        self.lazy = None     # value that a tile holds although no instruction has written it yet
        self.written = None  # regions of a PSUM tile that matmuls have written
        self.read = self.wrote = False
        self.use = None
        self.wide = False    # a 16-bit tile in PSUM that holds FP32, because products write it
        if self.kind != "hbm":
            self.partitions = shape[0]
            free = dtype.itemsize
            for n in shape[1:]:
                free *= n
            self.free = free


class BlockStorage:
    """A tensor with dimensions left of its partition dimension: one tile for each of their indices."""

    __slots__ = ("kind", "region", "shape", "dtype", "blocks", "tile_shape", "tiles", "at", "lazy", "user_name", "name")

    def __init__(self, region, shape, blocks, dtype, at, user_name=None):
        self.region = region
        self.kind = region.kind
        self.shape = shape
        self.dtype = dtype
        self.blocks = shape[:blocks]
        self.tile_shape = shape[blocks:]
        self.tiles = {}
        self.at = at
        self.lazy = None
        self.user_name = self.name = user_name

    def tile(self, number):
        """The tile of a block, counted row-major."""
        found = self.tiles.get(number)
        if found is None:
            address = None
            if isinstance(self.region, Allocation):
                address = self._address(number)
            found = Storage(self.region, self.tile_shape, self.dtype, self.at, address, self.user_name)
            found.lazy = self.lazy
            self.tiles[number] = found
        return found

    def _address(self, number):
        index = []
        for n in reversed(self.blocks):
            number, i = divmod(number, n)
            index.append(i)
        return place(self.region, tuple(reversed(index)), self.blocks, self.tile_shape, self.dtype)


def place(region, index, blocks, tile_shape, dtype):
    """Address that an allocation gives to one tile, or None when the planner chooses."""
    if recorder.active().automatic:
        return None
    free = dtype.itemsize
    for n in tile_shape[1:]:
        free *= n
    return region.place(index, blocks, tile_shape[0], free)
