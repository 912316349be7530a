# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Limits of the hardware, checked on each instruction with the line of the kernel that made it."""

BANK = 2048

DMA = frozenset(("dma_copy", "dma_transpose", "dma_compute"))
COLLECTIVES = frozenset((
    "all_reduce", "all_gather", "all_gather_v", "reduce_scatter", "all_to_all", "all_to_all_v", "collective_permute",
    "collective_permute_implicit", "collective_permute_implicit_reduce"))
_REDUCING = frozenset(("tensor_reduce", "bn_stats", "bn_aggr", "max8", "nc_find_index8"))
_OWN_SHAPES = frozenset((
    "nc_matmul", "nc_matmul_mx", "nc_transpose", "nc_n_gather", "local_gather", "nc_stream_shuffle",
    "tensor_partition_reduce", "partition_broadcast", "quantize_mx", "sendrecv", "sequence_bounds",
    "nonzero_with_count", "topk", "rand_set_state", "rand_get_state", "set_rng_seed", "builtin_custom_op",
    "register_load", "register_store", "register_move", "core_barrier", "nc_match_replace8", "select_reduce"))
_ONE_COLUMN = frozenset(("operand0", "operand1", "bias", "scale", "reduce_res"))


class Problem(Exception):
    """A limit that an instruction breaks."""


def not_a_partition(view):
    return Problem(f"the first dimension of {list(view.shape)} with strides {list(view.strides)} does not run over partitions")


def check_inside(view, storage, start, count, step, g):
    last = start + step * (count - 1)
    if not 0 <= start or not 0 <= last < storage.partitions:
        raise Problem(f"partitions {start} to {last} of a tile with {storage.partitions} partitions, {list(storage.shape)}")
    if g.first < 0 or g.end > storage.free:
        raise Problem(f"bytes {g.first:,} to {g.end:,} of a tile with {storage.free:,} bytes per partition, {list(storage.shape)}")


def check_hbm(view, storage, low, high):
    total = storage.dtype.itemsize
    for n in storage.shape:
        total *= n
    size = view.dtype.itemsize
    first, end = (view.offset + low) * size, (view.offset + high + 1) * size
    if (first < 0 or end > total) and view.indirect is None:
        raise Problem(f"bytes {first:,} to {end:,} of tensor '{storage.name}' with {total:,}, {list(storage.shape)}")


_ENGINES = {
    "tensor_copy": "vector scalar gpsimd", "tensor_scalar": "vector scalar gpsimd", "tensor_tensor": "vector gpsimd",
    "memset": "vector gpsimd", "nc_transpose": "tensor vector", "activation": "scalar", "activation_reduce": "scalar",
    "scalar_tensor_tensor": "vector", "tensor_tensor_scan": "vector", "tensor_reduce": "vector", "reciprocal": "vector",
    "iota": "gpsimd", "affine_select": "gpsimd",
}


def _check_engine(generation, op, engine):
    allowed = _ENGINES.get(op)
    if allowed is None:
        return
    names = allowed.split()
    if generation < 3 and op in ("tensor_copy", "tensor_scalar"):
        names.remove("scalar")
    if engine not in names:
        raise Problem(f"engine {engine}; allowed on NeuronCore-v{generation}: {', '.join(names)}")


def check(writer, op, engine, dst, operands, record):
    if engine is not None:
        _check_engine(writer.recorder.generation, op, engine)
    if op in DMA:
        _check_dma(op, dst, operands)
        return
    if dst is None or op in COLLECTIVES:
        return
    _check_partitions("dst", dst)
    for role, g in operands:
        _check_partitions(role, g)
        if engine == "gpsimd" and g.kind == "psum":
            raise Problem(f"{role} is in psum, which GpSimd cannot reach; allowed: sbuf")
    if engine == "gpsimd" and dst.kind == "psum":
        raise Problem("dst is in psum, which GpSimd cannot reach; allowed: sbuf")
    if op in _OWN_SHAPES:
        if op == "nc_matmul" or op == "nc_matmul_mx":
            _check_matmul(writer.recorder.generation, dst, operands, record)
        elif op == "nc_transpose":
            _check_transpose(engine, dst, operands[0][1])
        return
    _check_elementwise(op, dst, operands)


def _check_partitions(role, g):
    if g.kind == "hbm":
        raise Problem(f"{role} is in hbm; allowed: sbuf, psum")
    n, start = g.partitions, g.start
    if n > 128:
        raise Problem(f"{role}: {n} partitions; allowed: 1 to 128")
    if start and (n > 64 or start % 32 or (n > 32 and start != 64)):
        allowed = "0" if n > 64 else ("0, 64" if n > 32 else "0, 32, 64, 96")
        raise Problem(f"{role} starts at partition {start}; allowed for {n} partitions: {allowed}")


def _check_dma(op, dst, operands):
    if dst is None or op == "dma_compute":
        return
    for role, g in operands:
        if g.kind == "psum":
            raise Problem(f"{role} is in psum; allowed: hbm, sbuf")
        if op == "dma_copy" and role == "src" and g.partitions * g.columns != dst.partitions * dst.columns:
            raise Problem(f"dst has {dst.partitions * dst.columns:,} elements; allowed: as many as src, {g.partitions * g.columns:,}")
    if dst.kind == "psum":
        raise Problem("dst is in psum; allowed: hbm, sbuf")


def _check_matmul(generation, dst, operands, record):
    stationary, moving = operands[0][1], operands[1][1]
    if stationary.kind != "sbuf" or moving.kind != "sbuf":
        raise Problem(f"operands are in {stationary.kind} (stationary) and {moving.kind} (moving); allowed: sbuf")
    if dst.kind != "psum":
        raise Problem(f"dst is in {dst.kind}; allowed: psum")
    halves = 2 if "double_row" in record.attrs else 1
    k, m, n = stationary.partitions, stationary.columns // halves, moving.columns // halves
    if k != moving.partitions:
        raise Problem(f"moving contracts over {moving.partitions} partitions, stationary over {k}")
    if m > 128:
        raise Problem(f"stationary has {m} columns; allowed: at most 128")
    narrow = generation == 4 and dst.dtype.itemsize == 2
    most = 1024 if narrow else 512
    if n > most:
        raise Problem(f"moving has {n:,} columns; allowed: at most {most}")
    if dst.partitions != m or dst.columns != n:
        raise Problem(f"dst is [{dst.partitions}, {dst.columns}]; allowed: [{m}, {n}], the columns of stationary and moving")
    if generation < 4 and dst.first // BANK != (dst.end - 1) // BANK and not record.dst.storage.address:
        raise Problem(f"dst bytes {dst.first:,} to {dst.end:,} leave their PSUM bank of {BANK:,} bytes")


def _check_transpose(engine, dst, data):
    if engine == "vector":
        if data.partitions > 32 or data.columns > 32:
            raise Problem(f"data is [{data.partitions}, {data.columns}]; allowed on the vector engine: at most [32, 32]")
        return
    if data.partitions > 128 or data.columns > 128:
        raise Problem(f"data is [{data.partitions}, {data.columns}]; allowed on the tensor engine: at most [128, 128]")
    if data.kind != "sbuf" or dst.kind != "psum":
        raise Problem(f"data in {data.kind}, dst in {dst.kind}; allowed on the tensor engine: sbuf to psum")
    if dst.partitions != data.columns or dst.columns != data.partitions:
        raise Problem(f"dst is [{dst.partitions}, {dst.columns}]; allowed: the transpose of [{data.partitions}, {data.columns}]")


def _check_elementwise(op, dst, operands):
    reduces = op in _REDUCING
    for role, g in operands:
        if g.partitions != dst.partitions:
            raise Problem(f"{role} has {g.partitions} partitions; allowed: as many as dst, {dst.partitions}")
        if role in _ONE_COLUMN:
            if g.columns != 1:
                raise Problem(f"{role} has {g.columns} columns; allowed: 1")
        elif not reduces and g.columns != dst.columns:
            raise Problem(f"{role} has {g.columns:,} columns; allowed: as many as dst, {dst.columns:,}")
