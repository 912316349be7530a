# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Arrays outside of a kernel: arguments given by shape and type, results without values."""

import numpy as np

from .dtypes import DType, dtype_of, dtype_or_none


class Spec:
    """An array with a shape and a type, and no values. Methods of host arrays keep or change only these."""

    def __init__(self, shape, dtype):
        self.shape = tuple(int(n) for n in shape)
        self.dtype = dtype_of(dtype)

    def __repr__(self):
        return f"{self.dtype.name}{list(self.shape)}"

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def T(self):
        return Spec(self.shape[::-1], self.dtype)

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        return len(self.shape)

    def __len__(self):
        return self.shape[0]

    def numel(self):
        n = 1
        for count in self.shape:
            n *= count
        return n

    def __array__(self, dtype=None, **_):
        return np.zeros(self.shape, dtype or self.dtype.dtype)

    def _same(self, *_, **__):
        return self

    to_device = contiguous = clone = detach = cpu = cuda = copy = numpy = requires_grad_ = block_until_ready = _same
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = _same
    __neg__ = abs = exp = sqrt = clamp = clip = round = _same

    def to(self, *args, **keywords):
        for value in list(args) + list(keywords.values()):
            kind = value if isinstance(value, DType) else None
            if kind is not None:
                return Spec(self.shape, kind)
        return self

    astype = type = to

    def float(self):
        return Spec(self.shape, "float32")

    def bfloat16(self):
        return Spec(self.shape, "bfloat16")

    def half(self):
        return Spec(self.shape, "float16")

    def int(self):
        return Spec(self.shape, "int32")

    def reshape(self, *shape):
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        known = 1
        for n in shape:
            known *= n if n != -1 else 1
        return Spec([self.numel() // known if n == -1 else n for n in shape], self.dtype)

    view = reshape

    def transpose(self, *axes):
        if len(axes) == 2 and len(self.shape) != 2:
            order = list(range(len(self.shape)))
            order[axes[0]], order[axes[1]] = order[axes[1]], order[axes[0]]
            axes = order
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        axes = axes or tuple(range(len(self.shape)))[::-1]
        if len(self.shape) == 2 and len(axes) == 2:
            axes = [a % 2 for a in axes] if sorted(a % 2 for a in axes) == [0, 1] else axes
            if list(axes) == [0, 1]:
                axes = [1, 0]
        return Spec([self.shape[a] for a in axes], self.dtype)

    def permute(self, *axes):
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return Spec([self.shape[a] for a in axes], self.dtype)

    def t(self):
        return Spec(self.shape[::-1], self.dtype)

    def unsqueeze(self, dim):
        shape = list(self.shape)
        shape.insert(dim if dim >= 0 else dim + len(shape) + 1, 1)
        return Spec(shape, self.dtype)

    def squeeze(self, dim=None):
        return Spec([n for d, n in enumerate(self.shape) if n != 1 or (dim is not None and d != dim % len(self.shape))], self.dtype)

    def expand(self, *shape):
        return Spec([m if n == -1 else n for n, m in zip(shape, self.shape)], self.dtype)

    def __getitem__(self, key):
        return Spec(np.empty(self.shape, np.bool_)[key].shape if self.numel() < 1 << 24 else self._sliced(key), self.dtype)

    def _sliced(self, key):
        key = key if isinstance(key, tuple) else (key,)
        shape, d = [], 0
        for k in key:
            if k is None:
                shape.append(1)
                continue
            if isinstance(k, slice):
                shape.append(len(range(*k.indices(self.shape[d]))))
            d += 1
        return shape + list(self.shape[d:])


def is_array(value):
    """Whether `value` becomes a tensor in HBM when a kernel gets it."""
    return hasattr(value, "shape") and hasattr(value, "dtype") and not isinstance(value, (np.generic, type)) \
        and not callable(getattr(value, "shape", None))


def dtype_of_array(value):
    found = dtype_or_none(value.dtype)
    if found is None:
        raise TypeError(f"an array of type {value.dtype}, which no chip has")
    return found


class SpecMaker:
    """`bf16[4096, 4096]` makes a Spec; `bf16` alone is the type."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __getitem__(self, shape):
        return Spec(shape if isinstance(shape, tuple) else (shape,), self.dtype)
