# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Collectives between cores and chips: one line each, with their tensors and group."""

from . import recorder
from .isa.gpsimd import VirtualRegister
from .recorder import emit
from .tensor import NkiTensor, settled


class ReplicaGroup:
    """Ranks that take part, in groups."""

    def __init__(self, groups=None, **_):
        self.groups = [list(g) for g in groups] if groups else []

    def __iter__(self):
        return iter(self.groups)

    def __len__(self):
        return len(self.groups)


def _tensors(value):
    if value is None:
        return []
    if isinstance(value, NkiTensor):
        return [settled(value, "operand")]
    out = []
    for v in value:
        out += _tensors(v) if isinstance(v, (NkiTensor, list, tuple)) else []
    return out


def _groups_text(groups):
    try:
        lists = [[int(r) for r in g] for g in groups]
    except (TypeError, ValueError):
        return ""
    return ',"groups":[' + ",".join("[" + ",".join(map(str, g)) + "]" for g in lists) + "]"


def _collective(name):
    def call(*args, srcs=None, dsts=None, src=None, dst=None, srcs_by_channel=None, dsts_by_channel=None, replica_group=None,
             replica_groups=None, op=None, source_target_pairs=None, **keywords):
        args = list(args)
        sources = srcs if srcs is not None else (src if src is not None else srcs_by_channel)
        targets = dsts if dsts is not None else (dst if dst is not None else dsts_by_channel)
        if sources is None and args:
            sources = args.pop(0)
        if targets is None and args:
            targets = args.pop(0)
        group = replica_group if replica_group is not None else replica_groups
        if group is None and args and isinstance(args[0], (ReplicaGroup, list)):
            group = args.pop(0)
        sources = _tensors(sources)
        for keyword, value in keywords.items():
            more = _tensors(value) if isinstance(value, (NkiTensor, list, tuple)) else []
            sources += more
            if not more and keyword not in ("name", "priority"):
                recorder.ignore(f"{name}({keyword}=)")
        attrs = _groups_text(group) if group is not None else ""
        if op is not None:
            from .names import alu
            attrs += f',"op0":"{alu(op)}"'
        if source_target_pairs is not None:
            attrs += _groups_text(source_target_pairs).replace('"groups"', '"pairs"')
        targets = _tensors(targets)
        operands = [("src" if i == 0 else f"src{i + 1}", s) for i, s in enumerate(sources)]
        for i, t in enumerate(targets[1:], 2):
            operands.append((f"dst{i}", t))
        emit(name, targets[0] if targets else None, operands, attrs)

    call.__name__ = name
    return call


_NAMES = ("all_reduce all_gather all_gather_v reduce_scatter all_to_all all_to_all_v collective_permute "
          "collective_permute_implicit collective_permute_implicit_reduce").split()


def rank_id(*_, **__):
    return VirtualRegister()


def names():
    table = {name: _collective(name) for name in _NAMES}
    table.update(ReplicaGroup=ReplicaGroup, rank_id=rank_id, collective_permute_implicit_current_processing_rank_id=rank_id)
    return table


def first_generation_names():
    permute = _collective("collective_permute")

    def collective_permute(dst=None, src=None, source_target_pairs=None, **keywords):
        return permute(src=src, dst=dst, source_target_pairs=source_target_pairs, **keywords)

    table = names()
    table["collective_permute"] = collective_permute
    return table
