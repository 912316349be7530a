# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""DMA: copies, transposes and sums between memories, messages between cores."""

from .. import clip, memory, names, recorder, views
from ..dtypes import dtype_of
from ..errors import LimitError
from ..lower import copies
from ..operators import dropped, finish, result
from ..recorder import emit
from ..tensor import NkiTensor, settled
from .call import engine_name, isa_call

_DGE = {"swdge": ',"dge":"software"', "hwdge": ',"dge":"hardware"', "none": ',"dge":"static"'}


def dge_attrs(mode, *operands):
    """Who builds the descriptors: what the call says, or what an address known only at run time needs."""
    for t in operands:
        if t is not None and t.indirect is not None and t.indirect.kind == "vector":
            return _DGE["swdge"]
    for t in operands:
        if t is not None and t.indirect is not None:
            return _DGE["hwdge" if recorder.active().generation >= 3 else "swdge"]
    if mode is None:
        return ""
    name = (getattr(mode, "name", None) or str(mode)).rsplit(".", 1)[-1]
    if name == "hwdge" and recorder.active().generation < 3:
        return ""
    return _DGE.get(name, "")


def region_box(dst, src, mask):
    """Box of a copy under its mask; both sides have the same shape or none is cut."""
    if mask is None and not dst.over and not src.over and src.mask is None:
        return None
    same = dst.shape == src.shape
    return clip.region(src.shape if mask is not None or src.over else dst.shape, mask, [dst, src] if same else [src])


@isa_call("src mask= dst_rmw_op= oob_mode= dge_mode= engine= unique_indices=", tensors="src")
def dma_copy(dst, src, mask, dst_rmw_op, oob_mode, dge_mode, engine, unique_indices):
    if dst is None:
        raise LimitError("dma_copy: argument 'dst' is missing")
    if not isinstance(src, NkiTensor):
        raise LimitError(f"dma_copy: src is {type(src).__name__}; allowed: a tensor")
    src = settled(src, "src")
    box = region_box(dst, src, mask)
    if box is clip.EMPTY:
        return
    dst, src = clip.cut(dst, box, dst.shape), clip.cut(src, box, src.shape)
    attrs = dge_attrs(dge_mode, dst, src)
    if dst.size != src.size:
        dst, src = copies.matched(dst, src)
    if dst_rmw_op is not None:
        return accumulated(dst, src, dst_rmw_op, attrs, engine_name(engine))
    copies.dma(dst, src, attrs, engine_name(engine))


def accumulated(dst, src, op, attrs="", engine=None):
    """dst = dst op src, by DMA."""
    emit("dma_compute", dst, [("src", dst), ("src2", src)], *copies.dma_route(dst, f',"op0":"{names.alu(op)}"' + attrs, engine))


@isa_call("src axes= mask= dtype= dge_mode= oob_mode= engine=", tensors="src")
def dma_transpose(dst, src, axes, mask, dtype, dge_mode, oob_mode, engine):
    src = settled(src, "src")
    order = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}.get(len(src.shape))
    if axes is not None:
        order = tuple(int(a) for a in axes)
    if order is None or len(order) != len(src.shape):
        raise LimitError(f"dma_transpose of {list(src.shape)}; allowed: 2 to 4 dimensions")
    shape = tuple(src.shape[a] for a in order)
    box = clip.region(src.shape, mask, [src])
    kind = dtype_of(dtype) if dtype is not None else (dst.dtype if dst is not None else src.dtype)
    if box is clip.EMPTY:
        return dropped(dst, shape, kind)
    to_box = None if box is None else [box[a] for a in order]
    if kind is not src.dtype:  # the DMA moves bytes: a copy casts them
        turned = memory.fresh(tuple(b - a for a, b in to_box) if to_box else shape, src.dtype)
        emit("dma_transpose", turned, [("src", clip.cut(src, box, src.shape))],
             *copies.dma_route(turned, dge_attrs(dge_mode, dst, src), engine_name(engine)))
        whole, to = result(dst, shape, kind, to_box)
        made = copies.tile_copy(to, turned)
        return finish(made, whole, to_box, shape) if dst is None else None
    whole, to = result(dst, shape, kind, to_box)
    if to.storage.kind == "sbuf":
        to.storage.lazy = None
    made = emit("dma_transpose", to, [("src", clip.cut(src, box, src.shape))],
                *copies.dma_route(to, dge_attrs(dge_mode, dst, src), engine_name(engine)))
    return finish(made, whole, to_box, shape) if dst is None else None


def dma_compute(dst=None, srcs=None, *args, reduce_op=None, scales=None, unique_indices=None, **keywords):
    """dst = sum of srcs. The order of the last two arguments changed between releases."""
    for value in args:
        if isinstance(value, (list, tuple)):
            scales = value
        else:
            reduce_op = value
    for keyword in keywords:
        recorder.ignore(f"dma_compute({keyword}=)")
    dst = settled(dst, "dst")
    sources = [settled(s, "srcs") for s in srcs]
    operands = [("src" if i == 0 else f"src{i + 1}", s) for i, s in enumerate(sources)]
    alu = names.alu(reduce_op) if reduce_op is not None else "add"
    emit("dma_compute", dst, operands, *copies.dma_route(dst, f',"op0":"{alu}"' + dge_attrs(None, dst, *sources)))


def sendrecv(src=None, dst=None, send_to_rank=None, recv_from_rank=None, pipe_id=None, dma_engine=None, **keywords):
    """The second tile receives what the other core of the pair sends from its first."""
    for keyword in keywords:
        if keyword not in ("name", "priority"):
            recorder.ignore(f"sendrecv({keyword}=)")
    attrs = ""
    for key, value in (("send_to", send_to_rank), ("recv_from", recv_from_rank), ("pipe", pipe_id)):
        if isinstance(value, int):
            attrs += f',"{key}":{value}'
    engine = "gpsimd" if getattr(dma_engine, "name", "") == "gpsimd_dma" else None
    dst, src = settled(dst, "dst"), settled(src, "src")
    from ..operators import written
    written(dst)
    emit("sendrecv", dst, [("src", src)], attrs, engine)


def tiled_offloaded_memcpy(dst=None, src=None, dtype=None, mask=None, **_):
    return dma_copy(dst=dst, src=src, mask=mask)


def tiled_offloaded_fma(*srcs, scales=None, dst=None, **_):
    return dma_compute(dst, list(srcs), scales=scales)


def load(src, dtype=None, mask=None, **keywords):
    """`nl.load`: a region of HBM in a new tile."""
    from ..tensor import settled as one_tile
    for keyword in keywords:
        recorder.ignore(f"load({keyword}=)")
    src = one_tile(src, "src")
    if src.storage.kind != "hbm":
        made = memory.fresh(src.shape, dtype_of(dtype) if dtype is not None else src.dtype)
        box = clip.region(src.shape, mask, [src])
        if box is clip.EMPTY:
            return dropped(None, src.shape, made.dtype)
        return finish(copies.dma(clip.cut(made, box, src.shape), clip.cut(src, box, src.shape)), made, box, src.shape)
    shape = src.shape if len(src.shape) > 1 else (src.shape + (1,) if src.shape else (1, 1))
    if len(src.shape) < 2:
        axes, over, keep = src.axes, src.over, src.mask
        strides = src.strides + (1,) * (len(shape) - len(src.strides))
        src = views.derived(src, shape, strides)
        src.over, src.mask = over, keep
        if over:
            src.over = tuple(_padded(t, 2) for t in over)
        src.axes = axes + (None,) if axes else None
    kind = dtype_of(dtype) if dtype is not None else src.dtype
    box = clip.region(shape, mask, [src])
    if box is clip.EMPTY:
        return dropped(None, shape, kind)
    whole, to = result(None, shape, kind, box)
    made = emit("dma_copy", to, [("src", clip.cut(src, box, shape))], *copies.dma_route(to, dge_attrs(None, src)))
    return finish(made, whole, box, shape)


def _padded(term, rank):
    from ..index import Term
    extra = rank - len(term.shape)
    return Term(term.shape + (1,) * extra, term.coefs + (0,) * extra, term.axes, term.base)
