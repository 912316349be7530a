# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""What a kernel file uses of nki, and what of it the recorder does not have."""

import ast
import collections
import sys

from . import modules

ROOTS = ("neuronxcc.nki", "nki")

# Methods of tensors that are part of the API.
METHODS = frozenset("ap reshape view broadcast_to astype permute rearrange bitcast".split())


def aliases(tree):
    """Names of a file that stand for modules or members of nki."""
    table = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                if _is_nki(name.name):
                    bound = name.asname or name.name.partition(".")[0]
                    table[bound] = name.name if name.asname else name.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level and (_is_nki(node.module) or node.module == "neuronxcc"):
            for name in node.names:
                table[name.asname or name.name] = f"{node.module}.{name.name}"
    return table


def _is_nki(name):
    return any(name == root or name.startswith(root + ".") for root in ROOTS)


def _dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, list(reversed(parts))) if isinstance(node, ast.Name) else (None, [])


def uses(tree):
    """Full names of nki in a file with their first line and count; keywords of calls by name."""
    table = aliases(tree)
    found, keywords, inner = collections.OrderedDict(), collections.Counter(), set()

    def note(name, line):
        first, n = found.get(name, (line, 0))
        found[name] = (min(first, line), n + 1)

    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Attribute, ast.Name)):
            base, _ = _dotted(node.func)
            if base in table:
                for keyword in node.keywords:
                    if keyword.arg:
                        keywords[keyword.arg] += 1
            if isinstance(node.func, ast.Attribute) and base not in table and node.func.attr in METHODS:
                note("tensor." + node.func.attr, node.lineno)
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            base, parts = _dotted(node)
            part = node.value
            while isinstance(part, ast.Attribute):
                inner.add(id(part))
                part = part.value
            if base in table:
                note(".".join([table[base]] + parts), node.lineno)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and table.get(node.id, "").count(".") >= 2:
            note(table[node.id], node.lineno)
    return found, keywords


def known(name):
    """Whether the recorder has a name such as `nki.isa.nc_matmul`."""
    if name.startswith("tensor."):
        return True
    parts = name.split(".")
    at = next((n for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in sys.modules), 0)
    if not at:
        return False
    value = sys.modules[".".join(parts[:at])]
    for part in parts[at:]:
        if type(value).__name__ == "PrivateKernels":
            return False
        try:
            value = getattr(value, part)
        except Exception:
            return False
    return True


def census(path, out):
    """Writes the table; 1 when something is missing."""
    modules.install()
    with open(path, encoding="utf-8") as file:
        found, keywords = uses(ast.parse(file.read(), path))
    missing = 0
    for name, (line, n) in sorted(found.items()):
        have = known(name)
        missing += not have
        out.write(f"{n:6d}  {'' if have else 'MISSING  '}{name}  (line {line})\n")
    if keywords:
        out.write("keywords: " + ", ".join(f"{k} {n}" for k, n in sorted(keywords.items())) + "\n")
    out.write(f"{path}: {len(found)} names of nki, {missing} missing\n")
    return 1 if missing else 0
