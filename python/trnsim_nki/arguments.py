# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Kernels and their arguments as the command line names them."""

import builtins
import importlib
import importlib.util
import math
import os
import re
import sys

import numpy as np

from . import dtypes, launch
from .hosts import Spec, SpecMaker


class ArgumentError(ValueError):
    """An argument of the command line that cannot be understood."""


def load(path, wanted=None):
    """The module of a kernel file. A file in a package is imported as part of it.

    An error after the definition of `wanted` is left alone: some files run or test their kernel when imported.
    """
    try:
        open(path, "rb").close()
    except OSError as error:
        raise OSError(f"{path}: cannot read: {error.strerror}") from error
    path = os.path.abspath(path)
    folder, name = os.path.split(path)
    parts = [os.path.splitext(name)[0]]
    above = _levels_above(path)
    while len(parts) < above or os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, last = os.path.split(folder)
        parts.insert(0, last)
    for place in (os.path.dirname(path), folder):
        if place not in sys.path:
            sys.path.insert(0, place)
    launch.importing += 1
    try:
        return _import(parts, path, wanted)
    finally:
        launch.importing -= 1


def _levels_above(path):
    """Packages that the relative imports of a file reach: 2 for `from . import x`, 3 for `from ..a import x`."""
    with open(path, encoding="utf-8") as file:
        dots = re.findall(r"^\s*from\s+(\.+)", file.read(), re.MULTILINE)
    return max((len(d) + 1 for d in dots), default=1)


def _import(parts, path, wanted):
    builtins.math = math  # the compiler's front end knows the name without an import
    if len(parts) > 1:
        return importlib.import_module(".".join(parts))
    spec = importlib.util.spec_from_file_location(parts[0], path)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(parts[0], module)
    try:
        spec.loader.exec_module(module)
    except Exception:
        if wanted is None or not hasattr(module, wanted.partition(".")[0]):
            raise
    return module


def kernel(text):
    """`FILE.py::function`."""
    path, colons, name = text.rpartition("::")
    if not colons:
        raise ArgumentError(f"{text}: allowed: FILE.py::function")
    module = load(path, name)
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            names = [n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", "") == module.__name__]
            raise ArgumentError(f"{path}: no function '{name}'; it has: {', '.join(names) or 'none'}")
    return found, module


def _namespace(module):
    names = dict(vars(module)) if module is not None else {}
    import nki.language as nl
    names.update(np=np, nl=nl, math=math)
    for name in list(dtypes.names()) + list(dtypes._ALIASES):
        if name not in ("int", "float", "bool", "half"):
            names[name] = SpecMaker(dtypes.dtype_of(name))
    names["bool_"] = SpecMaker(dtypes.bool_)
    return names


def value(text, module=None):
    """`bf16[128, 512]`, a number, a text, True, None, a list, or any expression over the names of the file."""
    names = _namespace(module)
    try:
        got = eval(re.sub(r"\bbool\[", "bool_[", text), names)  # noqa: S307 (the kernel file itself is code of the same user)
    except (NameError, SyntaxError):
        return text
    except Exception as error:
        raise ArgumentError(f"argument {text}: {error}") from error
    return got.dtype if isinstance(got, SpecMaker) else got


def pairs(texts, module=None):
    """Arguments given as `name=value`, or as `value` in order. Returns (positional, named)."""
    positional, named = [], {}
    for text in texts or ():
        name, equals, rest = text.partition("=")
        if equals and name.isidentifier() and not rest.startswith("="):
            named[name] = value(rest, module)
        elif named:
            raise ArgumentError(f"argument {text} without a name after one with a name")
        else:
            positional.append(value(text, module))
    return positional, named


def grid(text):
    """`2`, `4,4`, `nc(2)`."""
    from .language.loops import Cores
    if not text:
        return None
    got = eval(text, {"nc": Cores, "np": np})  # noqa: S307
    return got if isinstance(got, tuple) else (got,)


__all__ = ["ArgumentError", "Spec", "grid", "kernel", "load", "pairs", "value"]
