# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Reads calls of nki.isa in both styles: with a destination first or as `dst=`, or with a returned tile."""

import functools

from .. import recorder
from ..errors import LimitError
from ..tensor import NkiTensor, settled

# Keywords that say nothing about the instruction, or only how the compiler names and orders it.
_COMMON = frozenset(("name", "priority"))


class NkiInstruction:
    """An instruction with a destination, as the call returns it; None in `record` when a mask left nothing of it."""

    __slots__ = ("record",)

    def __init__(self, record):
        self.record = record

    def depends_on(self, *others):
        """Starts after other instructions, whatever the data says."""
        for other in others:
            for instruction in other if isinstance(other, (list, tuple)) else (other,):
                if self.record is not None and instruction.record is not None:
                    recorder.active().order(instruction.record, self.record)
        return self


def isa_call(signature, tensors=""):
    """Decorates `f(dst, …)`. `signature` names the parameters after `dst`, `=` marks optional ones.

    `tensors` are required parameters that are tensors: they tell whether a first argument is the destination.
    """
    names, defaults = [], {}
    for word in signature.split():
        name, optional, _ = word.partition("=")
        names.append(name)
        if optional:
            defaults[name] = None
    required = [n for n in names if n not in defaults]
    must_be_tensors = set(tensors.split())
    known = set(names)
    base = dict.fromkeys(names)

    def leads_with_destination(args, keywords):
        if not isinstance(args[0], NkiTensor):
            return False
        given = set(names[:len(args) - 1])
        for name in required:
            if name not in given and name not in keywords:
                return False
        for position, name in enumerate(names[:len(args) - 1]):
            if name in must_be_tensors and not _is_tensor(args[position + 1]):
                return False
        return True

    def decorate(function):
        call_name = function.__name__

        @functools.wraps(function)
        def call(*args, **keywords):
            dst = keywords.pop("dst", None)
            if dst is None and args and leads_with_destination(args, keywords):
                dst, args = args[0], args[1:]
            values = base.copy()
            if len(args) > len(names):
                raise LimitError(f"{call_name}: {len(args)} arguments; allowed: {', '.join(['dst'] + names)}")
            for name, value in zip(names, args):
                values[name] = value
            for name, value in keywords.items():
                if name in known:
                    values[name] = value
                elif name not in _COMMON:
                    recorder.ignore(f"{call_name}({name}=)")
            for name in required:
                if values[name] is None and name not in keywords and names.index(name) >= len(args):
                    raise LimitError(f"{call_name}: argument '{name}' is missing; parameters: {', '.join(names)}")
            if dst is not None:
                if not isinstance(dst, NkiTensor):
                    raise LimitError(f"{call_name}: dst is {type(dst).__name__}; allowed: a tensor")
                if dst.blocks:
                    dst = settled(dst, "dst")
                dst.fresh = None
            if dst is None:
                return function(dst, **values)
            run = recorder.active()
            before = run.count
            made = function(dst, **values)
            return made if made is not None else NkiInstruction(run.pending[-1] if run.count > before else None)

        call.op_name = call_name
        return call

    return decorate


def _is_tensor(value):
    return isinstance(value, NkiTensor) or isinstance(value, (list, tuple)) or hasattr(value, "coefs")


def engine_name(engine):
    """Name in a trace of `engine=`, or None when it names none."""
    if engine is None:
        return None
    name = getattr(engine, "name", None) or str(engine)
    name = name.rsplit(".", 1)[-1]
    name = name.removesuffix("_engine") if hasattr(name, "removesuffix") else name.replace("_engine", "")
    if name in ("unknown", "none"):
        return None
    name = {"activation": "scalar", "act": "scalar", "pool": "gpsimd", "dve": "vector", "pe": "tensor", "sp": "sync",
            "sync_engine": "sync"}.get(name, name)
    if name not in ("tensor", "vector", "scalar", "gpsimd", "sync", "dma"):
        raise LimitError(f"engine={engine!r}; allowed: tensor, vector, scalar, gpsimd, sync")
    return None if name == "dma" else name


def command(value):
    """Name of a `reduce_cmd=`."""
    return None if value is None else (getattr(value, "name", None) or str(value)).rsplit(".", 1)[-1]
