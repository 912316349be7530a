# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Indexing: slices, integers, `nl.ds`, index tensors, tiles and registers as indices."""

import numpy as np

from . import recorder
from .errors import LimitError, UnsupportedError
from .index import Index, Mask, Term, mask_of


class DynamicSlice:
    """`nl.ds(start, size)`: a slice given by its size; the start may be known only at run time."""

    __slots__ = ("start", "size", "step")

    def __init__(self, start, size, step=1):
        self.start = start
        self.size = int(size)
        self.step = step

    @property
    def stop(self):
        return self.start + self.size


def subscript(t, key):
    if type(key) is not tuple:
        key = tuple(key) if type(key) is list else (key,)
    if len(key) == 1 and type(key[0]) in (tuple, list):
        key = tuple(key[0])
    shape, strides, offset = t.shape, t.strides, t.offset
    blocks, on_chip = t.blocks, t.storage.kind != "hbm"
    out_shape, out_strides = [], []
    d, out_blocks = 0, blocks
    for k in key:
        kind = type(k)
        if kind is slice:
            if d >= len(shape):
                raise LimitError(f"too many indices: {len(key)} for the shape {list(shape)}")
            n, stride = shape[d], strides[d]
            start, stop, step = k.start, k.stop, k.step
            if start.__class__ is int and stop.__class__ is int and step is None and 0 <= start <= stop:
                if stop > n:
                    recorder.clipped()
                    stop = n
                    if start > n:
                        start = n
                count = stop - start
            else:
                start, stop, step = _indices(k, n)
                count = max(0, -(-(stop - start) // step))
                stride *= step
            offset += start * strides[d]
            out_shape.append(count)
            out_strides.append(stride)
            d += 1
        elif kind is int:
            if d >= len(shape):
                raise LimitError(f"too many indices: {len(key)} for the shape {list(shape)}")
            n = shape[d]
            if k < 0:
                k += n
            if not 0 <= k < n:
                raise LimitError(f"index {k} out of the {n} of dimension {d} of the shape {list(shape)}")
            offset += k * strides[d]
            if d < blocks:
                out_blocks -= 1
            elif on_chip and d == blocks:
                out_shape.append(1)
                out_strides.append(strides[d])
            d += 1
        elif kind is DynamicSlice and k.start.__class__ is int and k.step == 1:
            start, n = k.start, shape[d]
            stop = start + k.size
            if stop > n or start < 0:
                recorder.clipped()
                start, stop = max(0, min(start, n)), min(stop, n)
            offset += start * strides[d]
            out_shape.append(stop - start)
            out_strides.append(strides[d])
            d += 1
        elif k is Ellipsis:
            rest = len(shape) - sum(1 for x in key if x is not None and x is not Ellipsis)
            out_shape += shape[d:d + rest]
            out_strides += strides[d:d + rest]
            d += rest
        elif k is None:
            out_shape.append(1)
            out_strides.append(0)
        else:
            return _general(t, key)
    if d < len(shape):
        out_shape += shape[d:]
        out_strides += strides[d:]
    return _finish(t, out_shape, out_strides, offset, out_blocks)


def _finish(t, shape, strides, offset, blocks):
    storage = t.storage
    if storage.kind != "hbm":
        while len(shape) < 2 + blocks:
            shape.append(1)
            strides.append(1)
        if blocks == 0 and t.blocks:
            storage, offset = tensor.on_one_tile(storage, offset)
    view = tensor.NkiTensor(storage, t.dtype, tuple(shape), tuple(strides), offset, blocks)
    view.indirect = t.indirect
    t.fresh = None
    return view


def _integer(value):
    """`value` as a Python integer, or None when it is known only at run time."""
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return int(value)
    if isinstance(value, np.ndarray) and value.size == 1:
        return int(value)
    return None


def _indices(k, n):
    """Start, stop, step of a slice in a dimension of n, clipped to it."""
    parts = []
    for v in (k.start, k.stop, k.step):
        if v is not None:
            whole = _integer(v)
            if whole is None:
                raise UnsupportedError(f"slice bound {v!r}; use nl.ds(start, size) for a start known at run time")
            v = whole
        parts.append(v)
    if parts[1] is not None and parts[1] > n:
        recorder.clipped()
    return slice(*parts).indices(n)


def _general(t, key):
    """Indices that are not all slices and integers."""
    if len(key) == 1 and isinstance(key[0], (Mask, bool, np.bool_)):
        return _masked(t, key[0])
    plain = []
    for k in key:
        whole = None if k is None or k is Ellipsis or isinstance(k, (slice, Index, Mask)) else _integer(k)
        if whole is not None:
            k = whole
        elif isinstance(k, range):
            k = slice(k.start, k.stop, k.step)
        elif isinstance(k, np.ndarray):
            k = _array_index(k)
        elif isinstance(k, DynamicSlice):
            start, step = _integer(k.start), _integer(k.step) or 1
            if start is not None:
                k = DynamicSlice(start, k.size) if step == 1 else slice(start, start + k.size * step, step)
        plain.append(k)
    if any(isinstance(k, Index) for k in plain):
        return _by_index(t, plain)
    if all(k is None or k is Ellipsis or isinstance(k, (slice, int)) or
           (isinstance(k, DynamicSlice) and isinstance(k.start, int)) for k in plain):
        return subscript(t, tuple(plain))
    return _at_run_time(t, plain)


def _masked(t, mask):
    """`x[mask]`: an operand of which a matmul uses a part."""
    view = subscript(t, (Ellipsis,))
    view.axes, view.over = t.axes, t.over
    mask = mask_of(mask)
    view.mask = mask if t.mask is None else (t.mask if mask is None else t.mask & mask)
    return view


def _array_index(values):
    if values.ndim == 1 and values.size > 1:
        steps = np.diff(values)
        if (steps == steps[0]).all():
            return Index((values.size,), (int(steps[0]),), (None,), int(values[0]))
    raise UnsupportedError("a numpy array that is no arithmetic series as an index")


def _at_run_time(t, key):
    """A start known only at run time: the region has its shape, its place is anywhere in the tensor."""
    index, still = None, []
    for k in key:
        if isinstance(k, DynamicSlice):
            index, k = k.start, slice(0, k.size)
        elif isinstance(k, tensor.NkiTensor) and k.size == 1 or getattr(k, "is_register", False):
            index, k = k, 0
        elif isinstance(k, tensor.NkiTensor):
            return _gathered(t, key, k)
        elif k is not None and k is not Ellipsis and not isinstance(k, (slice, int)):
            raise UnsupportedError(f"index {k!r}")
        still.append(k)
    view = subscript(t, tuple(still))
    view.indirect = tensor.Indirect("scalar", index if isinstance(index, tensor.NkiTensor) else None)
    return view


def _gathered(t, key, rows):
    """Rows chosen by a tile of indices: one per partition."""
    key = [slice(0, min(rows.size, t.shape[0])) if k is rows else k for k in key]
    view = subscript(t, tuple(key))
    shape = (rows.size,) + view.shape[1:]
    made = tensor.NkiTensor(view.storage, t.dtype, shape, view.strides, view.offset, view.blocks)
    made.indirect = tensor.Indirect("vector", rows)
    return made


def _by_index(t, key):
    """Index tensors: the result has their broadcast shape; slices among them add dims at the end."""
    if Ellipsis in [k for k in key if not isinstance(k, Index)]:
        at = next(i for i, k in enumerate(key) if k is Ellipsis)
        fill = len(t.shape) - sum(1 for k in key if k is not None and k is not Ellipsis)
        key = key[:at] + [slice(None)] * fill + key[at + 1:]
    key = [k for k in key if k is not None] if any(k is None for k in key) else key
    indices = [k for k in key if isinstance(k, Index)]
    rank = max(len(k.shape) for k in indices)
    shape = [1] * rank
    for k in indices:
        for d, n in enumerate(k.shape, rank - len(k.shape)):
            if n != 1:
                if shape[d] not in (1, n):
                    raise LimitError(f"index tensors of shapes {[i.shape for i in indices]} do not broadcast")
                shape[d] = n
    if len(key) > len(t.shape):
        raise LimitError(f"{len(key)} indices for the shape {list(t.shape)}")
    strides, axes, offset, over = [0] * rank, [None] * rank, t.offset, []
    tail_shape, tail_strides, indirect, blocks, fixed = [], [], t.indirect, t.blocks, 0
    for d in range(len(t.shape)):
        k = key[d] if d < len(key) else slice(None)
        n, stride = t.shape[d], t.strides[d]
        if isinstance(k, int):
            k = k + n if k < 0 else k
            if k >= n:
                over.append(Term((), (), (), n - 1 - k))
            offset += k * stride
            fixed += d < blocks
        elif isinstance(k, Index):
            if k.irregular:
                recorder.approximate("an index tensor that is not affine")
            offset += k.base * stride
            low = high = k.base
            pad = rank - len(k.shape)
            coefs = (0,) * pad + k.coefs
            for e in range(rank):
                c = coefs[e]
                if c and k.shape[e - pad] > 1:
                    strides[e] += c * stride
                    axes[e] = axes[e] or k.axes[e - pad]
                    if c > 0:
                        high += c * (k.shape[e - pad] - 1)
                    else:
                        low += c * (k.shape[e - pad] - 1)
                elif e >= pad and k.axes[e - pad] and axes[e] is None:
                    axes[e] = k.axes[e - pad]
            if high >= n or low < 0:
                padded = (1,) * pad + k.shape
                over.append(Term(padded, tuple(-c for c in coefs), (), n - 1 - k.base))
                over.append(Term(padded, coefs, (), k.base))
            if d < blocks:
                if all(c == 0 or m == 1 for c, m in zip(k.coefs, k.shape)):
                    fixed += 1
        elif isinstance(k, (slice, DynamicSlice)):
            if isinstance(k, DynamicSlice):
                if not isinstance(k.start, int):
                    indirect = tensor.Indirect("scalar", k.start if isinstance(k.start, tensor.NkiTensor) else None)
                    k = slice(0, k.size)
                else:
                    k = slice(k.start, k.start + k.size)
            start, stop, step = _indices(k, n)
            tail_shape.append(max(0, -(-(stop - start) // step)))
            tail_strides.append(stride * step)
            offset += start * stride
        elif isinstance(k, tensor.NkiTensor):
            indirect = tensor.Indirect("scalar" if k.size == 1 else "vector", k)
            if k.size > 1:  # a tile of row numbers goes with the first dim of the result
                shape[0] = max(shape[0], k.shape[0])
        elif getattr(k, "is_register", False):
            indirect = tensor.Indirect("scalar", None)
        else:
            raise UnsupportedError(f"index {k!r} together with index tensors")
    on_chip = t.storage.kind != "hbm"
    storage = t.storage
    if on_chip and blocks and not any(_is_block_stride(t, s, n) for s, n in zip(strides, shape)) and fixed == blocks:
        storage, offset = tensor.on_one_tile(storage, offset)
        blocks = 0
    elif on_chip and blocks:
        blocks = 1  # the first dim runs over blocks
    shape, strides, axes = shape + tail_shape, strides + tail_strides, axes + [None] * len(tail_shape)
    while on_chip and len(shape) < 2 + blocks:
        shape.append(1), strides.append(1), axes.append(None)
    view = tensor.NkiTensor(storage, t.dtype, tuple(shape), tuple(strides), offset, blocks)
    view.axes = tuple(axes)
    view.over = tuple(over)
    view.indirect = indirect
    t.fresh = None
    return view


def _is_block_stride(t, stride, count):
    per_tile = 1
    for n in t.storage.tile_shape:
        per_tile *= n
    return count > 1 and abs(stride) >= per_tile and stride % per_tile == 0


tensor = None  # set when the package is put together
