# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Kernels on rows [rows, columns], 128 rows at a time, as the kernels behind published measurements schedule them."""
import nki
import nki.isa as nisa
import nki.language as nl

P = 128


def _tile(rows, columns, dtype=nl.float32, buffer=nl.sbuf):
    return nl.ndarray((rows, columns), dtype=dtype, buffer=buffer)


def _load(source, rows, columns=slice(None)):
    part = source[rows, columns]
    tile = _tile(part.shape[0], part.shape[1], source.dtype)
    nisa.dma_copy(dst=tile, src=part)
    return tile


def _ring(count, rows, columns, dtype):
    """Tiles used in turn."""
    tiles = [_tile(rows, columns, dtype) for _ in range(count)]
    return lambda number: tiles[number % count]


def _pieces(total, size):
    return [slice(i, min(total, i + size)) for i in range(0, total, size)]


def _spread(row):
    """One row of HBM in every partition."""
    columns = row.shape[-1]
    tile = _tile(P, columns, row.dtype)
    nisa.dma_copy(dst=tile, src=row.reshape((1, columns)).broadcast_to((P, columns)))
    return tile


@nki.jit
def copy(source, columns=16384):
    """HBM to SBUF in chunks of [128, columns], in the order of addresses."""
    chunks = source.reshape((-1, P, columns))
    for i in nl.affine_range(chunks.shape[0]):
        nisa.dma_copy(dst=_tile(P, columns, source.dtype), src=chunks[i])


@nki.jit
def vector_add(x, y, columns=2048):
    """Two loads, one addition, one store per tile."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for rows in _pieces(x.shape[0], P):
        for part in _pieces(x.shape[1], columns):
            a, b = _load(x, rows, part), _load(y, rows, part)
            total = _tile(a.shape[0], a.shape[1], x.dtype)
            nisa.tensor_tensor(dst=total, data1=a, data2=b, op=nl.add)
            nisa.dma_copy(dst=out[rows, part], src=total)
    return out


@nki.jit
def vector_add_columns(x, y):
    """[n] in tiles of one column: 128 rows of one element."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    a, b, c = (t.reshape((-1, 1)) for t in (x, y, out))
    for rows in _pieces(a.shape[0], P):
        total = _tile(P, 1, x.dtype)
        nisa.tensor_tensor(dst=total, data1=_load(a, rows), data2=_load(b, rows), op=nl.add)
        nisa.dma_copy(dst=c[rows, :], src=total)
    return out


class _Ahead:
    """Tiles of rows of x, loaded `steps` tiles before they are asked for."""

    def __init__(self, x, steps):
        self.x, self.steps, self.pieces, self.loaded = x, steps, _pieces(x.shape[0], P), 0
        self.ring = _ring(steps + 1, P, x.shape[1], x.dtype)

    def tile(self, number):
        return self.ring(number)[0:self.pieces[number].stop - self.pieces[number].start, :]

    def upto(self, number):
        """Loads what may be loaded before the work on tile `number`."""
        while self.loaded < len(self.pieces) and self.loaded <= number + self.steps:
            nisa.dma_copy(dst=self.tile(self.loaded), src=self.x[self.pieces[self.loaded], :])
            self.loaded += 1
            yield


@nki.jit
def softmax(x, ahead=2):
    """Maximum, exponentials with their sum, one scale. The statistics of a tile come before the scale of the tile before."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    loads, results, made = _Ahead(x, ahead), _ring(ahead + 2, P, x.shape[1], x.dtype), []

    def statistics(number):
        tile = loads.tile(number)
        result, top, total = results(number)[0:tile.shape[0], :], _tile(tile.shape[0], 1), _tile(tile.shape[0], 1)
        nisa.tensor_reduce(dst=top, op=nl.maximum, data=tile, axis=1, negate=True)
        nisa.activation(dst=result, op=nl.exp, data=tile, bias=top, reduce_op=nl.add, reduce_res=total)
        made.append((result, total))

    for number, rows in enumerate(loads.pieces):
        list(loads.upto(number))
        while len(made) < min(number + 2, len(loads.pieces)):
            statistics(len(made))
        result, total = made[number]
        inverse = _tile(total.shape[0], 1)
        nisa.reciprocal(dst=inverse, data=total)
        nisa.tensor_scalar(dst=result, data=result, op0=nl.multiply, operand0=inverse)
        nisa.dma_copy(dst=out[rows, :], src=result)
    return out


@nki.jit
def rmsnorm(x, gamma, ahead=2):
    """Sum of squares and its inverse root on the Scalar engine, both factors in one pass of the Vector engine."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    loads, results, weight = _Ahead(x, ahead), _ring(ahead + 2, P, x.shape[1], x.dtype), None
    for number, rows in enumerate(loads.pieces):
        for _ in loads.upto(number):
            weight = _spread(gamma) if weight is None else weight
        tile = loads.tile(number)
        count = tile.shape[0]
        result, squares, inverse = results(number)[0:count, :], _tile(count, 1), _tile(count, 1)
        nisa.activation(dst=result, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=squares)
        nisa.activation(dst=inverse, op=nl.rsqrt, data=squares, scale=1.0 / x.shape[1])
        nisa.scalar_tensor_tensor(dst=result, data=tile, op0=nl.multiply, operand0=inverse, op1=nl.multiply, operand1=weight[0:count, :])
        nisa.dma_copy(dst=out[rows, :], src=result)
    return out


@nki.jit
def layernorm(x, gamma, beta, epsilon=1e-5):
    """Mean, x - mean, mean of the squares, / deviation, gamma and beta: one instruction of the Vector engine per step."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    weight, shift, n = _spread(gamma), _spread(beta), x.shape[1]
    for rows in _pieces(x.shape[0], P):
        tile = _load(x, rows)
        mean, squares, inverse = _tile(P, 1), _tile(P, 1), _tile(P, 1)
        square = _tile(P, n)
        nisa.tensor_reduce(dst=mean, op=nl.add, data=tile, axis=1)
        nisa.tensor_scalar(dst=mean, data=mean, op0=nl.multiply, operand0=1.0 / n)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.subtract, operand0=mean)
        nisa.tensor_tensor(dst=square, data1=tile, data2=tile, op=nl.multiply)
        nisa.tensor_reduce(dst=squares, op=nl.add, data=square, axis=1)
        nisa.tensor_scalar(dst=squares, data=squares, op0=nl.multiply, operand0=1.0 / n, op1=nl.add, operand1=epsilon)
        nisa.activation(dst=inverse, op=nl.rsqrt, data=squares)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=inverse)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=weight, op=nl.multiply)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=shift, op=nl.add)
        nisa.dma_copy(dst=out[rows, :], src=tile)
    return out


@nki.jit
def layernorm_statistics(x, gamma, beta, epsilon=1e-5):
    """The same with bn_stats on pieces of 512 and bn_aggr."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    weight, shift = _spread(gamma), _spread(beta)
    for rows in _pieces(x.shape[0], P):
        tile = _load(x, rows)
        parts = _pieces(x.shape[1], 512)
        stats, both, inverse = _tile(P, 6 * len(parts)), _tile(P, 2), _tile(P, 1)
        for i, part in enumerate(parts):
            nisa.bn_stats(dst=stats[:, 6 * i:6 * i + 6], data=tile[:, part])
        nisa.bn_aggr(dst=both, data=stats)
        nisa.activation(dst=inverse, op=nl.rsqrt, data=both[:, 1:2], scale=1.0)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.subtract, operand0=both[:, 0:1], op1=nl.multiply, operand1=inverse)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=weight, op=nl.multiply)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=shift, op=nl.add)
        nisa.dma_copy(dst=out[rows, :], src=tile)
    return out


@nki.jit
def rmsnorm_quantised(x, gamma, piece=512):
    """RMS norm of one core's rows, then to FP8 with one scale per row. A row of ones spreads gamma over the partitions."""
    count, n = x.shape
    out = nl.ndarray((count, n), dtype=nl.float8_e4m3, buffer=nl.shared_hbm)
    scales = nl.ndarray((count, 4), dtype=nl.float32, buffer=nl.shared_hbm)
    ones, row = _tile(1, P, x.dtype), gamma.reshape((1, n))
    nisa.memset(dst=ones, value=1.0)
    weight = _load(row, slice(0, 1))
    for rows in _pieces(count, P):
        tile = _load(x, rows)
        squares, inverse, top, scale = (_tile(P, 1) for _ in range(4))
        normal, packed, four = _tile(P, n, x.dtype), _tile(P, n, nl.float8_e4m3), _tile(P, 4)
        nisa.activation(dst=normal, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=squares)
        nisa.activation(dst=inverse, op=nl.rsqrt, data=squares, scale=1.0 / n)
        for part in _pieces(n, piece):
            bank = _tile(P, piece, nl.float32, nl.psum)
            nisa.nc_matmul(dst=bank, stationary=ones, moving=weight[:, part])
            nisa.scalar_tensor_tensor(dst=normal[:, part], data=tile[:, part], op0=nl.multiply, operand0=inverse,
                                      op1=nl.multiply, operand1=bank)
        nisa.tensor_reduce(dst=top, op=nl.abs_max, data=normal, axis=1)
        nisa.tensor_scalar(dst=four, data=top.broadcast_to((P, 4)), op0=nl.multiply, operand0=1.0 / 240.0)
        nisa.reciprocal(dst=scale, data=four[:, 0:1])
        nisa.tensor_scalar(dst=packed, data=normal, op0=nl.multiply, operand0=scale)
        nisa.dma_copy(dst=out[rows, :], src=packed)
        nisa.dma_copy(dst=scales[rows, :], src=four)
    return out, scales


@nki.jit
def silu(x, columns=1024, half=512):
    """x / (1 + exp(-x)) step by step on pieces of `half`; exponentials and inverses on the Scalar engine.

    The steps of two pieces alternate, so that neither engine waits for its own last result.
    """
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    before = None
    for rows in _pieces(x.shape[0], P):
        for part in _pieces(x.shape[1], columns):
            tile, result = _load(x, rows, part), _tile(P, columns, x.dtype)
            for piece in _pieces(columns, half):
                powers = _tile(P, half)
                nisa.tensor_scalar(dst=powers, data=tile[:, piece], op0=nl.multiply, operand0=-1.0)
                nisa.activation(dst=powers, op=nl.exp, data=powers)
                if before:
                    _silu_product(out, *before)
                nisa.tensor_scalar(dst=powers, data=powers, op0=nl.add, operand0=1.0)
                nisa.activation(dst=powers, op=nl.reciprocal, data=powers)
                before = (tile, powers, result, piece, (rows, part) if piece.stop == columns else None)
    _silu_product(out, *before)
    return out


def _silu_product(out, tile, powers, result, piece, place):
    nisa.tensor_tensor(dst=result[:, piece], data1=tile[:, piece], data2=powers, op=nl.multiply)
    if place:
        nisa.dma_copy(dst=out[place], src=result)


@nki.jit
def adamw(weight, gradient, momentum, variance, columns=1024, half=512, rate=1e-3, decay=1e-2):
    """One step of AdamW on tiles of [128, columns] of four inputs; the weights are written back."""
    out = nl.ndarray(weight.shape, dtype=weight.dtype, buffer=nl.shared_hbm)
    before = None
    for rows in _pieces(weight.shape[0], P):
        for part in _pieces(weight.shape[1], columns):
            w, g, m, v = (_load(t, rows, part) for t in (weight, gradient, momentum, variance))
            for piece in _pieces(part.stop - part.start, half):
                now = [t[:, piece] for t in (w, g, m, v)]
                _moments(*now[1:])
                if before:
                    _update(out, *before, rate, decay)
                before = (now[0], now[2], now[3], (rows, part, w) if piece.stop == part.stop - part.start else None)
    _update(out, *before, rate, decay)
    return out


def _moments(g, m, v, beta1=0.9, beta2=0.999):
    """Products with numbers on the Scalar engine, those of tiles and sums on the Vector engine."""
    a, b = _tile(*m.shape), _tile(*m.shape)
    nisa.activation(dst=m, op=nl.copy, data=m, scale=beta1)
    nisa.activation(dst=a, op=nl.copy, data=g, scale=1.0 - beta1)
    nisa.tensor_tensor(dst=b, data1=g, data2=g, op=nl.multiply)
    nisa.activation(dst=v, op=nl.copy, data=v, scale=beta2)
    nisa.tensor_tensor(dst=m, data1=m, data2=a, op=nl.add)
    nisa.activation(dst=b, op=nl.copy, data=b, scale=1.0 - beta2)
    nisa.tensor_tensor(dst=v, data1=v, data2=b, op=nl.add)


def _update(out, w, m, v, place, rate, decay, beta1=0.9, beta2=0.999, epsilon=1e-8):
    root = _tile(*w.shape)
    nisa.activation(dst=root, op=nl.sqrt, data=v, scale=1.0 / (1.0 - beta2))
    nisa.tensor_scalar(dst=w, data=w, op0=nl.multiply, operand0=1.0 - rate * decay)
    nisa.tensor_scalar(dst=root, data=root, op0=nl.add, operand0=epsilon)
    nisa.activation(dst=root, op=nl.reciprocal, data=root)
    nisa.activation(dst=m, op=nl.copy, data=m, scale=rate / (1.0 - beta1))
    nisa.tensor_tensor(dst=root, data1=root, data2=m, op=nl.multiply)
    nisa.tensor_tensor(dst=w, data1=w, data2=root, op=nl.subtract)
    if place:
        rows, part, tile = place
        nisa.dma_copy(dst=out[rows, part], src=tile)
