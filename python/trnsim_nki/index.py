# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Index tensors (`nl.arange`, `nl.mgrid`) that stay affine, and the masks made by comparing them."""

import itertools

import numpy as np

from .errors import UnsupportedError

_axis = itertools.count(1)


class Index:
    """base + sum of coefs[d] × (position along dim d). `axes[d]` says which range made the dim."""

    __slots__ = ("shape", "coefs", "axes", "base", "irregular")
    __array_ufunc__ = None

    def __init__(self, shape, coefs, axes, base=0, irregular=False):
        self.shape = shape
        self.coefs = coefs
        self.axes = axes
        self.base = base
        self.irregular = irregular  # values that are not affine; the shape still holds

    @property
    def ndim(self):
        return len(self.shape)

    def __repr__(self):
        return f"Index(shape={self.shape}, coefs={self.coefs}, base={self.base})"

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        if Ellipsis in key:
            at = key.index(Ellipsis)
            fill = len(self.shape) - sum(1 for k in key if k is not None and k is not Ellipsis)
            key = key[:at] + (slice(None),) * fill + key[at + 1:]
        shape, coefs, axes, base, d = [], [], [], self.base, 0
        for k in key:
            if k is None:
                shape.append(1), coefs.append(0), axes.append(None)
            elif isinstance(k, slice):
                start, stop, step = k.indices(self.shape[d])
                shape.append(max(0, -(-(stop - start) // step)))
                coefs.append(self.coefs[d] * step), axes.append(self.axes[d])
                base += self.coefs[d] * start
                d += 1
            else:
                base += self.coefs[d] * int(k)
                d += 1
        shape += self.shape[d:]
        return Index(tuple(shape), tuple(coefs) + self.coefs[d:], tuple(axes) + self.axes[d:], base, self.irregular)

    def broadcast_to(self, shape):
        pad = len(shape) - len(self.shape)
        return Index(tuple(shape), (0,) * pad + self.coefs, (None,) * pad + self.axes, self.base, self.irregular)

    def _combined(self, other, sign):
        if isinstance(other, (int, np.integer)):
            return Index(self.shape, self.coefs, self.axes, self.base + sign * int(other), self.irregular)
        if isinstance(other, float) and other.is_integer():
            return self._combined(int(other), sign)
        if not isinstance(other, Index):
            return NotImplemented
        rank = max(len(self.shape), len(other.shape))
        a, b = self, other
        if len(a.shape) < rank:
            a = a.broadcast_to((1,) * (rank - len(a.shape)) + a.shape)
        if len(b.shape) < rank:
            b = b.broadcast_to((1,) * (rank - len(b.shape)) + b.shape)
        shape, coefs, axes = [], [], []
        for n, m, c, d, x, y in zip(a.shape, b.shape, a.coefs, b.coefs, a.axes, b.axes):
            if n != m and n != 1 and m != 1:
                raise UnsupportedError(f"index tensors of shapes {self.shape} and {other.shape} do not broadcast")
            shape.append(m if n == 1 else n)
            coefs.append((c if n != 1 else 0) + sign * (d if m != 1 else 0))
            axes.append(x if m == 1 or y is None else (y if n == 1 or x is None else (x if x == y else None)))
        return Index(tuple(shape), tuple(coefs), tuple(axes), a.base + sign * b.base, a.irregular or b.irregular)

    def __add__(self, other):
        return self._combined(other, 1)

    __radd__ = __add__

    def __sub__(self, other):
        return self._combined(other, -1)

    def __neg__(self):
        return Index(self.shape, tuple(-c for c in self.coefs), self.axes, -self.base, self.irregular)

    def __rsub__(self, other):
        return (-self)._combined(other, 1)

    def __mul__(self, other):
        if not isinstance(other, (int, np.integer)):
            return NotImplemented
        n = int(other)
        return Index(self.shape, tuple(c * n for c in self.coefs), self.axes, self.base * n, self.irregular)

    __rmul__ = __mul__

    def values(self):
        """All values, as numpy integers."""
        total = np.full(self.shape, self.base, dtype=np.int64)
        for d, (n, c) in enumerate(zip(self.shape, self.coefs)):
            total = total + (np.arange(n) * c).reshape((n,) + (1,) * (len(self.shape) - d - 1))
        return total

    def _computed(self, function):
        """An index of the values `function` makes of these; irregular when they are not affine."""
        got = function(self.values())
        base = int(got.flat[0])
        coefs = []
        for d, n in enumerate(self.shape):
            at = [0] * len(self.shape)
            at[d] = 1
            coefs.append(int(got[tuple(at)]) - base if n > 1 else 0)
        made = Index(self.shape, tuple(coefs), self.axes, base, self.irregular)
        made.irregular = made.irregular or not np.array_equal(made.values(), got)
        return made

    def __floordiv__(self, n):
        return self._computed(lambda v: v // int(n)) if isinstance(n, (int, np.integer)) else NotImplemented

    def __mod__(self, n):
        return self._computed(lambda v: v % int(n)) if isinstance(n, (int, np.integer)) else NotImplemented

    def _at_least(self, other, extra):
        """Mask of self − other − extra ≥ 0."""
        difference = self._combined(other, -1)
        if difference is NotImplemented:
            return NotImplemented
        return Mask([Term(difference.shape, difference.coefs, difference.axes, difference.base - extra)])

    def __ge__(self, other):
        return self._at_least(other, 0)

    def __gt__(self, other):
        return self._at_least(other, 1)

    def __le__(self, other):
        return (-self)._at_least(-other, 0)

    def __lt__(self, other):
        return (-self)._at_least(-other, 1)

    def __eq__(self, other):
        if not isinstance(other, (int, np.integer, Index)):
            return NotImplemented
        return (self >= other) & (self <= other)

    def __ne__(self, other):
        if not isinstance(other, (int, np.integer, Index)):
            return NotImplemented
        return Mask([], True)

    __hash__ = object.__hash__

    def __bool__(self):
        raise UnsupportedError("an index tensor has no truth value")

    def __invert__(self):
        return -self - 1


class Term:
    """base + sum of coefs × positions ≥ 0."""

    __slots__ = ("shape", "coefs", "axes", "base")

    def __init__(self, shape, coefs, axes, base):
        self.shape = shape
        self.coefs = coefs
        self.axes = axes
        self.base = base


class Mask:
    """A conjunction of terms. `unknown` marks a part that is not one (or, not equal): it keeps all."""

    __slots__ = ("terms", "unknown")
    __array_ufunc__ = None

    def __init__(self, terms, unknown=False):
        self.terms = terms
        self.unknown = unknown

    def __and__(self, other):
        if isinstance(other, Mask):
            return Mask(self.terms + other.terms, self.unknown or other.unknown)
        if isinstance(other, (bool, np.bool_)):
            return self if other else Mask([Term((), (), (), -1)])
        return NotImplemented

    __rand__ = __and__

    def __or__(self, other):
        return Mask([], True)

    __ror__ = __or__

    def __invert__(self):
        if len(self.terms) == 1 and not self.unknown:
            t = self.terms[0]
            return Mask([Term(t.shape, tuple(-c for c in t.coefs), t.axes, -t.base - 1)])
        return Mask([], True)

    def __bool__(self):
        raise UnsupportedError("a mask has no truth value; combine masks with &")

    @property
    def shape(self):
        shape = ()
        for t in self.terms:
            shape = np.broadcast_shapes(shape, t.shape)
        return shape


def mask_of(value):
    """The mask that `mask=` names: a mask, a bool, or None."""
    if value is None or isinstance(value, Mask):
        return value
    if isinstance(value, (bool, np.bool_, int)):
        return None if value else Mask([Term((), (), (), -1)])
    if isinstance(value, (tuple, list)):
        total = None
        for v in value:
            v = mask_of(v)
            total = v if total is None else (total & v if v is not None else total)
        return total
    raise UnsupportedError(f"mask={value!r}: neither a comparison of index tensors nor a bool")


def narrowed(bounds, terms, position):
    """Box [(first, end), …] of the points inside `bounds` for which all terms hold; None when there are none.

    `position(term, d)` is the dim of the box that dim d of a term goes with, or None.
    """
    for _ in range(2):
        for term in terms:
            varying = []
            most = term.base
            for d, (n, c) in enumerate(zip(term.shape, term.coefs)):
                if c == 0 or n == 1:
                    continue
                p = position(term, d)
                if p is None:
                    continue
                lo, hi = bounds[p]
                most += c * (hi - 1) if c > 0 else c * lo
                varying.append((p, c))
            if most < 0:
                return None
            for p, c in varying:
                lo, hi = bounds[p]
                if c > 0:
                    others = most - c * (hi - 1)
                    lo = max(lo, -(others // c))
                else:
                    others = most - c * lo
                    hi = min(hi, others // -c + 1)
                if lo >= hi:
                    return None
                most = most - (c * (bounds[p][1] - 1) if c > 0 else c * bounds[p][0]) + (c * (hi - 1) if c > 0 else c * lo)
                bounds[p] = (lo, hi)
    return bounds


def arange(*args):
    start, stop, step = 0, None, 1
    if len(args) == 1:
        stop = int(args[0])
    else:
        start, stop = int(args[0]), int(args[1])
        step = int(args[2]) if len(args) > 2 else 1
    return Index((max(0, -(-(stop - start) // step)),), (step,), (next(_axis),), start)


class Grid(tuple):
    """What `nl.mgrid[…]` gives: one index tensor per dim, also by name."""

    p = property(lambda self: self[0])
    x = property(lambda self: self[1])
    y = property(lambda self: self[2])
    z = property(lambda self: self[3])
    w = property(lambda self: self[4])


class GridMaker:
    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        ranges = [range(*(int(v) if v is not None else d for v, d in zip((k.start, k.stop, k.step), (0, None, 1))))
                  for k in key]
        shape = tuple(len(r) for r in ranges)
        axes = tuple(next(_axis) for _ in ranges)
        grids = []
        for d, r in enumerate(ranges):
            coefs = tuple(r.step if e == d else 0 for e in range(len(ranges)))
            grids.append(Index(shape, coefs, axes, r.start))
        return Grid(grids)


mgrid = GridMaker()
