// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>
#include <deque>

#include "workload/kernels/attention_plan.hpp"
#include "workload/kernels/emit.hpp"

namespace trnsim::kernel {
namespace {

InstructionEmitter emitter(Opcode op, EngineKind engine, AluOp alu0 = AluOp::Bypass, AluOp alu1 = AluOp::Bypass) {
  InstructionEmitter e(op, engine);
  e.fields().alu0 = alu0;
  e.fields().alu1 = alu1;
  return e;
}

InstructionEmitter activation(ActFn function) {
  InstructionEmitter e(Opcode::Activation, EngineKind::Scalar);
  e.fields().function = function;
  return e;
}

/// Flash attention on transposed scores: KV head → query tile → key block. A step is one (query tile, key
/// block); its pieces have keys on the partitions and queries along them, so that exponentials are at
/// once what the product with V loads. The products follow the exponentials by kSumLag pieces, and
/// bounds of a step are made during the one before, so that no engine waits in its own order.
class AttentionSource final : public RecordSource {
 public:
  AttentionSource(const AttentionProblem& problem, const AttentionPlan& plan)
      : p_(problem), plan_(plan), tiles_(plan.tiles), copies_(problem.queues) {
    std::uint64_t pieces = 0, longer = 0, with_norms = 0;
    for (Step s; s.unit == 0; advance(s)) {
      ++steps_;
      pieces += key_pieces(p_, plan_, tile(s), s.block).size();
      if (s.block == 1) ++longer;
      if (has_norms(s)) ++with_norms;
    }
    const std::uint64_t units = p_.units, queries = units * tiles_.size();
    steps_ *= units;
    const std::uint64_t keys = plan.resident ? units * plan.key_blocks() : steps_;
    norms_ = queries + keys;
    TensorId next = 4;
    for (const BufferSpec& b : plan.buffers) {
      std::uint64_t uses = norms_;  // squares, diagonal
      if (b.name == "q" || b.name == "stage") uses = queries;
      if (b.name == "kT" || b.name == "v") uses = keys;
      if (b.name == "p") uses = units * pieces;
      if (b.name == "scores") uses = units * (pieces + 2 * with_norms);
      if (b.name == "sums") uses = steps_;
      if (b.name == "acc") uses = units * longer;
      if (b.count == 1 && (b.name == "identity" || b.name == "ones" || b.name == "stat")) uses = 1;
      ring(b.name) = TileRing(b, next, uses);
      next += static_cast<TensorId>(b.count);
    }
  }

  RecordStream records() override {
    co_yield make_constants();
    Step ahead, now;
    for (std::uint64_t i = 0; i < steps_; ++i, advance(now)) {
      for (; loaded_ < steps_ && loaded_ <= i + plan_.lookahead; ++loaded_, advance(ahead)) {
        while (loaded_ == i && !fits(ahead)) co_yield sum_next();
        if (!fits(ahead)) break;
        co_yield load(ahead);
      }
      if (bounding_.number == i) co_yield next_bound();
      const std::vector<KeyPiece> pieces = key_pieces(p_, plan_, tile(now), now.block);
      for (std::size_t n = 0; n < pieces.size(); ++n) {
        co_yield score(Work{now, pieces[n], pieces.front().row, pieces_++, n + 1 == pieces.size()});
        if (n == pieces.size() / 2 && i + 1 < loaded_) co_yield next_bound();
        if (summing_.size() > kSumLag) co_yield sum_next();
      }
    }
    while (!summing_.empty()) co_yield sum_next();
    while (!stores_.empty()) co_yield store_next();
  }

 private:
  /// Of a set of statistics: of a query tile or key block the square of its largest norm; of a step the bound of its
  /// scores, the bias that takes it off, the factor to the block before.
  enum Stat : std::uint8_t { kLargest = 0, kPartial = 1, kBound = 0, kShift = 1, kAlpha = 2, kInverse = kStatisticFields };

  struct Step {
    std::uint64_t number = 0, unit = 0, tile = 0, block = 0;
  };
  struct Work {
    Step step;
    KeyPiece piece;
    std::uint32_t first_row = 0;  ///< Of the step.
    std::uint64_t number = 0;
    bool last = false;  ///< Of the step.
  };

  TileRing& ring(const std::string& name) {
    if (name == "q") return q_;
    if (name == "kT") return k_;
    if (name == "v") return v_;
    if (name == "squares") return squares_;
    if (name == "diagonal") return diagonal_;
    if (name == "p") return probabilities_;
    if (name == "stat") return stat_;
    if (name == "acc") return acc_;
    if (name == "stage") return stage_;
    if (name == "identity") return identity_;
    if (name == "ones") return ones_;
    return name == "scores" ? scores_ : sums_;
  }

  void advance(Step& s) const {
    ++s.number;
    if (++s.block < tiles_[s.tile].blocks) return;
    s.block = 0;
    if (++s.tile < tiles_.size()) return;
    s.tile = 0;
    ++s.unit;
  }
  [[nodiscard]] const QueryTile& tile(const Step& s) const { return tiles_[s.tile]; }
  [[nodiscard]] std::uint32_t row_tiles(const Step& s) const { return static_cast<std::uint32_t>(ceil_div(tile(s).rows(), p_.row_tile)); }
  [[nodiscard]] bool last_block(const Step& s) const { return s.block + 1 == tile(s).blocks; }
  [[nodiscard]] std::uint64_t query_use(const Step& s) const { return s.unit * tiles_.size() + s.tile; }
  [[nodiscard]] std::uint64_t key_use(const Step& s) const { return plan_.resident ? s.unit * plan_.key_blocks() + s.block : s.number; }
  [[nodiscard]] bool loads_keys(const Step& s) const { return !plan_.resident || s.tile == 0 || s.block >= tiles_[s.tile - 1].blocks; }
  [[nodiscard]] bool frees_keys(const Step& s) const { return !plan_.resident || s.tile + 1 == tiles_.size(); }

  /// Whether the tiles of this step's loads are no longer needed by work that is still to come.
  [[nodiscard]] bool fits(const Step& s) const {
    if (s.block == 0 && query_use(s) >= queries_freed_ + q_.count()) return false;
    return !loads_keys(s) || (key_use(s) < keys_freed_ + k_.count() && key_use(s) < values_freed_ + v_.count());
  }

  [[nodiscard]] Operand statistic(std::uint64_t set, unsigned field, std::uint32_t partitions, std::uint32_t count = 1) const {
    return stat_.operand(0, partitions, set * plan_.statistic_bytes(p_.row_tile) + field * element_bytes(DType::Fp32), count);
  }
  /// Sets of keys are one more than buffers: the block before is still there.
  [[nodiscard]] std::uint64_t key_set(std::uint64_t use) const { return use % (k_.count() + 1); }
  [[nodiscard]] std::uint64_t query_set(std::uint64_t use) const { return k_.count() + 1 + use % q_.count(); }
  [[nodiscard]] std::uint64_t step_set(std::uint64_t number) const { return k_.count() + 1 + q_.count() + number % kStepStatistics; }

  RecordStream make_constants() {
    const std::uint32_t r = p_.row_tile;
    co_yield ones_.declare(0);
    co_yield fill_(ones_.operand(0, r, 0, r));
    co_yield identity_.declare(0);
    const Operand whole = identity_.operand(0, r, 0, r);
    co_yield fill_(whole);
    co_yield select_(whole, whole);
  }

  RecordStream load(Step s) {
    while (stores_.due(copies_.count())) co_yield store_next();
    if (loads_keys(s)) co_yield load_keys(s);
    if (s.block == 0) co_yield load_queries(s);
    if (loads_keys(s)) co_yield load_values(s);
  }

  RecordStream load_queries(Step s) {
    const std::uint32_t d = p_.head_dim, e = p_.element();
    const QueryTile& t = tile(s);
    const std::uint64_t use = query_use(s);
    if (q_.first_use(use)) co_yield q_.declare(use);
    const std::uint64_t offset = ((s.unit * p_.group + t.head) * d * p_.seq_q + t.first) * e;
    const Operand src = hbm_operand(kQuery, p_.dtype, d, offset, p_.seq_q * e, t.count);
    const auto head = static_cast<std::int32_t>(t.heads > 1 ? d * p_.seq_q : 0);
    co_yield copies_.copy(q_.operand(use, d, 0, t.rows()), repeated(src, head, t.heads));
  }

  RecordStream load_keys(Step s) {
    const std::uint32_t d = p_.head_dim, count = p_.keys_of(s.block);
    const std::uint64_t use = key_use(s), offset = (s.unit * d * p_.seq_k + s.block * p_.block) * p_.element();
    if (k_.first_use(use)) co_yield k_.declare(use);
    co_yield copies_.copy(k_.operand(use, d, 0, count), hbm_operand(kKey, p_.dtype, d, offset, p_.seq_k * p_.element(), count));
  }

  /// Values with a column of ones at the end of each row, whose product is the sum of the exponentials.
  RecordStream load_values(Step s) {
    const std::uint32_t d = p_.head_dim, e = p_.element(), r = p_.row_tile, count = p_.keys_of(s.block);
    const std::uint64_t use = key_use(s), offset = (s.unit * p_.seq_k + s.block * p_.block) * d * e, row = std::uint64_t{d} * e;
    const auto wide = static_cast<std::int32_t>(d + 1);
    if (v_.first_use(use)) {
      co_yield v_.declare(use);
      Operand ones = v_.operand(use, r, row, static_cast<std::uint32_t>(ceil_div(p_.block, r)));
      ones.free[0].stride = wide;
      co_yield fill_(ones);
    }
    const std::uint32_t pieces = count / r, rest = count % r;
    if (pieces > 0) {
      const Operand src = hbm_operand(kValue, p_.dtype, r, offset, row, d);
      co_yield copies_.copy(repeated(v_.operand(use, r, 0, d), wide, pieces), repeated(src, static_cast<std::int32_t>(r * d), pieces));
    }
    if (rest > 0) {
      const Operand src = hbm_operand(kValue, p_.dtype, rest, offset + pieces * r * row, row, d);
      co_yield copies_.copy(v_.operand(use, rest, std::uint64_t{pieces} * wide * e, d), src);
    }
  }

  /// No score of a query tile and a key block exceeds the product of their largest norms. This bound takes
  /// the place of the running maximum: it needs no scores and is the same on every partition. Squares go
  /// two steps ahead of it and norms one, so that no engine waits for the one before it in the chain.
  RecordStream next_bound() {
    const Step s = bounding_;
    if (squaring_.number == s.number) co_yield square_next();
    if (norming_.number == s.number) co_yield norms_next();
    const std::uint64_t squared = squaring_.number;
    if (has_norms(s)) co_yield spread(s);
    while (s.number > 0 && squaring_.number < std::min(loaded_, s.number + 3)) co_yield square_next();
    co_yield bound(s);
    if (s.number > 0 && norming_.number < squared) co_yield norms_next();
    while (s.number == 0 && squaring_.number < std::min<std::uint64_t>(loaded_, 3)) co_yield square_next();  // the first bound has no time
    advance(bounding_);
  }

  /// Columns whose largest norm a step needs first.
  struct Norm {
    const TileRing* from;
    std::uint64_t use;
    std::uint32_t columns, rows;  ///< Rows: partitions that have partial maxima.
    std::uint64_t set;
  };
  [[nodiscard]] bool has_norms(const Step& s) const { return s.block == 0 || loads_keys(s); }
  [[nodiscard]] std::vector<Norm> norms_of(const Step& s) const {
    std::vector<Norm> list;
    const auto add = [&](const TileRing& from, std::uint64_t use, std::uint32_t columns, std::uint64_t set) {
      list.push_back({&from, use, columns, std::min(columns, p_.row_tile), set});
    };
    if (loads_keys(s)) add(k_, key_use(s), p_.keys_of(s.block), key_set(key_use(s)));
    if (s.block == 0) add(q_, query_use(s), tile(s).rows(), query_set(query_use(s)));
    return list;
  }

  RecordStream square_next() {
    for (const Norm& norm : norms_of(squaring_)) {
      const std::uint64_t n = squared_++;
      const std::uint32_t d = p_.head_dim, given = norm.columns == p_.block ? plan_.by_gpsimd : 0, kept = norm.columns - given;
      if (squares_.first_use(n)) co_yield squares_.declare(n);
      const Operand source = norm.from->operand(norm.use, d, 0, kept), squares = squares_.operand(n, d, 0, kept);
      if (plan_.by_scalar) co_yield scalar_square_(squares, source);
      if (!plan_.by_scalar) co_yield square_(squares, source, source);
      const Operand rest = norm.from->operand(norm.use, d, std::uint64_t{kept} * p_.element(), given);
      if (given > 0) co_yield gpsimd_square_(squares_.operand(n, d, std::uint64_t{kept} * element_bytes(DType::Bf16), given), rest, rest);
    }
    advance(squaring_);
  }

  /// Sums of the squares, by a product with ones, and their maximum per partition.
  RecordStream norms_next() {
    const Step s = norming_;
    advance(norming_);
    if (!has_norms(s)) co_return;
    const std::uint32_t d = p_.head_dim, r = p_.row_tile;
    const std::uint64_t use = scored_++;
    if (scores_.first_use(use)) co_yield scores_.declare(use);
    std::uint32_t column = 0;
    for (const Norm& norm : norms_of(s)) {
      const std::uint64_t n = normed_++;
      const std::uint32_t first = column, whole = norm.columns / r, rest = norm.columns % r;
      for (std::uint32_t at = 0; at < norm.columns; at += r) {
        const std::uint32_t count = std::min(r, norm.columns - at);
        co_yield multiply_(score_at(use, count, column++, 1), squares_.operand(n, d, std::uint64_t{at} * element_bytes(DType::Bf16), count),
                           ones_.operand(0, d, 0, 1));
      }
      if (squares_.last_use(n)) co_yield squares_.release(n);
      if (n == 0) co_yield stat_.declare(0);
      co_yield max_(statistic(norm.set, kPartial, norm.rows), score_at(use, norm.rows, first, std::max(1U, whole)));
      const Operand partial = statistic(norm.set, kPartial, rest);
      if (whole > 0 && rest > 0) co_yield larger_(partial, score_at(use, rest, first + whole, 1), partial);
    }
    if (scores_.last_use(use)) co_yield scores_.release(use);
  }

  /// The maxima of all partitions on every partition, by a product of ones and a diagonal.
  RecordStream spread(Step s) {
    const std::uint32_t r = p_.row_tile;
    const std::uint64_t use = scored_++;
    std::uint32_t column = 0;
    for (const Norm& norm : norms_of(s)) {
      const std::uint64_t n = spread_++;
      if (diagonal_.first_use(n)) co_yield diagonal_.declare(n);
      co_yield scale_(diagonal_.operand(n, norm.rows, 0, norm.rows), identity_.operand(0, norm.rows, 0, norm.rows),
                      statistic(norm.set, kPartial, norm.rows));
      if (n + 1 == norms_) co_yield identity_.release(0);
      if (column == 0 && scores_.first_use(use)) co_yield scores_.declare(use);
      co_yield multiply_(score_at(use, r, column, norm.rows), ones_.operand(0, norm.rows, 0, r),
                         diagonal_.operand(n, norm.rows, 0, norm.rows));
      if (diagonal_.last_use(n)) co_yield diagonal_.release(n);
      if (n + 1 == norms_) co_yield ones_.release(0);
      column += r;
    }
  }

  RecordStream bound(Step s) {
    const std::uint32_t r = p_.row_tile;
    const std::uint64_t use = scored_ - 1, set = step_set(s.number);
    const Operand query = statistic(query_set(query_use(s)), kLargest, r), key = statistic(key_set(key_use(s)), kLargest, r);
    std::uint32_t column = 0;
    for (const Norm& norm : norms_of(s)) {
      co_yield max_(statistic(norm.set, kLargest, r), score_at(use, r, column, norm.rows));
      column += r;
    }
    if (column > 0 && scores_.last_use(use)) co_yield scores_.release(use);
    if (loads_keys(s) && s.block > 0) co_yield larger_(key, key, statistic(key_set(key_use(s) - 1), kLargest, r));
    co_yield root_(statistic(set, kBound, r), key, query);
    co_yield bias_(statistic(set, kShift, r), statistic(set, kBound, r));
    if (s.block > 0) co_yield exp_(statistic(set, kAlpha, r), statistic(step_set(s.number - 1), kShift, r), statistic(set, kShift, r));
  }

  [[nodiscard]] Operand score_at(std::uint64_t use, std::uint32_t partitions, std::uint32_t column, std::uint32_t count) const {
    return scores_.operand(use, partitions, std::uint64_t{column} * element_bytes(DType::Fp32), count);
  }

  /// Columns of a piece: those of a tile in a slot of its own, as many slots in a bank as fit.
  [[nodiscard]] std::uint32_t slots(const Work& w) const { return p_.moving / tile(w.step).rows(); }
  [[nodiscard]] Operand columns(const Work& w, const TileRing& from, std::uint64_t use, std::uint32_t bank) const {
    const std::uint32_t rows = tile(w.step).rows(), each = std::min(w.piece.tiles, slots(w)),
                        e = element_bytes(from.operand(0, 1, 0, 1).dtype);
    const Operand o = from.operand(use, w.piece.keys, std::uint64_t{w.piece.row} * e, each * rows - w.piece.row);
    return repeated(o, static_cast<std::int32_t>(bank), w.piece.tiles / each);
  }

  /// Scores of a piece, their exponentials, and zeros where the mask is.
  RecordStream score(Work w) {
    const Step& s = w.step;
    const KeyPiece& piece = w.piece;
    const std::uint32_t rows = tile(s).rows(), d = p_.head_dim, e = p_.element(), r = p_.row_tile;
    const std::uint64_t use = scored_++, query = query_use(s), key = key_use(s);
    if (scores_.first_use(use)) co_yield scores_.declare(use);
    for (std::uint32_t i = 0; i < piece.tiles; ++i) {
      const std::uint32_t column = i / slots(w) * plan_.bank_columns + i % slots(w) * rows + piece.row;
      co_yield multiply_(score_at(use, piece.keys, column, rows - piece.row),
                         k_.operand(key, d, std::uint64_t{piece.first + i} * r * e, piece.keys),
                         q_.operand(query, d, std::uint64_t{piece.row} * e, rows - piece.row));
    }
    if (w.last) co_yield free_factors(s);
    if (probabilities_.first_use(w.number)) co_yield probabilities_.declare(w.number);
    co_yield exp_(columns(w, probabilities_, w.number, slots(w) * rows), columns(w, scores_, use, plan_.bank_columns),
                  statistic(step_set(s.number), kShift, piece.keys));
    if (scores_.last_use(use)) co_yield scores_.release(use);
    if (piece.masked > 0) {
      const std::uint64_t first = std::uint64_t{piece.row} * element_bytes(plan_.exponentials);
      const Operand part = probabilities_.operand(w.number, piece.keys, first, piece.masked - piece.row);
      co_yield select_(part, part);
    }
    summing_.push_back(w);
  }

  RecordStream free_factors(Step s) {
    const std::uint64_t query = query_use(s), key = key_use(s);
    if (last_block(s)) ++queries_freed_;
    if (last_block(s) && q_.last_use(query)) co_yield q_.release(query);
    if (frees_keys(s)) ++keys_freed_;
    if (frees_keys(s) && k_.last_use(key)) co_yield k_.release(key);
  }

  /// Exponentials × values of the oldest piece.
  RecordStream sum_next() {
    const Work w = summing_.front();
    summing_.pop_front();
    const Step& s = w.step;
    const std::uint32_t rows = tile(s).rows(), r = p_.row_tile, wide = p_.head_dim + 1;
    if (w.piece.first == 0 && sums_.first_use(s.number)) co_yield sums_.declare(s.number);
    for (std::uint32_t i = 0; i < w.piece.tiles; ++i) {
      multiply_sum_.fields().accumulate = w.piece.first + i > 0;
      for (std::uint32_t j = w.piece.row / r; j < row_tiles(s); ++j) {
        const std::uint64_t column = std::uint64_t{i} * rows + std::uint64_t{j} * r;
        const std::uint32_t count = std::min(r, rows - j * r);
        co_yield multiply_sum_(sums_.operand(s.number, count, sum_offset(j), wide),
                               probabilities_.operand(w.number, w.piece.keys, column * element_bytes(plan_.exponentials), count),
                               v_.operand(key_use(s), w.piece.keys, std::uint64_t{w.piece.first + i} * wide * p_.element(), wide));
      }
    }
    if (probabilities_.last_use(w.number)) co_yield probabilities_.release(w.number);
    if (!w.last) co_return;
    if (frees_keys(s)) ++values_freed_;
    if (frees_keys(s) && v_.last_use(key_use(s))) co_yield v_.release(key_use(s));
    if (tile(s).blocks > 1) co_yield merge(s, w.first_row / r);
    if (last_block(s)) co_yield finish(s);
  }

  [[nodiscard]] std::uint64_t sum_offset(std::uint32_t row_tile) const {
    const std::uint64_t column = row_tile / plan_.bank_sums * plan_.bank_columns + row_tile % plan_.bank_sums * (p_.head_dim + 1);
    return column * element_bytes(DType::Fp32);
  }
  [[nodiscard]] Operand accumulated(const RowPart& part) const {
    const std::uint32_t wide = p_.head_dim + 1;
    return acc_.operand(acc_used_, part.rows, std::uint64_t{part.first} * wide * element_bytes(DType::Fp32), part.tiles * wide);
  }

  /// Outputs and sums of a block, added to those of the blocks before, which had a smaller bound.
  RecordStream merge(Step s, std::uint32_t first) {
    if (s.block == 0 && acc_.first_use(acc_used_)) co_yield acc_.declare(acc_used_);
    for (const RowPart& part : row_parts(p_, plan_, tile(s), first)) {
      const Operand sums = sums_.operand(s.number, part.rows, sum_offset(part.first), part.tiles * (p_.head_dim + 1));
      const Operand acc = accumulated(part);
      if (s.block == 0) co_yield copy_(acc, sums);
      if (s.block > 0) co_yield scale_add_(acc, acc, sums, statistic(step_set(s.number), kAlpha, part.rows));
    }
    if (sums_.last_use(s.number)) co_yield sums_.release(s.number);
  }

  RecordStream finish(Step s) {
    const bool single = tile(s).blocks == 1;
    const std::uint64_t use = query_use(s);
    while (stores_.blocks(use, stage_.count())) co_yield store_next();
    if (stage_.first_use(use)) staged_ = false;
    for (const RowPart& part : row_parts(p_, plan_, tile(s), 0)) co_yield divide(s, part);
    if (single && sums_.last_use(s.number)) co_yield sums_.release(s.number);
    if (!single && acc_.last_use(acc_used_)) co_yield acc_.release(acc_used_);
    if (!single) ++acc_used_;
    if (s.number + 1 == steps_) co_yield stat_.release(0);
  }

  /// Outputs over the sums beside them.
  RecordStream divide(Step s, RowPart part) {
    const QueryTile& t = tile(s);
    const std::uint32_t d = p_.head_dim, r = p_.row_tile;
    const std::uint64_t use = query_use(s);
    const auto wide = static_cast<std::int32_t>(d + 1);
    Operand source = t.blocks == 1 ? sums_.operand(s.number, part.rows, sum_offset(part.first), d) : accumulated(part);
    source.free[0].count = d;
    Operand sum = source;
    sum.offset += std::uint64_t{d} * element_bytes(DType::Fp32);
    sum.free[0] = Dim{wide, part.tiles};
    Operand inverse = statistic(step_set(s.number), kInverse + part.first, part.rows, part.tiles);
    co_yield reciprocal_(inverse, sum);
    if (!staged_ && stage_.first_use(use)) co_yield stage_.declare(use);
    staged_ = true;
    const Operand staged = stage_.operand(use, part.rows, std::uint64_t{part.first} * d * p_.element(), d);
    inverse.free[0] = Dim{0, d};
    co_yield product_(repeated(staged, static_cast<std::int32_t>(d), part.tiles), repeated(source, wide, part.tiles),
                      repeated(inverse, 1, part.tiles));
    const std::uint64_t row_bytes = std::uint64_t{d} * p_.element();
    const std::uint64_t row = (s.unit * p_.group + t.head) * p_.seq_q + t.first + std::uint64_t{part.first} * r;
    const Operand dst = hbm_operand(kResult, p_.dtype, part.rows, row * row_bytes, row_bytes, d);
    stores_.push(repeated(dst, static_cast<std::int32_t>(r * d), part.tiles), repeated(staged, static_cast<std::int32_t>(d), part.tiles),
                 use, copies_.count());
  }

  RecordStream store_next() {
    const StoreQueue::Store store = stores_.pop();
    co_yield copies_.copy(store.dst, store.src);
    if (stage_.last_use(store.use) && !stores_.holds(store.use)) co_yield stage_.release(store.use);
  }

  AttentionProblem p_;
  AttentionPlan plan_;
  std::vector<QueryTile> tiles_;
  std::uint64_t steps_ = 0, norms_ = 0;
  std::uint64_t queries_freed_ = 0, keys_freed_ = 0, values_freed_ = 0;
  std::uint64_t loaded_ = 0, pieces_ = 0, scored_ = 0, squared_ = 0, normed_ = 0, spread_ = 0, acc_used_ = 0;
  bool staged_ = false;
  Step squaring_, norming_, bounding_;  ///< Whose squares, norms and bound come next.
  std::deque<Work> summing_;
  TileRing q_, k_, v_, squares_, diagonal_, probabilities_, stat_, acc_, stage_, identity_, ones_, scores_, sums_;
  CopyEmitter copies_;
  StoreQueue stores_;
  InstructionEmitter multiply_{Opcode::NcMatmul, EngineKind::Tensor}, multiply_sum_{Opcode::NcMatmul, EngineKind::Tensor};
  InstructionEmitter square_ = emitter(Opcode::TensorTensor, EngineKind::Vector, AluOp::Multiply);
  InstructionEmitter scalar_square_ = activation(ActFn::Square);
  InstructionEmitter gpsimd_square_ = emitter(Opcode::TensorTensor, EngineKind::GpSimd, AluOp::Multiply);
  InstructionEmitter product_ = emitter(Opcode::TensorTensor, EngineKind::Vector, AluOp::Multiply);
  InstructionEmitter max_ = emitter(Opcode::TensorReduce, EngineKind::Vector, AluOp::Max);
  InstructionEmitter larger_ = emitter(Opcode::TensorTensor, EngineKind::Vector, AluOp::Max);
  InstructionEmitter copy_ = emitter(Opcode::TensorCopy, EngineKind::Vector);
  InstructionEmitter scale_ = emitter(Opcode::TensorScalar, EngineKind::Vector, AluOp::Multiply);
  InstructionEmitter root_ = emitter(Opcode::TensorScalar, EngineKind::Vector, AluOp::Multiply, AluOp::Power);
  InstructionEmitter bias_ = emitter(Opcode::TensorScalar, EngineKind::Vector, AluOp::Multiply, AluOp::Add);
  InstructionEmitter scale_add_ = emitter(Opcode::ScalarTensorTensor, EngineKind::Vector, AluOp::Multiply, AluOp::Add);
  InstructionEmitter reciprocal_ = emitter(Opcode::Reciprocal, EngineKind::Vector);
  InstructionEmitter exp_ = activation(ActFn::Exp);
  InstructionEmitter fill_ = emitter(Opcode::Memset, EngineKind::GpSimd);
  InstructionEmitter select_ = emitter(Opcode::AffineSelect, EngineKind::GpSimd);
};

}  // namespace

std::unique_ptr<RecordSource> attention_source(const AttentionProblem& problem, const AttentionPlan& plan) {
  return std::make_unique<AttentionSource>(problem, plan);
}

}  // namespace trnsim::kernel
