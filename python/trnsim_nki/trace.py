# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Writes instructions as a kernel trace: JSON Lines, a header first.

The header names the tensors in HBM, which are known at the end, so lines go to a temporary file first.
"""

import json
import os
import shutil
import sys
import tempfile

from . import limits
from .dtypes import float32
from .views import merged

VERSION = "1.1"

DEFAULT_ENGINE = {}
for _engine, _ops in {
    "tensor": "nc_matmul nc_matmul_mx nc_transpose",
    "scalar": "activation activation_reduce activate2",
    "gpsimd": "iota affine_select local_gather nc_n_gather tensor_partition_reduce sequence_bounds "
              "nonzero_with_count topk builtin_custom_op core_barrier rand_set_state rand_get_state",
    "sync": "dma_copy dma_transpose dma_compute sendrecv",
}.items():
    for _op in _ops.split():
        DEFAULT_ENGINE[_op] = _engine


class Geometry:
    """An operand as a line names it, and the sizes that limits are about."""

    __slots__ = ("text", "kind", "start", "partitions", "step", "columns", "first", "end", "dtype", "dims")


class Writer:
    def __init__(self, path, lines=False, stream=None):
        self.path = path
        self.stream = stream
        self.lines = lines      # write the place in the kernel
        self.recorder = None
        self.tensors = []
        self.tensor_names = set()
        self.tiles = {}         # line of a declaration -> tiles made there
        self.files = {}
        self.geometries = {}
        self.body = tempfile.TemporaryFile("w+", dir=os.path.dirname(os.path.abspath(path)) if path != "-" else None,
                                           encoding="utf-8", newline="\n")
        self.out = []
        self.count = 0

    # Names.

    def tensor(self, storage):
        base = storage.user_name or "t"
        base = "".join(c if c.isalnum() or c in "_." else "_" for c in str(base))
        name, n = base, 1
        while name in self.tensor_names:
            n += 1
            name = f"{base}.{n}"
        self.tensor_names.add(name)
        storage.text = storage.name = name
        self.tensors.append(storage)

    def file(self, name):
        return self.files.setdefault(name, len(self.files))

    def declare(self, storage):
        """The line of a tile, before its first use."""
        number = self.file(storage.at[0])
        line = storage.at[1]
        site = f"{number}.{line}" if number else str(line)
        count = self.tiles[site] = self.tiles.get(site, 0) + 1
        storage.text = f"{site}#{count}"
        text = f'{{"tile":"{storage.text}","buffer":"{storage.kind}","partitions":{storage.partitions},"bytes":{storage.free}'
        dtype = type_in(storage, storage.dtype)
        if dtype.trace != "bf16":
            text += f',"dtype":"{dtype.trace}"'
        if storage.address is not None:
            partition, address = storage.address
            if partition:
                text += f',"partition":{partition}'
            text += f',"address":{address}'
        if storage.user_name:
            text += f',"name":{json.dumps(str(storage.user_name))}'
        self.out.append(text + "}\n")
        return storage.text

    # Operands.

    def geometry(self, view, halves=False):
        """`halves`: keep the dim of two that double-row matmuls need."""
        storage = view.storage
        key = (storage, view.offset, view.shape, view.strides, view.dtype, halves)
        found = self.geometries.get(key)
        if found is None:
            if len(self.geometries) > 100000:
                self.geometries.clear()
            if storage.text is None:
                self.declare(storage)
            found = self._hbm(view, storage) if storage.kind == "hbm" else self._on_chip(view, storage, halves)
            self.geometries[key] = found
        return found

    def _on_chip(self, view, storage, halves):
        dtype = type_in(storage, view.dtype)
        size = dtype.itemsize
        row = storage.free // size
        g = Geometry()
        g.kind, g.dtype = storage.kind, dtype
        start, offset = divmod(view.offset, row)
        g.partitions = count = view.shape[0]
        step, rest = divmod(view.strides[0], row) if count > 1 else (1, 0)
        if rest:
            raise limits.not_a_partition(view)
        dims = merged(view.shape[1:], view.strides[1:]) or [(1, 1)]
        if halves:
            dims = [(view.shape[1], view.strides[1])] + (merged(view.shape[2:], view.strides[2:]) or [(1, 1)])
        if max(dims)[0] > _MOST_COUNT:
            dims = _split(dims)
        g.step = step
        g.dims = dims
        g.start = start + (storage.address[0] if storage.address else 0)
        columns, low, high = 1, 0, 0
        for n, stride in dims:
            columns *= n
            if stride < 0:
                low += stride * (n - 1)
            else:
                high += stride * (n - 1)
        g.columns = columns
        g.first, g.end = (offset + low) * size, (offset + high + 1) * size
        limits.check_inside(view, storage, start, count, step, g)
        text = ""
        if step != 1:
            text += f',"p":[{start},{count},{step}]'
        elif start or count != storage.partitions:
            text += f',"p":[{start},{count}]'
        if offset:
            text += f',"off":{offset * size}'
        if view.dtype is not storage.dtype:
            text += f',"dt":"{dtype.trace}"'
        if len(dims) != 1 or dims[0] != (row - offset, 1):
            text += ',"ap":' + _pattern(dims)
        g.text = f'{{"t":"{storage.text}"{text}}}' if text else f'"{storage.text}"'
        return g

    def _hbm(self, view, storage):
        size = view.dtype.itemsize
        g = Geometry()
        g.kind, g.dtype, g.start, g.step = "hbm", view.dtype, 0, 1
        shape, strides = view.shape, view.strides
        first = 0
        while first < len(shape) - 1 and shape[first] == 1:
            first += 1
        rows, row = (shape[first], strides[first]) if shape else (1, 0)
        dims = merged(shape[first + 1:], strides[first + 1:]) or [(1, 1)]
        if first == len(shape) - 1 and first > 0 and shape[0] == 1:  # [1, …, n]: one row of n
            dims, rows, row = [(rows, row)], 1, 0
        columns, low, high = 1, 0, 0
        for n, stride in dims:
            columns *= n
            if stride < 0:
                low += stride * (n - 1)
            else:
                high += stride * (n - 1)
        if row < 0:
            low += row * (rows - 1)
        else:
            high += row * (rows - 1)
        g.partitions, g.columns, g.dims = rows, columns, dims
        limits.check_hbm(view, storage, low, high)
        text = f',"p":[0,{rows}]'
        if view.offset:
            text += f',"off":{view.offset * size}'
        if view.dtype.trace != storage.dtype.trace:
            text += f',"dt":"{view.dtype.trace}"'
        text += ',"ap":' + _pattern(dims)
        if rows > 1:
            text += f',"row":{row * size}'
        g.text = f'{{"t":"{storage.text}"{text}}}'
        return g

    # Lines.

    def instruction(self, record):
        op = record.op
        if record.dst is not None and 0 in record.dst.shape:
            return
        try:
            dst = record.dst
            texts, geometries = [], []
            to = None
            dynamic = False
            if dst is not None:
                if dst.storage.kind == "psum" and op.startswith("nc_"):
                    self._widen(record, dst.storage)
                to = self.geometry(dst)
                dynamic = dst.indirect is not None
                if to.kind == "hbm":
                    dst.storage.wrote = True
            halves = op == "nc_matmul" and "double_row" in record.attrs
            for role, view in record.operands:
                g = self.geometry(view, halves)
                geometries.append((role, g))
                texts.append(f',"{role}":{g.text}')
                if g.kind == "hbm":
                    view.storage.read = True
                if view.indirect is not None:
                    dynamic = True
            engine = record.engine
            limits.check(self, op, engine, to, geometries, record)
        except limits.Problem as problem:
            self.recorder_problem(problem, record)
            return
        default = DEFAULT_ENGINE.get(op, "vector")
        line = f'{{"op":"{op}"'
        if engine is not None and engine != default:
            line += f',"engine":"{engine}"'
        if to is not None:
            line += f',"dst":{to.text}'
        line += "".join(texts) + record.attrs
        if record.id is not None:
            line += f',"id":{record.id}'
        if record.after:
            line += f',"after":{list(record.after)}'.replace(" ", "")
        if dynamic:
            line += self._dynamic(record)
        if self.lines:
            line += f',"at":[{self.file(record.at[0])},{record.at[1]}]'
        self.out.append(line + "}\n")
        self.count += 1
        if len(self.out) > 4096:
            self._spill()

    def _widen(self, record, storage):
        """A 16-bit tile that products write holds FP32 before v4, and one that transposes write before v3."""
        if record.engine == "vector" or storage.text is not None or storage.dtype.itemsize != 2:
            return
        transposed = record.op == "nc_transpose" or '"transpose":true' in record.attrs
        if self.recorder.generation < (3 if transposed else 4):
            storage.wide = True
            storage.free *= 2
            what = "transposes write before v3" if transposed else "products write before v4"
            self.recorder.approximated[f"a 16-bit tile in PSUM that {what} holds fp32"] = 1

    def _dynamic(self, record):
        """Addresses that come from registers or index tiles."""
        text = ',"dynamic_address":true'
        for role, view in [("dst", record.dst)] + record.operands:
            if view is not None and view.indirect is not None and view.indirect.index is not None:
                text += f',"{role}_index":{self.geometry(view.indirect.index).text}'
        return text

    def recorder_problem(self, problem, record):
        from .errors import LimitError
        if self.recorder.policy.limits == "error":
            raise LimitError(f"{record.op}: {problem}", record.at)
        self.recorder.approximated[f"limit: {record.op}: {problem}"] = 1

    def _spill(self):
        self.body.write("".join(self.out))
        self.out.clear()

    def finish(self, name, params, outputs):
        """The whole file: the header, then the lines."""
        self._spill()
        header = {"trnsim_trace": VERSION, "name": name, "params": params, "instructions": self.count, "tensors": []}
        for t in self.tensors:
            if not t.read and not t.wrote and t.use != "argument":
                continue
            use = "internal" if t.read and t.wrote else ("output" if t.wrote else "input")
            header["tensors"].append({"name": t.text, "shape": list(t.shape), "dtype": t.dtype.trace, "use": use})
        if self.recorder.policy.order != "written":
            header["order"] = self.recorder.policy.order
        if self.lines:
            header["files"] = list(self.files)
        text = json.dumps(header, separators=(",", ":"), ensure_ascii=False) + "\n"
        self.body.seek(0)
        if self.path == "-":
            stream = self.stream or sys.stdout
            stream.write(text)
            shutil.copyfileobj(self.body, stream, 1 << 20)
            stream.flush()
            return
        temporary = f"{self.path}.{os.getpid()}.tmp"
        try:
            with open(temporary, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                shutil.copyfileobj(self.body, file, 1 << 20)
            os.replace(temporary, self.path)
        finally:
            if os.path.exists(temporary):
                os.unlink(temporary)

    def close(self):
        self.body.close()


def type_in(storage, dtype):
    """Type of elements as they lie in a place."""
    return float32 if storage.wide and dtype is storage.dtype else dtype


_MOST_COUNT = 65535
_MOST_STRIDE = 32767  # the dims above an inner one step over all of it


def _split(dims):
    """Dims with counts that an access pattern can hold."""
    out = []
    for n, stride in dims:
        inner = n
        while inner > _MOST_STRIDE:
            factor = next((f for f in (2, 3, 5, 7) if inner % f == 0), None)
            if factor is None:
                raise limits.Problem(f"{n} elements in one dimension; allowed: at most {_MOST_COUNT}")
            inner //= factor
        if inner != n:
            out.append((n // inner, stride * inner))
        out.append((inner, stride))
    return out


def _pattern(dims):
    return "[" + ",".join([f"[{stride},{n}]" for n, stride in dims]) + "]"
