# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Assignment to a slice: where a result goes, and what must be copied when it cannot go there."""

import numbers
import weakref

from . import clip, recorder, views
from .errors import UnsupportedError
from .index import Index
from .lower import copies
from .recorder import DROPPED
from .tensor import NkiTensor, settled

_MATMULS = frozenset(("nc_matmul", "nc_matmul_mx"))


def same_region(a, b):
    return a.storage is b.storage and a.offset == b.offset and a.shape == b.shape and a.dtype is b.dtype


def may_write(producer, kind, casts=False):
    """Whether the engine of an instruction reaches a kind of memory with its result, of another type if it `casts`."""
    op = producer.op
    if op in _MATMULS or (op == "nc_transpose" and producer.engine != "vector"):
        return kind == "psum"
    if op in ("dma_copy", "dma_transpose", "dma_compute"):
        return kind != "psum" and not (op == "dma_transpose" and casts)
    if producer.engine == "gpsimd" or op in ("iota", "affine_select", "nc_n_gather", "local_gather", "tensor_partition_reduce"):
        return kind == "sbuf"
    return kind != "hbm"


def assign(target, value):
    """`target[...] = value`."""
    if isinstance(value, NkiTensor):
        if target.storage is value.storage and same_region(target, value):
            return
        if target.blocks:
            target = _unblocked(target, value)
            if target is None:
                return
        value = settled(value, "value")
        producer = value.fresh
        if producer is DROPPED:
            return
        if producer is not None and not producer.settled and may_write(producer, target.storage.kind, producer.dst.dtype is not target.dtype) \
                and (producer.op != "dma_copy" or target.storage.kind == "sbuf" or producer.operands[0][1].storage.kind == "sbuf") \
                and untouched_since(producer, target) and redirect(value, producer, target):
            return
        copies.copy(target, value)
    elif type(value).__name__ == "LoopReduction":
        _reduce(target, value)
    elif isinstance(value, Index):
        from .isa.gpsimd import materialised
        assign(target, materialised(value))
    elif isinstance(value, (numbers.Number, bool)) or hasattr(value, "__float__"):
        fill(target, value)
    else:
        raise UnsupportedError(f"assignment of {type(value).__name__} to a tensor")


_reduced = weakref.WeakKeyDictionary()  # storage -> slices that a loop_reduce has started


def _reduce(target, reduction):
    from .lower.compound import assign_reduction
    target = settled(target, "destination")
    slices = _reduced.setdefault(target.storage, set())
    key = (target.offset, target.shape)
    assign_reduction(target, reduction, key in slices)
    slices.add(key)


def _unblocked(target, value):
    """A target with block dimensions: block by block, unless there is only one."""
    counts = target.shape[:target.blocks]
    if views.product(counts) == 1:
        return settled(target, "destination")
    if not isinstance(value, NkiTensor) or value.shape[:target.blocks] != counts:
        raise UnsupportedError(f"assignment to several blocks {list(target.shape)} at once")
    for i in range(counts[0]):
        assign(target[i], value[i])
    return None


def untouched_since(producer, target):
    """Whether no instruction after the producer reads or writes the target: else a copy keeps the order."""
    pending = recorder.now.pending
    if pending[-1] is producer:
        return True
    storage = target.storage
    for later in reversed(pending):
        if later is producer:
            return True
        if later.dst is not None and later.dst.storage is storage or any(t.storage is storage for _, t in later.operands):
            return False
    return False


def redirect(value, producer, target):
    """Makes `target` the place of a result that has just been computed."""
    full = producer.shape or value.shape
    if target.size != views.product(full) and not target.over:
        return False
    box = producer.region
    if target.over:
        if len(target.shape) != len(full):
            return False
        mine = clip.region(target.shape, None, [target])
        if mine is clip.EMPTY:
            recorder.now.pending.remove(producer)
            return True
        if mine is not None:
            if producer.op in _MATMULS or producer.op == "nc_transpose":
                return False
            producer.operands = [(r, clip.cut(t, mine, full)) for r, t in producer.operands]
            box = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(box or mine, mine)]
    if box is not None and len(target.shape) != len(full):
        target = views.reshaped(target, full)
    if value.shape[0] != target.shape[0] and target.storage.kind != "hbm" and box is None:
        return False
    to = clip.cut(target, box, full)
    lazy = target.storage.lazy
    if lazy is not None:
        fill_before(to, producer)
    producer.dst = to
    if producer.op in _MATMULS:
        note_written(to)
        producer.attrs = producer.attrs.replace(',"accumulate":true', "")
    elif to.storage.kind == "psum":
        note_written(to)
    value.storage, value.offset, value.dtype = target.storage, target.offset, target.dtype
    value.shape, value.strides, value.blocks = target.shape, target.strides, target.blocks
    value.fresh = None
    return True


def accumulate(target, value, op="add"):
    """`target[...] += value`: free for a matmul into PSUM, an instruction otherwise."""
    if isinstance(value, NkiTensor) and target.storage.kind == "psum" and op == "add":
        producer = value.fresh
        if producer is DROPPED:
            return target
        if producer is not None and not producer.settled and (producer.op in _MATMULS or producer.op == "nc_transpose"):
            into = settled(target, "destination")
            before = was_written(into)
            lazy = into.storage.lazy
            if redirect(value, producer, into):
                if producer.op in _MATMULS and (before or (lazy is not None and lazy != 0)):
                    producer.attrs += ',"accumulate":true'
                return target
    from . import operators
    operators.binary(op, target, value, dst=settled(target, "destination"))
    return target


# What a PSUM tile holds: matmuls add to it or overwrite it.


def _span(view):
    storage = view.storage
    row = storage.free // view.dtype.itemsize
    start, offset = divmod(view.offset, row) if row else (0, 0)
    size = view.dtype.itemsize
    high = sum(s * (n - 1) for n, s in zip(view.shape[1:], view.strides[1:]) if s > 0)
    return start, start + view.shape[0], offset * size, (offset + high + 1) * size


def note_written(view):
    storage = view.storage
    if storage.kind != "psum":
        return
    if storage.written is None:
        storage.written = set()
    storage.written.add(_span(view))


def was_written(view):
    written = view.storage.written
    if not written:
        return False
    a = _span(view)
    if a in written:
        return True
    return any(a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3] for b in written)


def fill_before(view, producer=None):
    """A tile declared with a value is about to be written: the fill comes first unless all of it is overwritten."""
    storage = view.storage
    value, storage.lazy = storage.lazy, None
    if storage.written or view.size == views.product(storage.shape):
        return
    if producer is not None and (producer.op in _MATMULS or producer.op == "nc_transpose"):
        return
    _emit_fill(storage, value)
    if producer is not None:
        pending = recorder.now.pending
        pending.insert(pending.index(producer), pending.pop())


def before_read(view):
    """A tile declared with a value is read before it was written: the fill is needed after all."""
    storage = view.storage
    if storage.lazy is not None:
        value, storage.lazy = storage.lazy, None
        if not storage.written:
            _emit_fill(storage, value)


def _emit_fill(storage, value):
    from .isa.vector import fill_tile
    from .tensor import tensor_of
    fill_tile(tensor_of(storage), value)


def fill(target, value):
    """`target[...] = number`."""
    from .isa.vector import fill_tile
    if target.blocks:
        for i in range(target.shape[0]):
            fill(target[i], value)
        return
    if target.storage.kind == "hbm":
        copies.fill_hbm(target, value)
        return
    box = clip.region(target.shape, None, [target])
    if box is clip.EMPTY:
        return
    fill_tile(clip.cut(target, box, target.shape), value)
