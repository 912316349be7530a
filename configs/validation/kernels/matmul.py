# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Products lhsT[K, M] x rhs[K, N] -> out[M, N] as the kernels behind published measurements schedule them.

Tiles: stationary 128 x 128, moving 128 x 512, one PSUM bank of FP32 per tile of the result. Sizes are multiples of the tiles.
"""
import nki
import nki.isa as nisa
import nki.language as nl

M, N, K = 128, 512, 128


def _tile(rows, columns, dtype, buffer=nl.sbuf):
    return nl.ndarray((rows, columns), dtype=dtype, buffer=buffer)


def _load(source, row, column, columns):
    """Rows of one k tile."""
    tile = _tile(K, columns, source.dtype)
    nisa.dma_copy(dst=tile, src=source[row * K:(row + 1) * K, column:column + columns])
    return tile


def _sum(lefts, rights, left=0, right=0):
    """One bank: products over all k tiles, from column `left` and `right` of each."""
    bank = _tile(M, N, nl.float32, nl.psum)
    for a, b in zip(lefts, rights):
        nisa.nc_matmul(dst=bank, stationary=a[:, left:left + M], moving=b[:, right:right + N])
    return bank


def _store(out, m, n, bank):
    """PSUM to SBUF in the type of the result, then to HBM."""
    staged = _tile(M, N, out.dtype)
    nisa.tensor_copy(dst=staged, src=bank)
    nisa.dma_copy(dst=out[m * M:(m + 1) * M, n * N:(n + 1) * N], src=staged)


def _result(lhs, rhs, dtype=None):
    return nl.ndarray((lhs.shape[1], rhs.shape[1]), dtype=dtype or lhs.dtype, buffer=nl.shared_hbm)


@nki.jit
def tiled(lhs, rhs, keep=1):
    """m, n, k: both tiles are loaded in the innermost loop.

    A compiler that drops repeated loads keeps the tiles of lhsT for `keep` tiles of n.
    """
    out = _result(lhs, rhs)
    for m in nl.affine_range(lhs.shape[1] // M):
        lefts = {}
        for n in range(rhs.shape[1] // N):
            bank = _tile(M, N, nl.float32, nl.psum)
            for k in range(lhs.shape[0] // K):
                if n % keep == 0:
                    lefts[k] = _load(lhs, k, m * M, M)
                right = _load(rhs, k, n * N, N)
                nisa.nc_matmul(dst=bank, stationary=lefts[k], moving=right)
            _store(out, m, n, bank)
    return out


@nki.jit
def hoisted(lhs, rhs):
    """m: all k tiles of lhsT; n: all k tiles of rhs; then the products."""
    out = _result(lhs, rhs)
    depth = lhs.shape[0] // K
    for m in nl.affine_range(lhs.shape[1] // M):
        lefts = [_load(lhs, k, m * M, M) for k in range(depth)]
        for n in nl.affine_range(rhs.shape[1] // N):
            rights = [_load(rhs, k, n * N, N) for k in range(depth)]
            _store(out, m, n, _sum(lefts, rights))
    return out


@nki.jit
def blocked(lhs, rhs):
    """Two tiles of M by two of N share a pass over K; lhsT is loaded once per block of M."""
    out = _result(lhs, rhs)
    depth = lhs.shape[0] // K
    for block_m in nl.affine_range(lhs.shape[1] // (2 * M)):
        lefts = []
        for block_n in nl.affine_range(rhs.shape[1] // (2 * N)):
            banks = [[_tile(M, N, nl.float32, nl.psum) for _ in range(2)] for _ in range(2)]
            for k in nl.affine_range(depth):
                if block_n == 0:
                    lefts.append([_load(lhs, k, (2 * block_m + i) * M, M) for i in range(2)])
                rights = [_load(rhs, k, (2 * block_n + j) * N, N) for j in range(2)]
                for i in range(2):
                    for j in range(2):
                        nisa.nc_matmul(dst=banks[i][j], stationary=lefts[k][i], moving=rights[j])
            for i in range(2):
                for j in range(2):
                    _store(out, 2 * block_m + i, 2 * block_n + j, banks[i][j])
    return out


@nki.jit
def tile_block(lhs, rhs, tiles_m=1, tiles_n=1, wide_m=1, wide_n=1):
    """`tiles_m` by `tiles_n` tiles of the result share a pass over K, with both operands loaded in it.

    A load brings `wide_m` tiles of lhsT or `wide_n` tiles of rhs.
    """
    out = _result(lhs, rhs)
    for block_m in range(lhs.shape[1] // (tiles_m * M)):
        for block_n in range(rhs.shape[1] // (tiles_n * N)):
            banks = [[_tile(M, N, nl.float32, nl.psum) for _ in range(tiles_n)] for _ in range(tiles_m)]
            for k in range(lhs.shape[0] // K):
                rights = [_load(rhs, k, (block_n * tiles_n + j) * N, wide_n * N) for j in range(0, tiles_n, wide_n)]
                lefts = [_load(lhs, k, (block_m * tiles_m + i) * M, wide_m * M) for i in range(0, tiles_m, wide_m)]
                for i in range(tiles_m):
                    left = lefts[i // wide_m][:, i % wide_m * M:(i % wide_m + 1) * M]
                    for j in range(tiles_n):
                        right = rights[j // wide_n][:, j % wide_n * N:(j % wide_n + 1) * N]
                        nisa.nc_matmul(dst=banks[i][j], stationary=left, moving=right)
            for i in range(tiles_m):
                for j in range(tiles_n):
                    _store(out, block_m * tiles_m + i, block_n * tiles_n + j, banks[i][j])
    return out


@nki.jit
def blocked_all(lhs, rhs, tiles_m=16, tiles_n=2, tiles_k=8, super_m=None, banks=4):
    """n block, k block, m block. Full rows of a block are loaded, PSUM sums over a k block, SBUF over the k blocks.

    `super_m` tiles of M at a time when their sums do not fit SBUF. A whole lhsT that one block holds is loaded once.
    `banks` tiles of the result at a time, k outermost, so that their eviction overlaps with the next ones; at the start
    all banks, because loads set the pace.
    """
    out, banks = _result(lhs, rhs), [2 * banks, banks]
    rows, columns = lhs.shape[1], rhs.shape[1]
    high = super_m * M if super_m else rows
    wide_n = min(tiles_n * N, columns)
    for top in nl.affine_range(rows // high):
        kept = []
        for n in nl.affine_range(columns // wide_n):
            _columns(out, lhs, rhs, (top * high, high, min(tiles_m * M, high)), (n * wide_n, wide_n), tiles_k, banks, kept)
    return out


def _columns(out, lhs, rhs, rows, columns, tiles_k, banks, kept):
    """A block of columns of the result, all k blocks. `kept`: lhsT, when it is one block."""
    top, high, wide_m = rows
    depth, sums = lhs.shape[0] // K, {}
    one = tiles_k >= depth and wide_m == high
    for k in nl.sequential_range(-(-depth // tiles_k)):
        rights, last = [], (k + 1) * tiles_k >= depth
        for m in nl.affine_range(high // wide_m):
            row = top + m * wide_m
            lefts = list(kept)
            for i in range(k * tiles_k, min(depth, (k + 1) * tiles_k)):
                if m == 0:
                    rights.append(_load(rhs, i, *columns))
                if not kept:
                    lefts.append(_load(lhs, i, row, wide_m))
            if one and not kept:
                kept.extend(lefts)
            _block(out, lefts, rights, sums, row, columns[0], k == 0, last, banks)


def _block(out, lefts, rights, sums, row, column, first, last, banks):
    """Products of one block, in groups of `banks` tiles."""
    pairs = [(i, j) for i in range(0, lefts[0].shape[1], M) for j in range(0, rights[0].shape[1], N)]
    wide = rights[0].shape[1]
    while pairs:
        count = banks.pop(0) if len(banks) > 1 else banks[0]
        group = [(i, j, _tile(M, N, nl.float32, nl.psum)) for i, j in pairs[:count]]
        del pairs[:count]
        for a, b in zip(lefts, rights):
            for i, j, bank in group:
                nisa.nc_matmul(dst=bank, stationary=a[:, i:i + M], moving=b[:, j:j + N])
        for i, j, bank in group:
            if j == 0 and last:
                staged = _tile(M, wide, out.dtype)
            if j == 0 and first and not last:
                sums[row + i] = _tile(M, wide, nl.float32)
            to = staged if last else sums[row + i]
            if first:
                nisa.tensor_copy(dst=to[:, j:j + N], src=bank)
            else:
                nisa.tensor_tensor(dst=to[:, j:j + N], data1=bank, data2=sums[row + i][:, j:j + N], op=nl.add)
            if last and j + N == wide:
                nisa.dma_copy(dst=out[row + i:row + i + M, column:column + wide], src=staged)


@nki.jit
def full_rows(lhs, rhs, wide=1024):
    """m and n in pieces of `wide` columns: every k tile is loaded as a full row [128, wide] of both."""
    out = _result(lhs, rhs)
    depth = lhs.shape[0] // K
    for m in nl.affine_range(lhs.shape[1] // wide):
        lefts = [_load(lhs, k, m * wide, wide) for k in range(depth)]
        for n in nl.affine_range(rhs.shape[1] // wide):
            rights = [_load(rhs, k, n * wide, wide) for k in range(depth)]
            for i in nl.affine_range(wide // M):
                for j in nl.affine_range(wide // N):
                    _store(out, m * wide // M + i, n * wide // N + j, _sum(lefts, rights, i * M, j * N))
    return out


@nki.jit
def accumulated(lhs, rhs, tiles_k=8, tiles_m=4):
    """n, k block, m block: cleared banks, products over a k block, a copy out and an addition into the rows of the result."""
    out = _result(lhs, rhs)
    depth = lhs.shape[0] // K
    for n in nl.affine_range(rhs.shape[1] // N):
        rows = {}
        for block in nl.sequential_range(depth // tiles_k):
            numbers = range(block * tiles_k, (block + 1) * tiles_k)
            rights = [_load(rhs, k, n * N, N) for k in numbers]
            for wide in nl.affine_range(lhs.shape[1] // (tiles_m * M)):
                lefts = [_load(lhs, k, wide * tiles_m * M, tiles_m * M) for k in numbers]
                for i in range(tiles_m):
                    bank = _tile(M, N, nl.float32, nl.psum)
                    nisa.memset(dst=bank, value=0.0)
                    for a, b in zip(lefts, rights):
                        nisa.nc_matmul(dst=bank, stationary=a[:, i * M:(i + 1) * M], moving=b, accumulate=True)
                    m = wide * tiles_m + i
                    _add(rows, m, bank, out.dtype)
        for m, row in rows.items():
            nisa.dma_copy(dst=out[m * M:(m + 1) * M, n * N:(n + 1) * N], src=row)
    return out


def _add(rows, m, bank, dtype):
    piece = _tile(M, N, dtype)
    nisa.tensor_copy(dst=piece, src=bank)
    if m not in rows:
        rows[m] = piece
    else:
        nisa.tensor_tensor(dst=rows[m], data1=rows[m], data2=piece, op=nl.add)


@nki.jit
def resident(lhs, rhs):
    """Both operands in SBUF; a row of tiles of M takes all banks of one half of PSUM."""
    out = _result(lhs, rhs)
    depth, columns = lhs.shape[0] // K, rhs.shape[1]
    lefts = [_load(lhs, k, 0, lhs.shape[1]) for k in range(depth)]
    rights = [_load(rhs, k, 0, columns) for k in range(depth)]
    for m in nl.affine_range(lhs.shape[1] // M):
        sums = _tile(M, columns, nl.float32, nl.psum)
        nisa.memset(dst=sums, value=0.0)
        for a, b in zip(lefts, rights):
            for j in range(0, columns, N):
                nisa.nc_matmul(dst=sums[:, j:j + N], stationary=a[:, m * M:(m + 1) * M], moving=b[:, j:j + N], accumulate=True)
        staged = _tile(M, columns, out.dtype)
        nisa.tensor_copy(dst=staged, src=sums)
        nisa.dma_copy(dst=out[m * M:(m + 1) * M, :], src=staged)
    return out


@nki.jit
def peak(lhs, rhs, times=2048):
    """One stationary and one moving tile, multiplied `times` times into one bank."""
    out = _result(lhs, rhs)
    left, right = _load(lhs, 0, 0, M), _load(rhs, 0, 0, N)
    bank = _tile(M, N, nl.float32, nl.psum)
    for _ in nl.affine_range(times):
        nisa.nc_matmul(dst=bank, stationary=left, moving=right)
    _store(out, 0, 0, bank)
    return out


@nki.jit
def transposing(lhs, rhs, wide=1024, reload=False):
    """lhs[M, K] comes by rows: pieces of [128, wide] are transposed on the Tensor engine, eight per load.

    `reload`: tiles of rhs are loaded where they are multiplied, as traffic counters of a compiled kernel show; otherwise
    once per block of columns.
    """
    out = nl.ndarray((lhs.shape[0], rhs.shape[1]), dtype=lhs.dtype, buffer=nl.shared_hbm)
    depth = rhs.shape[0] // K
    for n in nl.affine_range(rhs.shape[1] // wide):
        rights = [] if reload else [_load(rhs, k, n * wide, wide) for k in range(depth)]
        for m in nl.affine_range(lhs.shape[0] // M):
            lefts = []
            for start in range(0, lhs.shape[1], wide):
                piece = _tile(M, wide, lhs.dtype)
                nisa.dma_copy(dst=piece, src=lhs[m * M:(m + 1) * M, start:start + wide])
                lefts += [_turned(piece[:, i:i + K]) for i in range(0, wide, K)]
            banks = [_tile(M, N, nl.float32, nl.psum) for _ in range(0, wide, N)]
            for k, left in enumerate(lefts):
                right = _load(rhs, k, n * wide, wide) if reload else rights[k]
                for j, bank in enumerate(banks):
                    nisa.nc_matmul(dst=bank, stationary=left, moving=right[:, j * N:(j + 1) * N])
            staged = _tile(M, wide, out.dtype)
            for j, bank in enumerate(banks):
                nisa.tensor_copy(dst=staged[:, j * N:(j + 1) * N], src=bank)
            nisa.dma_copy(dst=out[m * M:(m + 1) * M, n * wide:(n + 1) * wide], src=staged)
    return out


def _turned(piece):
    bank = _tile(K, M, piece.dtype, nl.psum)
    nisa.nc_transpose(dst=bank, data=piece)
    tile = _tile(K, M, piece.dtype)
    nisa.tensor_copy(dst=tile, src=bank)
    return tile


@nki.jit
def scaled_blocks(lhs, lhs_scale, rhs, rhs_scale, wide=1024):
    """MX: packed elements [K / 4, M] and [K / 4, N], one scale per 8 partitions; 512 of K per product."""
    out = _result(lhs, rhs, nl.bfloat16)
    depth = lhs.shape[0] // K
    for m in nl.affine_range(lhs.shape[1] // wide):
        lefts = [_with_scale(lhs, lhs_scale, k, m * wide, wide) for k in range(depth)]
        for n in nl.affine_range(rhs.shape[1] // wide):
            rights = [_with_scale(rhs, rhs_scale, k, n * wide, wide) for k in range(depth)]
            for i in range(0, wide, M):
                for j in range(0, wide, N):
                    bank = _tile(M, N, nl.float32, nl.psum)
                    for (a, a_scale), (b, b_scale) in zip(lefts, rights):
                        nisa.nc_matmul_mx(dst=bank, stationary=a[:, i:i + M], moving=b[:, j:j + N],
                                          stationary_scale=a_scale[:, i:i + M], moving_scale=b_scale[:, j:j + N])
                    _store(out, (m * wide + i) // M, (n * wide + j) // N, bank)
    return out


def _with_scale(source, scales, k, column, columns):
    scale = _tile(K // 8, columns, scales.dtype)
    tile = _load(source, k, column, columns)
    nisa.dma_copy(dst=scale, src=scales[k * K // 8:(k + 1) * K // 8, column:column + columns])
    return tile, scale
