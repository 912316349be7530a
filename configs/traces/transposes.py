#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Writes traces that transpose a [8192, 128] BF16 tensor into SBUF in one of three ways:

dma       8 times dma_transpose from HBM to SBUF
pe        64 times load, nc_transpose on the Tensor engine into PSUM, copy out of PSUM
matmul    64 times load, matmul with the tile as stationary operand and an identity as the moving one, copy out of PSUM
load      no transpose, for comparison: 8 plain loads of the same bytes

python3 transposes.py dma > dma.jsonl
"""
import json
import sys

ROWS, COLUMNS, QUEUES = 8192, 128, 4
COPY = 1024  # rows of a copy that needs no engine
WAYS = ("dma", "pe", "matmul", "load")


def tile(name, columns, buffer="sbuf", width=2):
    return {"tile": name, "buffer": buffer, "partitions": 128, "bytes": columns * width, "dtype": "bf16" if width == 2 else "fp32"}


def lines(way):
    yield {"trnsim_trace": "1.1", "name": f"transpose [{ROWS}, {COLUMNS}] by {way}", "dtype": "bf16", "macs": 0,
           "tensors": [{"name": "a", "shape": [ROWS, COLUMNS], "use": "input"}]}
    yield tile("out", ROWS)
    if way == "matmul":
        yield tile("identity", COLUMNS)
        yield {"op": "memset", "dst": "identity", "engine": "gpsimd"}
        yield {"op": "affine_select", "dst": "identity", "data": "identity"}
    if way in ("dma", "load"):
        for block in range(ROWS // COPY):
            source = {"t": "a", "p": [0, COPY], "off": block * COPY * COLUMNS * 2}
            if way == "load":  # as many bytes for each partition, but next to each other
                source.update(p=[0, 128], ap=[[1, COPY]], row=COPY * 2)
            yield {"op": "dma_transpose" if way == "dma" else "dma_copy", "dst": {"t": "out", "off": block * COPY * 2, "ap": [[1, COPY]]},
                   "src": source, "queue": block % QUEUES}
        return
    for block in range(ROWS // 128):
        source = {"t": "a", "p": [0, 128], "off": block * 128 * COLUMNS * 2}
        target = {"t": "out", "off": block * 256, "ap": [[1, 128]]}
        x, bank = f"x{block}", f"bank{block}"
        yield tile(x, COLUMNS)
        yield {"op": "dma_copy", "dst": x, "src": source, "queue": block % QUEUES}
        if way == "pe":
            yield tile(bank, 128, "psum")
            yield {"op": "nc_transpose", "dst": bank, "data": x}
        else:
            yield tile(bank, 128, "psum", 4)
            yield {"op": "nc_matmul", "dst": bank, "stationary": x, "moving": "identity"}
        yield {"op": "tensor_copy", "dst": target, "data": bank}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in WAYS:
        sys.exit(f"usage: transposes.py {'|'.join(WAYS)}")
    for line in lines(sys.argv[1]):
        print(json.dumps(line, separators=(",", ":")))


main()
