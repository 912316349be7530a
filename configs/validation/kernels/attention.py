# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Attention: one tile as in a published single-tile kernel, and flash attention in blocks of keys."""
import nki
import nki.isa as nisa
import nki.language as nl

P, MOVING = 128, 512


def _tile(rows, columns, dtype=nl.float32, buffer=nl.sbuf):
    return nl.ndarray((rows, columns), dtype=dtype, buffer=buffer)


def _turned(data, identity, copy):
    """A transpose on the Tensor engine, copied to SBUF by `copy`."""
    rows, columns = data.shape
    bank, tile = _tile(columns, rows, data.dtype, nl.psum), _tile(columns, rows, data.dtype)
    nisa.nc_matmul(dst=bank, stationary=data, moving=identity[0:rows, 0:rows], is_transpose=True)
    copy(tile, bank)
    return tile


def _identity(rows, dtype):
    tile = _tile(rows, rows, dtype)
    nisa.memset(dst=tile, value=1.0, engine=nisa.gpsimd_engine)
    nisa.affine_select(dst=tile, pattern=[[-1, rows]], channel_multiplier=1, on_true_tile=tile, on_false_value=0.0,
                       cmp_op=nl.equal, offset=0)
    return tile


@nki.jit
def single_tile(q, k, v, fused=False):
    """q, k, v [n, d] of one tile. `fused`: the scale goes into a copy of the Scalar engine and the row sum into the exponentials."""
    n, d = q.shape
    out = nl.ndarray((n, d), dtype=q.dtype, buffer=nl.shared_hbm)
    tiles = [_tile(n, d, q.dtype) for _ in range(3)]
    for tile, source in zip(tiles, (q, k, v)):
        nisa.dma_copy(dst=tile, src=source)
    identity = _identity(n, q.dtype)

    def plain(to, bank):
        nisa.tensor_copy(dst=to, src=bank)

    def scaled(to, bank):
        if fused:
            nisa.activation(dst=to, op=nl.copy, data=bank, scale=d ** -0.5)
        else:
            nisa.tensor_scalar(dst=to, data=bank, op0=nl.multiply, operand0=d ** -0.5)

    query, key = _turned(tiles[0], identity, scaled), _turned(tiles[1], identity, plain)
    scores, powers = _tile(n, n, nl.float32, nl.psum), _tile(n, n, q.dtype)
    top, total, inverse = _tile(n, 1), _tile(n, 1), _tile(n, 1)
    nisa.nc_matmul(dst=scores, stationary=query, moving=key)
    nisa.tensor_reduce(dst=top, op=nl.maximum, data=scores, axis=1, negate=True)
    if fused:
        nisa.activation(dst=powers, op=nl.exp, data=scores, bias=top, reduce_op=nl.add, reduce_res=total)
    else:
        nisa.activation(dst=powers, op=nl.exp, data=scores, bias=top)
        nisa.tensor_reduce(dst=total, op=nl.add, data=powers, axis=1)
    weights = _turned(powers, identity, plain)
    nisa.reciprocal(dst=inverse, data=total)
    product, result = _tile(n, d, nl.float32, nl.psum), _tile(n, d, q.dtype)
    nisa.nc_matmul(dst=product, stationary=weights, moving=tiles[2])
    nisa.tensor_scalar(dst=result, data=product, op0=nl.multiply, operand0=inverse)
    nisa.dma_copy(dst=out, src=result)
    return out


class _Block:
    """One query tile against one block of keys, on its way through the three stages."""

    def __init__(self, tile, query, key, value, first, last):
        self.tile, self.query, self.key, self.value, self.first, self.last = tile, query, key, value, first, last
        self.top, self.total, self.alpha = _tile(P, 1), _tile(P, 1), None


class Flash:
    """softmax(q kT) v of one head in blocks of `wide` keys.

    Each block goes through scores and exponentials, transposes, and the sum with the values, one stage per step, so that
    no engine waits for another in its own order. `by_vector` of the transposed pieces leave PSUM by the Vector engine,
    the others by the Scalar engine.
    """

    def __init__(self, dtype, head, out, by_vector, scalar_copies):
        self.dtype, self.head, self.out = dtype, head, out
        self.by_vector, self.scalar_copies = by_vector, scalar_copies
        self.identity = _identity(P, dtype)
        self.before = self.sums = None

    def score(self, b):
        """Scores, running maximum (negative), exponentials with their row sum."""
        wide = b.key.shape[1]
        scores, own = _tile(P, wide, nl.float32, nl.psum), _tile(P, 1)
        for i in range(0, wide, MOVING):
            nisa.nc_matmul(dst=scores[:, i:i + MOVING], stationary=b.query, moving=b.key[:, i:i + MOVING])
        nisa.tensor_reduce(dst=b.top if b.first else own, op=nl.maximum, data=scores, axis=1, negate=True)
        if not b.first:
            nisa.tensor_tensor(dst=b.top, data1=own, data2=self.before.top, op=nl.minimum)
        b.powers, b.own = _tile(P, wide, self.dtype), b.total if b.first else _tile(P, 1)
        nisa.activation(dst=b.powers, op=nl.exp, data=scores, bias=b.top, reduce_op=nl.add, reduce_res=b.own)
        if not b.first:
            b.alpha = _tile(P, 1)
            nisa.activation(dst=b.alpha, op=nl.exp, data=self.before.top, bias=b.top, scale=-1.0)
        b.earlier, self.before = self.before, b

    def turn(self, b):
        """Exponentials with keys on the partitions; the running row sum."""
        wide = b.powers.shape[1]
        bank, b.turned = _tile(P, wide, self.dtype, nl.psum), _tile(P, wide, self.dtype)
        for i in range(0, wide, P):
            nisa.nc_matmul(dst=bank[:, i:i + P], stationary=b.powers[:, i:i + P], moving=self.identity, is_transpose=True)
        cut = self.by_vector * P
        if cut:
            nisa.tensor_copy(dst=b.turned[:, :cut], src=bank[:, :cut], engine=nisa.vector_engine)
        if cut < wide and self.scalar_copies:
            nisa.tensor_copy(dst=b.turned[:, cut:], src=bank[:, cut:], engine=nisa.scalar_engine)
        elif cut < wide:
            nisa.activation(dst=b.turned[:, cut:], op=nl.copy, data=bank[:, cut:])
        if not b.first:
            nisa.scalar_tensor_tensor(dst=b.total, data=b.earlier.total, op0=nl.multiply, operand0=b.alpha, op1=nl.add, operand1=b.own)

    def sum(self, b):
        """Exponentials times values, added to the blocks before; at the end the scale and the store."""
        bank = _tile(P, self.head, nl.float32, nl.psum)
        for i in range(b.turned.shape[1] // P):
            nisa.nc_matmul(dst=bank, stationary=b.turned[:, i * P:(i + 1) * P], moving=b.value[:, i * self.head:(i + 1) * self.head])
        if b.first and not b.last:
            self.sums = _tile(P, self.head)
            nisa.tensor_copy(dst=self.sums, src=bank)
        elif not b.first:
            nisa.scalar_tensor_tensor(dst=self.sums, data=self.sums, op0=nl.multiply, operand0=b.alpha, op1=nl.add, operand1=bank)
        if b.last:
            inverse, result = _tile(P, 1), _tile(P, self.head, self.dtype)
            nisa.reciprocal(dst=inverse, data=b.total)
            nisa.tensor_scalar(dst=result, data=bank if b.first else self.sums, op0=nl.multiply, operand0=inverse)
            nisa.dma_copy(dst=self.out[b.tile * P:(b.tile + 1) * P, :], src=result)


def _keys(k, v, first, wide):
    """A block of keys [d, wide] and its values, 128 keys on the partitions, one piece beside the other."""
    head = k.shape[0]
    key, value = _tile(head, wide, k.dtype), _tile(P, wide // P * head, v.dtype)
    nisa.dma_copy(dst=key, src=k[:, first:first + wide])
    nisa.dma_copy(dst=value.reshape((P, wide // P, head)), src=v[first:first + wide, :].reshape((wide // P, P, head)).permute(1, 0, 2))
    return key, value


TURN_LAG, SUM_LAG = 2, 4  # steps from the scores of a step to its transposes and its output sums


@nki.jit
def flash(q, k, v, by_vector=4, scalar_copies=True, wide=1024, ahead=3):
    """q [d, n], k [d, m], v [m, d]: query tile, key block. Keys and values stay in SBUF; loads run `ahead` steps ahead."""
    head, keys = k.shape
    wide = min(wide, keys)
    out = nl.ndarray((q.shape[1], head), dtype=q.dtype, buffer=nl.shared_hbm)
    run, loaded, steps = Flash(q.dtype, head, out, by_vector, scalar_copies), [], []
    count = keys // wide
    for number in range(q.shape[1] // P * count):
        steps.append(divmod(number, count))
    queries, stages = {}, []

    def load(tile, block):
        if block == 0:
            queries[tile] = _tile(head, P, q.dtype)
            nisa.dma_copy(dst=queries[tile], src=q[:, tile * P:(tile + 1) * P])
        if tile == 0:
            loaded.append(_keys(k, v, block * wide, wide))

    waiting = list(steps)
    for number in range(len(steps) + SUM_LAG):
        while waiting and len(steps) - len(waiting) <= number + ahead:
            load(*waiting.pop(0))
        if number < len(steps):
            tile, block = steps[number]
            stages.append(_Block(tile, queries[tile], *loaded[block], block == 0, block + 1 == count))
            run.score(stages[-1])
        if TURN_LAG <= number < len(steps) + TURN_LAG:
            run.turn(stages[number - TURN_LAG])
        if number >= SUM_LAG:
            run.sum(stages[number - SUM_LAG])
            stages[number - SUM_LAG] = None
    return out
