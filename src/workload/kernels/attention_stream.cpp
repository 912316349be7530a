// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>
#include <array>
#include <map>

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

InstructionEmitter exponential(bool row_sum) {
  InstructionEmitter e(Opcode::Activation, EngineKind::Scalar);
  e.fields().function = ActFn::Exp;
  e.fields().reduce = row_sum;
  return e;
}

InstructionEmitter transposer() {
  InstructionEmitter e(Opcode::NcMatmul, EngineKind::Tensor);
  e.fields().transpose = true;
  return e;
}

/// Flash attention: KV head → query tile → key block. A step is one (query tile, key block) and goes
/// through three stages, so many steps apart that no engine waits in its own order for one of another:
/// scores and exponentials; transposes and their eviction (kTurnLag); output sums (kSumLag).
class AttentionSource final : public RecordSource {
 public:
  AttentionSource(const AttentionProblem& problem, const AttentionPlan& plan)
      : p_(problem), plan_(plan), tiles_(problem.query_tiles()), copies_(problem.queues) {
    std::uint64_t masked = 0, longer = 0;
    for (const QueryTile& t : tiles_) {
      steps_ += t.blocks;
      if (t.blocks > 1) ++longer;
      for (std::uint64_t j = 0; j < t.blocks; ++j) masked += p_.key_block(t, j).masked ? 1 : 0;
    }
    const std::uint64_t units = p_.units;
    steps_ *= units;
    const std::uint64_t keys = plan.resident ? units * p_.key_blocks() : steps_;
    TensorId next = 4;
    for (const BufferSpec& b : plan.buffers) {
      std::uint64_t uses = steps_;
      if (b.name == "q" || b.name == "stage") uses = units * tiles_.size();
      if (b.name == "kT" || b.name == "v") uses = keys;
      if (b.name == "masked") uses = units * masked;
      if (b.name == "acc") uses = units * longer;
      if (b.name == "identity") uses = 1;
      ring(b.name) = TileRing(b, next, uses);
      next += static_cast<TensorId>(b.count);
    }
  }

  RecordStream records() override {
    co_yield make_identity();
    Step ahead;
    Step now, turning, summing;
    for (std::uint64_t i = 0, loaded = 0; i < steps_ + kSumLag; ++i) {
      for (; loaded < steps_ && loaded <= i + plan_.lookahead && fits(ahead); ++loaded, advance(ahead)) co_yield load(ahead);
      if (i < steps_) {
        co_yield score(now);
        advance(now);
      }
      if (i >= kTurnLag && i < steps_ + kTurnLag) {
        co_yield turn(turning);
        advance(turning);
      }
      if (i >= kSumLag) {
        co_yield sum(summing);
        advance(summing);
      }
    }
    while (!stores_.empty()) co_yield store_next();
  }

  RecordStream summary() override {
    co_yield make_identity();
    std::map<StepShape, std::pair<Step, std::uint64_t>> shapes;
    for (Step s; s.unit == 0; advance(s)) ++shapes.try_emplace(shape(s), s, 0).first->second.second;
    for (const auto& [shape, step] : shapes) {
      weight_ = p_.units * step.second;
      co_yield load(step.first);
      co_yield score(step.first);
      co_yield turn(step.first);
      co_yield sum(step.first);
      while (!stores_.empty()) co_yield store_next();
    }
  }
  [[nodiscard]] unsigned rings() const override { return copies_.rings(); }

 private:
  enum Stat : std::uint8_t { kBlockMax, kMax, kAlpha, kBlockSum, kSum, kInverse, kBounds };  ///< Columns of a statistics tile.

  struct Step {
    std::uint64_t number = 0, unit = 0, tile = 0, block = 0;
  };

  /// All that the instructions of a step depend on, but for their places.
  using StepShape = std::array<std::uint64_t, 9>;
  [[nodiscard]] StepShape shape(const Step& s) const {
    const QueryTile& t = tile(s);
    const KeyBlock block = keys(s);
    const std::uint64_t position = (s.block == 0 ? 2 : 0) + (last_block(s) ? 1 : 0);
    return {t.rows(),
            t.count,
            t.heads,
            t.blocks == 1 ? 1U : 0U,
            position,
            block.count,
            block.masked ? 1U : 0U,
            p_.keys_of(s.block),
            loads_keys(s) ? 1U : 0U};
  }

  TileRing& ring(const std::string& name) {
    if (name == "q") return q_;
    if (name == "kT") return k_;
    if (name == "v") return v_;
    if (name == "p") return probabilities_;
    if (name == "pT") return turned_probabilities_;
    if (name == "masked") return masked_;
    if (name == "stat") return stat_;
    if (name == "acc") return acc_;
    if (name == "stage") return stage_;
    if (name == "identity") return identity_;
    if (name == "scores") return scores_;
    return name == "turned" ? turned_ : sums_;
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
  [[nodiscard]] KeyBlock keys(const Step& s) const { return p_.key_block(tile(s), s.block); }
  [[nodiscard]] bool last_block(const Step& s) const { return s.block + 1 == tile(s).blocks; }
  [[nodiscard]] std::uint64_t query_use(const Step& s) const { return s.unit * tiles_.size() + s.tile; }
  [[nodiscard]] std::uint64_t key_use(const Step& s) const { return plan_.resident ? s.unit * p_.key_blocks() + s.block : s.number; }
  [[nodiscard]] bool loads_keys(const Step& s) const { return !plan_.resident || s.tile == 0 || s.block >= tiles_[s.tile - 1].blocks; }
  [[nodiscard]] bool frees_keys(const Step& s) const { return !plan_.resident || s.tile + 1 == tiles_.size(); }

  /// Whether the tiles of this step's loads are no longer needed by work that is still to come.
  [[nodiscard]] bool fits(const Step& s) const {
    if (s.block == 0 && query_use(s) >= queries_freed_ + q_.count()) return false;
    return !loads_keys(s) || (key_use(s) < keys_freed_ + k_.count() && key_use(s) < values_freed_ + v_.count());
  }

  [[nodiscard]] Operand stat(const Step& s, unsigned column, std::uint32_t count = 1) const {
    return stat_.operand(s.number, tile(s).rows(), column * element_bytes(DType::Fp32), count);
  }
  /// The same of the step before, a block of the same query tile.
  [[nodiscard]] Operand before(const Step& s, Stat merged, Stat first) const {
    const unsigned column = s.block == 1 ? first : merged;
    return stat_.operand(s.number - 1, tile(s).rows(), column * element_bytes(DType::Fp32), 1);
  }
  [[nodiscard]] Operand maximum(const Step& s) const { return stat(s, s.block == 0 ? kBlockMax : kMax); }
  [[nodiscard]] Operand row_sum(const Step& s) const { return stat(s, s.block == 0 ? kBlockSum : kSum); }

  RecordStream make_identity() {
    co_yield identity_.declare(0);
    const Operand whole = identity_.operand(0, p_.row_tile, 0, p_.row_tile);
    co_yield fill_(whole);
    co_yield select_(whole, whole);
  }

  RecordStream load(Step s) {
    while (stores_.due(copies_.count())) co_yield store_next();
    const std::uint32_t d = p_.head_dim, e = p_.element();
    if (s.block == 0) {
      const QueryTile& t = tile(s);
      const std::uint64_t use = query_use(s);
      if (q_.first_use(use)) co_yield q_.declare(use);
      const std::uint64_t offset = ((s.unit * p_.group + t.head) * d * p_.seq_q + t.first) * e;
      const Operand src = hbm_operand(kQuery, p_.dtype, d, offset, p_.seq_q * e, t.count);
      const auto head = static_cast<std::int32_t>(t.heads > 1 ? d * p_.seq_q : 0);
      co_yield copies_.copy(q_.operand(use, d, 0, t.rows()), repeated(src, head, t.heads));
    }
    if (loads_keys(s)) co_yield load_keys(s);
  }

  RecordStream load_keys(Step s) {
    const std::uint32_t d = p_.head_dim, e = p_.element(), r = p_.row_tile;
    const std::uint64_t use = key_use(s), first = s.block * p_.block;
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(p_.block, p_.seq_k - first));
    if (k_.first_use(use)) co_yield k_.declare(use);
    co_yield copies_.copy(k_.operand(use, d, 0, count),
                          hbm_operand(kKey, p_.dtype, d, (s.unit * d * p_.seq_k + first) * e, p_.seq_k * e, count));
    if (v_.first_use(use)) co_yield v_.declare(use);
    const std::uint64_t offset = (s.unit * p_.seq_k + first) * d * e, row = std::uint64_t{d} * e;
    const std::uint32_t pieces = count / r, rest = count % r;
    if (pieces > 0) {
      const Operand src = hbm_operand(kValue, p_.dtype, r, offset, row, d);
      co_yield copies_.copy(v_.operand(use, r, 0, pieces * d), repeated(src, static_cast<std::int32_t>(r * d), pieces));
    }
    if (rest > 0) {
      const Operand src = hbm_operand(kValue, p_.dtype, rest, offset + pieces * r * row, row, d);
      co_yield copies_.copy(v_.operand(use, rest, pieces * row, d), src);
    }
  }

  /// Stage 1: scores of the block, running maximum, exponentials with their row sum.
  RecordStream score(Step s) {
    const std::uint32_t rows = tile(s).rows(), d = p_.head_dim;
    const KeyBlock block = keys(s);
    const std::uint64_t n = s.number, query = query_use(s), key = key_use(s);
    if (scores_.first_use(n)) co_yield scores_.declare(n);
    for (std::uint32_t first = 0; first < block.count; first += p_.moving) {
      const std::uint32_t count = std::min(p_.moving, block.count - first);
      co_yield multiply_(scores_.operand(n, rows, first * element_bytes(DType::Fp32), count), q_.operand(query, d, 0, rows),
                         k_.operand(key, d, first * p_.element(), count));
    }
    if (last_block(s)) ++queries_freed_;
    if (last_block(s) && q_.last_use(query)) co_yield q_.release(query);
    if (frees_keys(s)) ++keys_freed_;
    if (frees_keys(s) && k_.last_use(key)) co_yield k_.release(key);
    if (!block.masked) co_yield row_maximum(s);
    if (block.masked) co_yield masked_maximum(s);
    if (s.block > 0) co_yield min_(stat(s, kMax), stat(s, kBlockMax), before(s, kMax, kBlockMax));
    co_yield exponentials(s);
    if (s.block > 0) co_yield exp_(stat(s, kAlpha), before(s, kMax, kBlockMax), stat(s, kMax));
  }

  [[nodiscard]] Operand scores(const Step& s) const { return scores_.operand(s.number, tile(s).rows(), 0, keys(s).count); }
  [[nodiscard]] Operand masked(const Step& s) const { return masked_.operand(masked_used_, tile(s).rows(), 0, keys(s).count); }

  RecordStream row_maximum(Step s) {
    if (stat_.first_use(s.number)) co_yield stat_.declare(s.number);
    co_yield max_(stat(s, kBlockMax), scores(s));
  }

  /// A block on the diagonal. GpSimd cannot reach PSUM, so that without range_select the scores are
  /// copied first.
  RecordStream masked_maximum(Step s) {
    if (plan_.range_select) {
      if (stat_.first_use(s.number)) co_yield stat_.declare(s.number);
      co_yield bounds_(stat(s, kBounds, 2));
      if (masked_.first_use(masked_used_)) co_yield masked_.declare(masked_used_);
      co_yield range_(masked(s), scores(s), stat(s, kBounds), stat(s, kBounds + 1), stat(s, kBlockMax));
      if (scores_.last_use(s.number)) co_yield scores_.release(s.number);
      co_return;
    }
    if (masked_.first_use(masked_used_)) co_yield masked_.declare(masked_used_);
    co_yield copy_(masked(s), scores(s));
    if (scores_.last_use(s.number)) co_yield scores_.release(s.number);
    co_yield select_(masked(s), masked(s));
    if (stat_.first_use(s.number)) co_yield stat_.declare(s.number);
    co_yield max_(stat(s, kBlockMax), masked(s));
  }

  RecordStream exponentials(Step s) {
    const bool from_masked = keys(s).masked;
    const Operand source = from_masked ? masked(s) : scores(s);
    if (probabilities_.first_use(s.number)) co_yield probabilities_.declare(s.number);
    co_yield exp_sum_(probabilities_.operand(s.number, tile(s).rows(), 0, keys(s).count), source, maximum(s), kAbsent, stat(s, kBlockSum));
    if (!from_masked && scores_.last_use(s.number)) co_yield scores_.release(s.number);
    if (!from_masked) co_return;
    if (masked_.last_use(masked_used_)) co_yield masked_.release(masked_used_);
    ++masked_used_;
  }

  /// Stage 2: the block's exponentials with keys on the partitions, and the running row sum.
  RecordStream turn(Step s) {
    const std::uint32_t rows = tile(s).rows(), r = p_.row_tile, count = keys(s).count;
    const std::uint64_t n = s.number;
    if (turned_.first_use(n)) co_yield turned_.declare(n);
    for (std::uint32_t first = 0; first < count; first += r) {
      const std::uint32_t piece = std::min(r, count - first);
      co_yield transpose_(turned_.operand(n, piece, std::uint64_t{first} * element_bytes(plan_.transposed), rows),
                          probabilities_.operand(n, rows, std::uint64_t{first} * p_.element(), piece), identity_.operand(0, rows, 0, rows));
    }
    if (probabilities_.last_use(n)) co_yield probabilities_.release(n);
    if (n + 1 == steps_) co_yield identity_.release(0);
    co_yield evict(s);
    if (s.block == 0) co_return;
    co_yield scale_add_(stat(s, kSum), before(s, kSum, kBlockSum), stat(s, kBlockSum), stat(s, kAlpha));
    if (s.block == 1 && stat_.last_use(n - 1)) co_yield stat_.release(n - 1);
  }

  /// PSUM → SBUF, shared between the Vector and the Scalar engine.
  RecordStream evict(Step s) {
    const std::uint32_t r = p_.row_tile, count = keys(s).count;
    const std::uint32_t whole = count / r, by_vector = std::min(plan_.vector_pieces, whole);
    if (turned_probabilities_.first_use(s.number)) co_yield turned_probabilities_.declare(s.number);
    InstructionEmitter& scalar_copy = plan_.scalar_copies ? scalar_copy_ : scalar_activation_;
    if (by_vector > 0) co_yield copy_(evicted(s, turned_probabilities_, 0, by_vector, r), evicted(s, turned_, 0, by_vector, r));
    if (whole > by_vector) {
      co_yield scalar_copy(evicted(s, turned_probabilities_, by_vector, whole - by_vector, r),
                           evicted(s, turned_, by_vector, whole - by_vector, r));
    }
    if (count % r > 0)
      co_yield scalar_copy(evicted(s, turned_probabilities_, whole, 1, count % r), evicted(s, turned_, whole, 1, count % r));
    if (turned_.last_use(s.number)) co_yield turned_.release(s.number);
  }

  /// `count` transposed pieces from piece `first` on.
  [[nodiscard]] Operand evicted(const Step& s, const TileRing& from, std::uint32_t first, std::uint32_t count,
                                std::uint32_t partitions) const {
    const std::uint32_t rows = tile(s).rows(), r = p_.row_tile;
    Operand o = from.operand(s.number, partitions, 0, rows);
    o.offset = std::uint64_t{first} * r * element_bytes(o.dtype);
    if (rows == r) o.free[0].count = count * r;
    return rows == r ? o : repeated(o, static_cast<std::int32_t>(r), count);
  }

  /// Stage 3: exponentials × values, added to the output of the blocks before.
  RecordStream sum(Step s) {
    const std::uint32_t rows = tile(s).rows(), r = p_.row_tile, d = p_.head_dim, count = keys(s).count;
    const std::uint64_t n = s.number, key = key_use(s);
    if (sums_.first_use(n)) co_yield sums_.declare(n);
    for (std::uint32_t first = 0; first < count; first += r) {
      const std::uint32_t piece = std::min(r, count - first);
      multiply_sum_.fields().accumulate = first > 0;
      co_yield multiply_sum_(sums_.operand(n, rows, 0, d),
                             turned_probabilities_.operand(n, piece, std::uint64_t{first} * p_.element(), rows),
                             v_.operand(key, piece, std::uint64_t{first / r} * d * p_.element(), d));
    }
    if (turned_probabilities_.last_use(n)) co_yield turned_probabilities_.release(n);
    if (frees_keys(s)) ++values_freed_;
    if (frees_keys(s) && v_.last_use(key)) co_yield v_.release(key);
    const bool single = tile(s).blocks == 1;
    if (!single) co_yield merge(s);
    if (last_block(s)) co_yield finish(s, single);
  }

  RecordStream merge(Step s) {
    const std::uint32_t rows = tile(s).rows(), d = p_.head_dim;
    const Operand sums = sums_.operand(s.number, rows, 0, d), acc = acc_.operand(acc_used_, rows, 0, d);
    if (s.block == 0 && acc_.first_use(acc_used_)) co_yield acc_.declare(acc_used_);
    if (s.block == 0) co_yield copy_(acc, sums);
    if (s.block > 0) co_yield scale_add_(acc, acc, sums, stat(s, kAlpha));
    if (sums_.last_use(s.number)) co_yield sums_.release(s.number);
    if (s.block > 0 && !last_block(s) && stat_.last_use(s.number)) co_yield stat_.release(s.number);
  }

  RecordStream finish(Step s, bool single) {
    const QueryTile& t = tile(s);
    const std::uint32_t d = p_.head_dim;
    const std::uint64_t use = query_use(s);
    co_yield reciprocal_(stat(s, kInverse), row_sum(s));
    while (stores_.blocks(use, stage_.count())) co_yield store_next();
    if (stage_.first_use(use)) co_yield stage_.declare(use);
    const Operand staged = stage_.operand(use, t.rows(), 0, d);
    const Operand sums = sums_.operand(s.number, t.rows(), 0, d), acc = acc_.operand(acc_used_, t.rows(), 0, d);
    co_yield scale_(staged, single ? sums : acc, stat(s, kInverse));
    if (single && sums_.last_use(s.number)) co_yield sums_.release(s.number);
    if (!single && acc_.last_use(acc_used_)) co_yield acc_.release(acc_used_);
    if (!single) ++acc_used_;
    if (stat_.last_use(s.number)) co_yield stat_.release(s.number);
    const std::uint64_t row_bytes = std::uint64_t{d} * p_.element();
    const std::uint64_t row = (s.unit * p_.group + t.head) * p_.seq_q + t.first;
    stores_.push(hbm_operand(kResult, p_.dtype, t.rows(), row * row_bytes, row_bytes, d), staged, use, copies_.count());
  }

  RecordStream store_next() {
    const StoreQueue::Store store = stores_.pop();
    co_yield copies_.copy(store.dst, store.src);
    if (stage_.last_use(store.use)) co_yield stage_.release(store.use);
  }

  AttentionProblem p_;
  AttentionPlan plan_;
  std::vector<QueryTile> tiles_;
  std::uint64_t steps_ = 0;
  std::uint64_t queries_freed_ = 0, keys_freed_ = 0, values_freed_ = 0;
  std::uint64_t masked_used_ = 0, acc_used_ = 0;
  TileRing q_, k_, v_, probabilities_, turned_probabilities_, masked_, stat_, acc_, stage_, identity_, scores_, turned_, sums_;
  CopyEmitter copies_;
  StoreQueue stores_;
  InstructionEmitter multiply_{Opcode::NcMatmul, EngineKind::Tensor}, multiply_sum_{Opcode::NcMatmul, EngineKind::Tensor};
  InstructionEmitter transpose_ = transposer();
  InstructionEmitter max_ = emitter(Opcode::TensorReduce, EngineKind::Vector, AluOp::Max);
  InstructionEmitter min_ = emitter(Opcode::TensorTensor, EngineKind::Vector, AluOp::Min);
  InstructionEmitter copy_ = emitter(Opcode::TensorCopy, EngineKind::Vector);
  InstructionEmitter scale_ = emitter(Opcode::TensorScalar, EngineKind::Vector, AluOp::Multiply);
  InstructionEmitter scale_add_ = emitter(Opcode::ScalarTensorTensor, EngineKind::Vector, AluOp::Multiply, AluOp::Add);
  InstructionEmitter reciprocal_ = emitter(Opcode::Reciprocal, EngineKind::Vector);
  InstructionEmitter range_ = emitter(Opcode::RangeSelect, EngineKind::Vector, AluOp::IsGe, AluOp::IsLe);
  InstructionEmitter exp_ = exponential(false), exp_sum_ = exponential(true);
  InstructionEmitter scalar_copy_ = emitter(Opcode::TensorCopy, EngineKind::Scalar);
  InstructionEmitter scalar_activation_ = emitter(Opcode::Activation, EngineKind::Scalar);
  InstructionEmitter fill_ = emitter(Opcode::Memset, EngineKind::GpSimd);
  InstructionEmitter select_ = emitter(Opcode::AffineSelect, EngineKind::GpSimd);
  InstructionEmitter bounds_ = emitter(Opcode::Iota, EngineKind::GpSimd);
};

}  // namespace

std::unique_ptr<RecordSource> attention_source(const AttentionProblem& problem, const AttentionPlan& plan) {
  return std::make_unique<AttentionSource>(problem, plan);
}

}  // namespace trnsim::kernel
