# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Calls of the second generation that few kernels make."""
import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl
from nki.isa import dma_engine, nc_version, oob_mode


def _tile(shape, dtype=nl.float32, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=dtype, buffer=buffer)


def _loaded(x):
    tile = _tile(x.shape, x.dtype)
    nisa.dma_copy(dst=tile, src=x)
    return tile


@nki.jit
def micro_scaled(x):
    out = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    data = _loaded(x)
    packed, scale = _tile((128, 128), nl.float8_e5m2_x4), _tile((16, 512), nl.uint8)
    nisa.quantize_mx(dst=packed, src=data, dst_scale=scale)
    small = _tile((128, 128), nl.float4_e2m1fn_x4)
    nisa.quantize_mx(dst=small, src=data, dst_scale=scale)
    product, result = _tile((128, 128), nl.float32, nl.psum), _tile((128, 128), nl.bfloat16)
    nisa.nc_matmul_mx(dst=product, stationary=packed, moving=packed, stationary_scale=scale[:, 0:128], moving_scale=scale[:, 0:128])
    nisa.activate2(dst=result, op=nl.gelu, data=product, imm0=0.5, imm1=1.0, op0=nl.multiply, op1=nl.add)
    nisa.exponential(dst=result, src=result)
    nisa.dma_copy(dst=out, src=result)
    return out


@nki.jit
def sums_by_dma(x, y):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.private_hbm)
    nisa.dma_compute(out, [x, y], nl.add, scales=[1.0, 1.0])
    nisa.dma_copy(dst=out, src=_loaded(x), dst_rmw_op=nl.add, oob_mode=oob_mode.error)
    return out


@nki.jit
def gathers(x, rows):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = _loaded(x)
    index, picked, count = _tile((128, 4), nl.uint16), _tile((128, 64)), _tile((128, 65))
    nisa.memset(dst=index, value=0)
    nisa.local_gather(dst=picked, src_buffer=tile, index=index, num_elem_per_idx=1, num_valid_indices=64)
    nisa.nonzero_with_count(dst=count, src=tile, index_offset=0, padding_val=-1)
    bounds = _tile((1, 2, 64))
    nisa.sequence_bounds(dst=bounds, segment_ids=tile[0:1, :])
    values, where = _tile((128, 8)), _tile((128, 8), nl.uint32)
    nisa.topk(val_dst=values, idx_dst=where, src=tile, n=8)
    nisa.builtin_custom_op(function_name="own", lib_file_name="lib.so", srcs=[tile], dsts=[picked])
    nisa.dma_copy(dst=out, src=picked)
    return out


@nki.jit
def random_numbers():
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, state = _tile((128, 64)), _tile((128, 24), nl.uint32)
    nisa.rand_get_state(dst=state)
    nisa.rand_set_state(src_seeds=state)
    nisa.rng(dst=tile)
    nisa.rand2(dst=tile, min=0.0, max=1.0)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def registers(x, where):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    at, tile = _loaded(where), _tile((128, 64))
    first, second = nisa.register_alloc(), nisa.register_alloc(3)
    nisa.register_load(first, at)
    nisa.register_move(second, first)
    nisa.register_store(at, second + 1)
    nisa.dma_copy(dst=tile, src=x.select(0, first))
    nisa.dma_copy(dst=out, src=tile, name="last")
    return out


@nki.jit
def versions(x):
    assert nisa.get_nc_version() >= nc_version.gen3 and nisa.get_nc_version() < nc_version.gen4
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = _loaded(x)
    assert nl.is_sbuf(tile.buffer) and nl.is_on_chip(tile.buffer) and nl.is_hbm(x.buffer) and not nl.is_psum(tile.buffer)
    assert tile.is_contiguous() and tile.get_pattern() == [[64, 128], [1, 64]] and not tile.is_indirect()
    assert (nl.tile_size.pmax, nl.tile_size.gemm_stationary_fmax, nl.tile_size.gemm_moving_fmax) == (128, 128, 512)
    assert nl.tile_size.psum_fmax == nl.tile_size.bn_stats_fmax == 512
    assert nl.tile_size.total_available_sbuf_size > 100 * 1024
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def more_views(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = _loaded(x)
    deep = tile.reshape_dim(1, (4, 16))
    assert deep.shape == (128, 4, 16)
    assert deep.flatten_dims(1, 2).shape == (128, 64)
    assert deep.expand_dim(1).squeeze_dim(1).shape == deep.shape
    nisa.tensor_copy(dst=deep.select(1, 0), src=deep.slice(1, 1, 2).squeeze_dim(1))
    nisa.tensor_copy(dst=tile.bitcast(nl.int32), src=deep.broadcast_to((128, 4, 16)).bitcast(nl.int32))
    small = tile.astype(nl.bfloat16)
    nisa.dma_copy(dst=out, src=small)
    return out


@nki.jit
def hints(x, w):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    a, b, product, result = _loaded(x), _loaded(w), _tile((128, 512), nl.float32, nl.psum), _tile((128, 512))
    nisa.nc_matmul(product, b, a, is_stationary_onezero=True)
    nisa.nc_matmul(product, b, a, is_moving_onezero=True, accumulate=True)
    nisa.tensor_scalar(result, product, nl.subtract, 1.0, reverse0=True, op1=nl.divide, operand1=2.0, reverse1=True)
    nisa.dma_copy(out, result)
    return out


@nki.jit
def loops_of_the_hardware(x, count):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile, times = _loaded(x), nisa.register_alloc()
    nisa.register_load(times, _loaded(count))
    nl.fori_loop(0, times, lambda _: nisa.tensor_copy(dst=tile, src=tile))
    with nl.no_reorder():
        nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def while_a_register_says_so(x, count):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile, more = _loaded(x), nisa.register_alloc(_loaded(count))
    for _ in range(2):
        while more:
            nisa.tensor_copy(dst=tile, src=tile)
            nisa.register_load(more, _loaded(count))
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def all_collectives(x):
    group, outs = ncc.ReplicaGroup([[0, 1], [2, 3]]), []
    for call in (ncc.all_reduce, ncc.all_gather, ncc.reduce_scatter, ncc.all_to_all):
        outs.append(nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm))
        call(srcs=[x], dsts=[outs[-1]], replica_group=group, **({"op": nl.add} if "reduce" in call.__name__ else {}))
    sizes = nl.ndarray((4,), dtype=nl.int32, buffer=nl.shared_hbm)
    for call in (ncc.all_gather_v, ncc.all_to_all_v):
        call(srcs=[x], dsts=[outs[0]], replica_group=group, metadata_tensor=sizes)
    ncc.collective_permute(srcs=[x], dsts=[outs[1]], source_target_pairs=[[0, 1], [1, 0]])
    ncc.collective_permute_implicit(srcs_by_channel=[[x]], dsts_by_channel=[[outs[2]]], replica_group=group, channel_ids=[0])
    ncc.collective_permute_implicit_reduce(srcs0_by_channel=[[x]], srcs1_by_channel=[[outs[2]]], dsts_by_channel=[[outs[3]]],
                                           replica_group=group, channel_ids=[0], op=nl.add)
    rank = ncc.collective_permute_implicit_current_processing_rank_id(iteration_id=0, replica_group=group, channel_id=0)
    tile = _tile((1, 64))
    nisa.dma_copy(dst=tile, src=x.ap([[64, 1], [1, 64]], scalar_offset=rank, indirect_dim=0))
    assert ncc.rank_id() is not None
    return outs


@nki.jit
def pair_of_cores(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    mine, other = _loaded(x), _tile(x.shape)
    nisa.sendrecv(src=mine, dst=other, send_to_rank=1, recv_from_rank=1, pipe_id=0, dma_engine=dma_engine.gpsimd_dma)
    nisa.core_barrier(other, (0, 1))
    nisa.dma_copy(dst=out, src=other)
    return out


@nki.jit
def ordered_by_hand(x):
    out = nl.ndarray((2, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    first, second = _tile((128, 64)), _tile((128, 64))
    one = nisa.dma_copy(dst=first, src=x)
    two = nisa.dma_copy(dst=second, src=x)
    three = nisa.dma_copy(dst=out[0], src=second)
    three.depends_on(one)
    nisa.dma_copy(dst=out[1], src=first).depends_on(two, three)
    return out
