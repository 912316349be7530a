# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Copies between places, and what goes through a tile on the way."""

from .. import clip, memory, recorder, views
from ..recorder import emit

_ENGINES = ("vector", "scalar", "gpsimd")


def copy_engine(dst, src):
    """Engine of a copy that names none."""
    run = recorder.active()
    engine = run.policy.copy_engine
    if engine == "rotate":
        engine = run.rotate(_ENGINES)
    in_psum = dst.storage.kind == "psum" or src.storage.kind == "psum"
    if engine == "gpsimd" and in_psum or engine == "scalar" and run.generation < 3:
        engine = "vector"
    return None if engine == "vector" else engine


def dma_route(dst, attrs="", engine=None):
    """Attributes and engine of a DMA: who triggers it and on which ring, where the kernel does not say."""
    run = recorder.active()
    if engine is None:
        engine = run.policy.store_engine if dst.storage.kind == "hbm" else run.policy.dma_engine
        if engine == "rotate":
            engine = run.rotate(("sync", "scalar", "gpsimd"))
    queues = run.policy.dma_queues
    queues = int(queues) if queues != "auto" else 2 if run.generation < 3 else 1
    if queues > 1:
        attrs += f',"queue":{run.lightest_ring(engine, queues, dst.size * dst.dtype.itemsize)}'
    return attrs, None if engine == "sync" else engine


def tile_copy(dst, src, engine=None):
    """tensor_copy, on chip."""
    from ..destination import before_read, note_written
    before_read(src)
    made = emit("tensor_copy", dst, [("data", src)], "", engine or copy_engine(dst, src))
    dst.storage.lazy = None
    if dst.storage.kind == "psum":
        note_written(dst)
    return made


def dma(dst, src, attrs="", engine=None):
    """dma_copy, through a tile when one side is in PSUM."""
    from ..destination import before_read
    if src.storage.kind != "hbm":
        before_read(src)
    if src.storage.kind == "psum":
        staged = memory.fresh(src.shape, src.dtype)
        tile_copy(staged, src)
        src = staged
    if dst.storage.kind == "psum":
        staged = memory.fresh(dst.shape, dst.dtype)
        emit("dma_copy", staged, [("src", src)], *dma_route(staged, attrs, engine))
        return tile_copy(dst, staged)
    if dst.storage.kind != "hbm":
        dst.storage.lazy = None
    return emit("dma_copy", dst, [("src", src)], *dma_route(dst, attrs, engine))


def copy(dst, src):
    """`dst[...] = src` between any two places."""
    box = clip.region(dst.shape, None, [dst, src] if len(src.shape) == len(dst.shape) else [dst])
    if box is clip.EMPTY:
        return None
    if box is not None:
        dst, src = clip.cut(dst, box, dst.shape), clip.cut(src, box, dst.shape)
    if dst.size != src.size:
        dst, src = matched(dst, src)
    if dst.storage.kind == "hbm" or src.storage.kind == "hbm":
        return dma(dst, src)
    if dst.shape[0] != src.shape[0]:
        if src.shape[0] == 1:
            from .broadcast import over_partitions
            return tile_copy(dst, over_partitions(src, dst.shape[0]))
        return dma(dst, src)
    return tile_copy(dst, src)


def matched(dst, src):
    """Two regions of different size: broadcast the source, or clip both to what they share."""
    if len(dst.shape) == len(src.shape) and all(a == b or b == 1 for a, b in zip(dst.shape, src.shape)):
        if dst.storage.kind == "hbm" or dst.shape[0] == src.shape[0]:
            return dst, views.broadcast(src, dst.shape)
        return dst, views.broadcast(src, src.shape[:1] + dst.shape[1:])
    a, b = _squeezed(dst), _squeezed(src)
    if len(a.shape) == len(b.shape):
        recorder.clipped()
        common = [(0, min(n, m)) for n, m in zip(a.shape, b.shape)]
        return clip.cut(a, common, a.shape), clip.cut(b, common, b.shape)
    return dst, src


def _squeezed(t):
    """Without dims of one element, the first kept."""
    first = 0 if t.storage.kind == "hbm" else 1
    keep = [d for d, n in enumerate(t.shape) if n != 1 or d < first]
    if t.storage.kind == "hbm" and not keep:
        keep = [0]
    return views.derived(t, [t.shape[d] for d in keep], [t.strides[d] for d in keep])


def fill_hbm(dst, value):
    """A value into HBM: a filled tile, then DMA."""
    from ..isa.vector import fill_tile
    shape = dst.shape if len(dst.shape) > 1 else (1,) + dst.shape
    rows = shape[0]
    columns = views.product(shape[1:])
    for start in range(0, rows, memory.PARTITIONS):
        n = min(memory.PARTITIONS, rows - start)
        tile = memory.fresh((n, columns), dst.dtype)
        fill_tile(tile, value)
        part = dst[start:start + n] if len(dst.shape) > 1 else dst
        dma(part, tile)
