# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Instructions of the second generation, each with its destination."""
import nki
import nki.isa as nisa
import nki.language as nl


def _tile(shape, dtype=nl.float32, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=dtype, buffer=buffer)


@nki.jit
def vector_instructions(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    a, b, one = _tile((128, 64)), _tile((128, 64)), _tile((128, 1))
    nisa.dma_copy(dst=a, src=x)
    nisa.memset(dst=b, value=1.0)
    nisa.memset(one, 0.5, engine=nisa.gpsimd_engine)
    nisa.tensor_copy(b, a)
    nisa.tensor_tensor(b, a, b, nl.add)
    nisa.tensor_scalar(b, a, nl.multiply, one, op1=nl.add, operand1=3.0)
    nisa.scalar_tensor_tensor(dst=b, data=a, op0=nl.multiply, operand0=one, op1=nl.subtract, operand1=b)
    nisa.tensor_reduce(one, nl.maximum, a, axis=1, negate=True, keepdims=True)
    nisa.tensor_scalar_reduce(dst=b, data=a, op0=nl.add, operand0=1.0, reduce_op=nl.add, reduce_res=one)
    nisa.tensor_tensor_scan(dst=b, data0=a, data1=a, initial=one, op0=nl.multiply, op1=nl.add)
    nisa.reciprocal(dst=b, data=a)
    nisa.tensor_copy_predicated(dst=b, src=a, predicate=a)
    nisa.range_select(dst=b, on_true_tile=a, comp_op0=nl.greater_equal, comp_op1=nl.less, bound0=one, bound1=one, reduce_res=one)
    nisa.select_reduce(dst=b, predicate=a, on_true=a, on_false=0.0)
    nisa.dropout(dst=b, data=a, prob=0.5)
    nisa.tensor_scalar_cumulative(dst=b, src=a, op0=nl.add, op1=nl.multiply, imm0=1.0)
    nisa.dma_copy(dst=out, src=b)
    return out


@nki.jit
def statistics(x):
    out = nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.shared_hbm)
    a, six, two = _tile((128, 64)), _tile((128, 6)), _tile((128, 2))
    nisa.dma_copy(dst=a, src=x)
    nisa.bn_stats(dst=six, data=a)
    nisa.bn_aggr(dst=two, data=six)
    eight, where = _tile((128, 8)), _tile((128, 8), nl.uint32)
    nisa.max8(dst=eight, src=a)
    nisa.nc_find_index8(dst=where, data=a, vals=eight)
    nisa.nc_match_replace8(dst=a, data=a, vals=eight, imm=0.0, dst_idx=where)
    nisa.dma_copy(dst=out, src=two)
    return out


@nki.jit
def scalar_instructions(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    a, b, total, bias = _tile((128, 64)), _tile((128, 64)), _tile((128, 1)), _tile((128, 1))
    nisa.dma_copy(a, x)
    nisa.memset(bias, value=0.0)
    nisa.activation(b, nl.exp, a, bias=bias, scale=0.5)
    nisa.activation(dst=b, op=nl.square, data=a, reduce_op=nl.add, reduce_res=total, reduce_cmd=nisa.reduce_cmd.reset_reduce)
    nisa.activation_reduce(dst=b, op=nl.exp, data=a, reduce_op=nl.add, reduce_res=total, scale=total)
    nisa.dma_copy(out, b)
    return out


@nki.jit
def tensor_instructions(x, w):
    out = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    a, b = _tile((128, 512), nl.bfloat16), _tile((128, 128), nl.bfloat16)
    nisa.dma_copy(dst=a, src=x)
    nisa.dma_transpose(dst=b, src=w, axes=(1, 0))
    acc = _tile((128, 512), nl.float32, nl.psum)
    for _ in nl.affine_range(2):
        nisa.nc_matmul(dst=acc, stationary=b, moving=a)
    nisa.nc_matmul(acc, b, a, accumulate=False)
    turned = _tile((128, 128), nl.bfloat16, nl.psum)
    nisa.nc_transpose(dst=turned, data=b)
    small = _tile((32, 32), nl.bfloat16)
    nisa.nc_transpose(dst=small, data=b[0:32, 0:32], engine=nisa.vector_engine)
    corner = _tile((64, 512), nl.float32, nl.psum)
    nisa.nc_matmul(corner, stationary=b[0:64, 0:64], moving=a[0:64, :], tile_position=(0, 0), tile_size=(64, 64))
    nisa.tensor_copy(dst=a, src=acc)
    nisa.dma_copy(dst=out, src=a)
    return out


@nki.jit
def narrow_in_psum(x, w):
    out = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    a, b = _tile((128, 512), nl.bfloat16), _tile((128, 128), nl.bfloat16)
    nisa.dma_copy(dst=a, src=x)
    nisa.dma_copy(dst=b, src=w)
    product, turned = _tile((128, 512), nl.bfloat16, nl.psum), _tile((128, 128), nl.bfloat16, nl.psum)
    nisa.nc_matmul(dst=product, stationary=b, moving=a)
    nisa.nc_transpose(dst=turned, data=b)
    nisa.tensor_copy(dst=a[:, 0:256], src=product[:, 256:512])
    nisa.tensor_copy(dst=b, src=turned)
    nisa.dma_copy(dst=out, src=a)
    return out


@nki.jit
def double_row(x, w):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    a, b = _tile((128, 2, 512), nl.float8_e4m3), _tile((128, 2, 128), nl.float8_e4m3)
    nisa.dma_copy(dst=a, src=x)
    nisa.dma_copy(dst=b, src=w)
    acc, res = _tile((128, 512), nl.float32, nl.psum), _tile((128, 512))
    nisa.nc_matmul(dst=acc, stationary=b, moving=a, perf_mode=nisa.matmul_perf_mode.double_row)
    nisa.tensor_copy(dst=res, src=acc)
    nisa.dma_copy(dst=out, src=res)
    return out


@nki.jit
def gpsimd_instructions(x):
    out = nl.ndarray((1, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    a, rows, picked = _tile((128, 64)), _tile((128, 64), nl.int32), _tile((128, 64))
    nisa.dma_copy(dst=a, src=x)
    nisa.iota(rows, [[1, 64]], offset=0, channel_multiplier=64)
    nisa.affine_select(dst=picked, pattern=[[1, 64]], channel_multiplier=-1, on_true_tile=a, on_false_value=0.0,
                       cmp_op=nl.greater_equal, offset=0)
    nisa.nc_n_gather(dst=picked, data=a, indices=rows)
    one = _tile((1, 64))
    nisa.tensor_partition_reduce(dst=one, op=nl.add, data=a)
    nisa.nc_stream_shuffle(dst=picked, src=a, shuffle_mask=[0] * 32)
    nisa.dma_copy(dst=out, src=one)
    return out


@nki.jit
def views(x):
    out = nl.ndarray((64, 4, 32), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    flat = x.reshape((64, 128))
    a = _tile((64, 4, 32), nl.bfloat16)
    nisa.dma_copy(dst=a, src=flat.ap([[128, 64], [32, 4], [1, 32]]))
    swapped = a.permute(0, 2, 1)
    b = _tile((64, 32, 4), nl.bfloat16)
    nisa.tensor_copy(dst=b, src=swapped)
    wide = a.reshape((64, 128)).view(nl.float32)
    assert wide.shape == (64, 64)
    c = _tile((64, 64), nl.float32)
    nisa.tensor_copy(dst=c, src=wide)
    nisa.tensor_copy(dst=a, src=a.ap([[128, 64], [0, 4], [1, 32]], offset=32))
    nisa.dma_copy(dst=out.rearrange("p a b -> p b a"), src=b)
    nisa.dma_copy(dst=out, src=a)
    return out


@nki.jit
def known_at_run_time(x, where, rows):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    a, one, index = _tile((128, 64)), _tile((1, 1), nl.int32), _tile((128, 1), nl.int32)
    nisa.dma_copy(dst=one, src=where)
    nisa.dma_copy(dst=index, src=rows)
    register = nisa.register_alloc(None)
    nisa.register_load(register, one)
    nisa.dma_copy(dst=a, src=x.ap([[64, 128], [1, 64]], scalar_offset=register, indirect_dim=0))
    nisa.dma_copy(dst=a, src=x.ap([[64, 128], [1, 64]], vector_offset=index, indirect_dim=0),
                  dge_mode=nisa.dge_mode.swdge, oob_mode=nisa.oob_mode.skip)
    for _ in nl.dynamic_range(0, register, 1):
        nisa.tensor_copy(dst=a, src=a)
    nisa.dma_copy(dst=out, src=a)
    return out


@nki.jit
def two_cores(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    a, b = _tile((128, 64)), _tile((128, 64))
    me = nl.program_id(0)
    nisa.dma_copy(dst=a, src=x)
    if nl.num_programs(0) == 2:
        nisa.sendrecv(src=a, dst=b, send_to_rank=1 - me, recv_from_rank=1 - me, pipe_id=0)
        nisa.core_barrier(out, (0, 1))
    nisa.dma_copy(dst=out, src=b)
    return out
