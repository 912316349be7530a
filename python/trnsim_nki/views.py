# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Views that cost nothing: reshape, permute, broadcast over free dims, access patterns, other types."""

import re

from .errors import LimitError, UnsupportedError


def sizes(shape):
    """(a, b) from f(a, b) and f((a, b))."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    return tuple(int(n) for n in shape)


def product(shape):
    n = 1
    for count in shape:
        n *= count
    return n


def derived(t, shape, strides, offset=None, dtype=None):
    """Another view of the same storage."""
    t.fresh = None
    made = tensor.NkiTensor(t.storage, dtype or t.dtype, tuple(shape), tuple(strides), t.offset if offset is None else offset, t.blocks)
    made.indirect = t.indirect
    made.over = ()
    return made


def is_contiguous(t):
    expected = 1
    for n, stride in zip(reversed(t.shape), reversed(t.strides)):
        if n != 1 and stride != expected:
            return False
        expected *= n
    return True


def merged(shape, strides):
    """Dims without those of one element, neighbours joined where one stride serves both."""
    out = []
    for n, stride in zip(shape, strides):
        if n == 1:
            continue
        if out and out[-1][1] == stride * n:
            out[-1] = (out[-1][0] * n, stride)
        else:
            out.append((n, stride))
    return out


def reshaped(t, shape):
    if -1 in shape:
        known = product(n for n in shape if n != -1)
        shape = tuple(t.size // known if n == -1 else n for n in shape)
    if product(shape) != t.size:
        raise LimitError(f"reshape of {list(t.shape)} to {list(shape)}: {t.size} elements against {product(shape)}")
    if t.storage.kind != "hbm":
        b = t.blocks
        if shape[:b + 1] != t.shape[:b + 1]:
            return _partitions_reshaped(t, shape)
        strides = t.strides[:b + 1] + _strides_for(t.shape[b + 1:], t.strides[b + 1:], shape[b + 1:])
    else:
        strides = _strides_for(t.shape, t.strides, shape)
    return derived(t, shape, strides)


def _partitions_reshaped(t, shape):
    """A reshape that keeps the number of partitions but names it elsewhere: dims of one may move."""
    partitions = t.shape[t.blocks]
    lead = 0
    while lead < len(shape) - 1 and shape[lead] == 1 and partitions != 1:
        lead += 1
    if shape[lead] == partitions and t.blocks == 0:
        free = _strides_for(t.shape[1:], t.strides[1:], shape[lead + 1:])
        if lead:
            raise UnsupportedError(f"reshape of a tile {list(t.shape)} to {list(shape)}: the partition dimension stays first")
        return derived(t, shape, t.strides[:1] + free)
    if partitions == 1 and shape[0] != 1:
        raise LimitError(f"reshape of a tile {list(t.shape)} to {list(shape)} moves data between partitions")
    raise LimitError(f"reshape of a tile {list(t.shape)} to {list(shape)} changes the partition dimension")


def _strides_for(old_shape, old_strides, shape):
    """Strides of the same elements under another shape."""
    dims = merged(old_shape, old_strides)
    out = [0] * len(shape)
    at, left, stride = len(dims), 1, 1
    for d in range(len(shape) - 1, -1, -1):
        n = shape[d]
        if n == 1:
            out[d] = 1 if d == len(shape) - 1 else out[d + 1] * shape[d + 1]
            continue
        if left == 1:
            at -= 1
            left, stride = dims[at]
        if left % n:
            raise LimitError(f"reshape of a view {list(old_shape)} with strides {list(old_strides)} to {list(shape)} needs a copy")
        out[d] = stride
        left //= n
        stride *= n
    return tuple(out)


def viewed(t, dtype):
    """The same bytes as another type; the last dim is rescaled."""
    old, new = t.dtype.itemsize, dtype.itemsize
    if old == new:
        return derived(t, t.shape, t.strides, dtype=dtype)
    shape, strides = list(t.shape), list(t.strides)
    if strides[-1] != 1 and shape[-1] != 1:
        raise LimitError("view of another size needs a last dimension without a stride")
    if shape[-1] * old % new or t.offset * old % new or any(s * old % new for s in strides[:-1]):
        raise LimitError(f"view of {list(t.shape)} {t.dtype.name} as {dtype.name}: sizes do not divide")
    shape[-1] = shape[-1] * old // new
    strides = [s * old // new for s in strides[:-1]] + [1]
    return derived(t, shape, strides, t.offset * old // new, dtype)


def pattern(t, dims, offset, scalar_offset, vector_offset, dtype):
    """`.ap`: strides and counts over the storage, from the offset of the view on."""
    base, kind = t.offset, dtype or t.dtype
    if kind.itemsize != t.dtype.itemsize:
        base = base * t.dtype.itemsize // kind.itemsize
    whole = None
    if offset is not None:
        try:
            whole = int(offset)
        except (TypeError, UnsupportedError):
            scalar_offset = offset
    strides = tuple(int(s) for s, _ in dims)
    shape = tuple(int(n) for _, n in dims)
    made = derived(t, shape, strides, base + (whole or 0), kind)
    if made.blocks:
        made.storage, made.offset = tensor.on_one_tile(t.storage, made.offset)
        made.blocks = 0
    if made.storage.kind != "hbm" and len(shape) < 2:
        made.shape, made.strides = shape + (1,), strides + (1,)
    for kind, index in (("scalar", scalar_offset), ("vector", vector_offset)):
        if index is not None:
            made.indirect = tensor.Indirect(kind, index if isinstance(index, tensor.NkiTensor) else None)
    return made


def indirect(t, kind, index):
    made = derived(t, (index.size,) + t.shape[1:], t.strides)
    made.indirect = tensor.Indirect(kind, index)
    return made


def broadcast(t, shape):
    """Dims of one element repeated without moving data; not over partitions on chip."""
    pad = len(shape) - len(t.shape)
    if pad < 0:
        raise LimitError(f"broadcast of {list(t.shape)} to {list(shape)}")
    strides = [0] * pad
    for d, (n, stride) in enumerate(zip(t.shape, t.strides), pad):
        if n != shape[d] and n != 1:
            raise LimitError(f"broadcast of {list(t.shape)} to {list(shape)}")
        strides.append(stride if n == shape[d] else 0)
    return derived(t, shape, strides)


def expanded(t, axis):
    axis = axis + len(t.shape) + 1 if axis < 0 else axis
    if t.storage.kind != "hbm" and axis <= t.blocks:
        raise UnsupportedError(f"expand_dims(axis={axis}) of a tile {list(t.shape)}: the partition dimension stays first")
    return derived(t, t.shape[:axis] + (1,) + t.shape[axis:], t.strides[:axis] + (0,) + t.strides[axis:])


def squeezed(t, axis):
    axis = axis + len(t.shape) if axis < 0 else axis
    if t.shape[axis] != 1:
        raise LimitError(f"squeeze of dimension {axis} of {list(t.shape)}")
    return derived(t, t.shape[:axis] + t.shape[axis + 1:], t.strides[:axis] + t.strides[axis + 1:])


def permuted(t, axes):
    if sorted(axes) != list(range(len(t.shape))):
        raise LimitError(f"permute {list(axes)} of {list(t.shape)}")
    if t.storage.kind != "hbm" and axes[:t.blocks + 1] != tuple(range(t.blocks + 1)):
        raise LimitError(f"permute {list(axes)} of a tile {list(t.shape)} moves the partition dimension")
    return derived(t, tuple(t.shape[a] for a in axes), tuple(t.strides[a] for a in axes))


def rearranged(t, source, target, named):
    """`rearrange("b (h d) -> h b d", h=8)`, or two lists of names and groups of names."""
    if target is None:
        source, target = source.split("->")
    groups, order = _groups(source), _groups(target)
    named = dict(named or {})
    shape = []
    for group, n in zip(groups, t.shape):
        unknown = [g for g in group if g not in named]
        known = product(named[g] for g in group if g in named)
        if len(unknown) > 1 or n % known:
            raise LimitError(f"rearrange '{source}' of {list(t.shape)}: sizes of {', '.join(unknown) or 'the groups'}")
        for g in unknown:
            named[g] = n // known
        shape += [named[g] for g in group]
    names = [g for group in groups for g in group]
    split = reshaped(t, tuple(shape))
    flat = [g for group in order for g in group]
    moved = permuted(split, tuple(names.index(g) for g in flat))
    return reshaped(moved, tuple(product(named[g] for g in group) for group in order))


def _groups(text):
    if isinstance(text, str):
        return [tuple((a or b).split()) for a, b in re.findall(r"\(([^)]*)\)|(\S+)", text)]
    return [tuple(g) if isinstance(g, (tuple, list)) else (g,) for g in text]


tensor = None  # set when the package is put together
