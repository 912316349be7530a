# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Masks applied to the operands of one instruction: the box of elements that is read and written."""

from . import recorder, views
from .index import mask_of, narrowed

EMPTY = "empty"


def region(shape, mask, operands, axes=None):
    """Box of a result of `shape` under a mask and the bounds of its operands.

    None when all of it is meant, EMPTY when nothing is.
    """
    mask = mask_of(mask)
    if mask is None:
        for t in operands:
            if t.over or t.mask is not None:
                break
        else:
            return None
    rank = len(shape)
    where = dict(axes or {})
    if axes is None:
        for t in operands:
            if t.axes is not None and len(t.axes) == rank:
                for d, axis in enumerate(t.axes):
                    if axis is not None and t.shape[d] == shape[d]:
                        where.setdefault(axis, d)
    bounds = [(0, n) for n in shape]

    def position(term, d):
        axis = term.axes[d] if term.axes else None
        if axis is not None and axis in where:
            return where[axis]
        p = d + rank - len(term.shape)
        return p if p >= 0 and (term.shape[d] == shape[p] or term.shape[d] == 1) else None

    masks = [m for m in [mask] + [t.mask for t in operands] if m is not None]
    for m in masks:
        if m.unknown:
            recorder.approximate("a mask with | or != keeps the whole region")
        bounds = narrowed(bounds, m.terms, position)
        if bounds is None:
            return EMPTY
    before = list(bounds)
    for t in operands:
        if t.over:
            bounds = narrowed(bounds, t.over, position)
            if bounds is None:
                recorder.clipped()
                return EMPTY
    if bounds != before:
        recorder.clipped()
    return None if all(b == (0, n) for b, n in zip(bounds, shape)) else bounds


def cut(t, box, shape):
    """The part of an operand that goes with a box of the result of `shape`."""
    if box is None:
        return t
    pad = len(shape) - len(t.shape)
    offset, counts = t.offset, list(t.shape)
    for d, n in enumerate(t.shape):
        e = d + pad if d else 0
        if e < 0 or e >= len(shape):
            continue
        if n == shape[e]:
            low, high = box[e]
            offset += low * t.strides[d]
            counts[d] = high - low
    made = views.derived(t, counts, t.strides, offset)
    return made
