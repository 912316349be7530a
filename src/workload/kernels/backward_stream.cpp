// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>
#include <array>
#include <map>

#include "workload/kernels/backward_plan.hpp"
#include "workload/kernels/emit.hpp"

namespace trnsim::kernel {
namespace {

constexpr std::uint64_t kStoreLag = 3;  ///< Steps until the data of a store is there.
constexpr std::size_t kStages = 5;      ///< Steps in the pipeline.
constexpr std::uint64_t kPrepared = 2;  ///< Steps ahead whose operands are turned.
constexpr std::uint32_t kWord = element_bytes(DType::Fp32);

InstructionEmitter emitter(Opcode op, EngineKind engine, AluOp alu0 = AluOp::Bypass, AluOp alu1 = AluOp::Bypass) {
  InstructionEmitter e(op, engine);
  e.fields().alu0 = alu0;
  e.fields().alu1 = alu1;
  return e;
}

InstructionEmitter exponential() {
  InstructionEmitter e(Opcode::Activation, EngineKind::Scalar);
  e.fields().function = ActFn::Exp;
  return e;
}

InstructionEmitter transposer() {
  InstructionEmitter e(Opcode::NcMatmul, EngineKind::Tensor);
  e.fields().transpose = true;
  return e;
}

/// The backward pass of flash attention: KV head → range of queries → key block → query tile. A step is
/// one (key block, query tile) and goes through three stages, so far apart that the array never waits for the other engines:
///   1  scores and dP, exponentials P, dS = P (dP − D);
///   2  two steps later dV += Pᵀ dO and dK += dSᵀ Q in PSUM, dS transposed;
///   3  another step later dQ = dS K, and with the next step added in SBUF.
/// What a step needs of its queries and keys, transposed, is made two steps before.
class BackwardSource final : public RecordSource {
 public:
  BackwardSource(const AttentionProblem& problem, const BackwardPlan& plan) : p_(problem), plan_(plan), copies_(problem.queues) {
    std::uint64_t blocks = 0, steps = 0, sums = 0;
    for (std::size_t r = 0; r < plan_.ranges.size(); ++r) {
      const QueryRange& range = plan_.ranges[r];
      blocks += range.blocks;
      for (std::uint64_t b = 0; b < range.blocks; ++b) {
        steps += range.end_tile - plan_.first_tile(range, b);
        const bool last = r + 1 == plan_.ranges.size();
        sums += !last || plan_.adds_sums(r, b) ? 2 : 0;
      }
    }
    for (const QueryChunk& c : plan_.chunks) short_chunks_ += plan_.tiles[c.first + c.tiles - 1].blocks == 1 ? 1 : 0;
    steps_ = p_.units * steps;
    place(p_.units * blocks, p_.units * sums);
  }

  RecordStream records() override {
    co_yield make_identity();
    Step ahead = first_step(), soon = first_step(), next = first_step();
    std::array<Step, kStages> running;  // by the steps since its scores
    for (std::uint64_t i = 0, loaded = 0, prepared = 0; i < steps_ + kStages - 1; ++i) {
      now_ = i;
      for (; loaded < steps_ && loaded <= i + plan_.lookahead && fits(ahead); ++loaded, advance(ahead)) co_yield load(ahead);
      co_yield store_due();
      for (; i == 0 && prepared < std::min(steps_, kPrepared); ++prepared, advance(soon)) co_yield prepare(soon);
      if (i >= 4) co_yield add_query_gradient(running[4]);
      running[0] = next;
      if (i < steps_) co_yield score(running[0]);
      if (i + 1 < steps_) advance(next);
      if (prepared < steps_) {
        co_yield prepare(soon);
        ++prepared;
        if (prepared < steps_) advance(soon);
      }
      if (i >= 2 && i < steps_ + 2) co_yield gradients(running[2]);
      if (i >= 3 && i < steps_ + 3) co_yield query_gradient(running[3]);
      std::copy_backward(running.begin(), running.end() - 1, running.end());
    }
    while (!key_stores_.empty()) co_yield store_keys();
    while (!query_stores_.empty()) co_yield store_queries();
  }

  RecordStream summary() override {
    co_yield make_identity();
    std::map<StepShape, std::pair<Step, std::uint64_t>> shapes;
    for (Step s = first_step(); s.unit == 0; advance(s)) ++shapes.try_emplace(shape(s), s, 0).first->second.second;
    for (const auto& [shape, step] : shapes) {
      weight_ = p_.units * step.second;
      const Step s = step.first;
      co_yield load(s);
      co_yield prepare(s);
      co_yield score(s);
      co_yield gradients(s);
      co_yield query_gradient(s);
      co_yield add_query_gradient(s);
      while (!sum_stores_.empty()) co_yield store_sums();
      while (!key_stores_.empty()) co_yield store_keys();
      while (!query_stores_.empty()) co_yield store_queries();
    }
  }
  [[nodiscard]] unsigned rings() const override { return copies_.rings(); }

 private:
  struct Step {
    std::uint64_t number = 0, unit = 0, range = 0, block = 0, tile = 0;
    std::uint64_t key_use = 0;  ///< (KV head, range, key block)s before.
    bool first = true;          ///< Tile of its key block.
  };

  /// All that the instructions of a step depend on, but for their places.
  using StepShape = std::array<std::uint64_t, 9>;
  [[nodiscard]] StepShape shape(const Step& s) const {
    const KeyBlock block = keys(s);
    const QueryTile& t = tile(s);
    const std::uint64_t seen = p_.visible(t.first);
    const auto flags = [](std::initializer_list<bool> list) {
      std::uint64_t bits = 0;
      for (const bool bit : list) bits = 2 * bits + (bit ? 1 : 0);
      return bits;
    };
    return {t.rows(),
            t.count,
            chunk(s).tiles,
            t.blocks == 1 ? 1U : 0U,
            block.count,
            block.masked ? (seen > block.first ? seen - block.first : 0) : block.count,
            p_.keys_of(s.block),
            plan_.adds_sums(s.range, s.block) ? 1U : 0U,
            flags({s.block == 0, s.first, opens_chunk(s), last_block(s), last_in_chunk(s), ends_block(s), last_range(s), index(s) == 0})};
  }

  void place(std::uint64_t blocks, std::uint64_t sums) {
    const std::uint64_t chunks = p_.units * plan_.chunks.size(), tiles = p_.units * plan_.tiles.size();
    TensorId next = plan_.sums() ? kValueSum + 1 : kValueGradient + 1;
    for (const BufferSpec& b : plan_.buffers) {
      std::uint64_t uses = chunks;
      if (b.name == "kT" || b.name == "v" || b.name == "k" || b.name == "vT" || b.name == "dKV") uses = blocks;
      if (b.name == "p" || b.name == "dS" || b.name == "dST" || b.name == "scores" || b.name == "product" || b.name == "dQ") uses = steps_;
      if (b.name == "acc") uses = p_.units * (plan_.chunks.size() - short_chunks_);
      if (b.name == "dO_o") uses = tiles;
      if (b.name == "sums") uses = sums;
      if (b.name == "gradient") uses = 2 * p_.units * p_.key_blocks();
      if (b.name == "turned") uses = steps_ + tiles + 2 * blocks;
      if (b.name == "identity") uses = 1;
      ring(b.name) = TileRing(b, next, uses);
      next += static_cast<TensorId>(b.count);
    }
  }

  TileRing& ring(const std::string& name) {
    const std::pair<const char*, TileRing*> rings[]{{"qT", &q_turned_},
                                                    {"q", &q_},
                                                    {"dO", &d_out_},
                                                    {"dOT", &d_out_turned_},
                                                    {"stat", &stat_},
                                                    {"acc", &acc_},
                                                    {"o", &out_},
                                                    {"dO_o", &weighted_},
                                                    {"kT", &k_turned_},
                                                    {"v", &v_},
                                                    {"k", &k_},
                                                    {"vT", &v_turned_},
                                                    {"p", &probabilities_},
                                                    {"dS", &d_scores_},
                                                    {"dST", &d_scores_turned_},
                                                    {"sums", &sums_},
                                                    {"gradient", &gradient_},
                                                    {"identity", &identity_},
                                                    {"scores", &scores_},
                                                    {"product", &products_},
                                                    {"turned", &turned_},
                                                    {"dKV", &d_keys_},
                                                    {"dQ", &d_query_}};
    for (const auto& [known, tiles] : rings) {
      if (name == known) return *tiles;
    }
    return stage_;
  }

  // Steps

  [[nodiscard]] Step first_step() const {
    Step s;
    s.tile = plan_.first_tile(plan_.ranges.front(), 0);
    return s;
  }

  void advance(Step& s) const {
    ++s.number;
    s.first = false;
    if (++s.tile < plan_.ranges[s.range].end_tile) return;
    s.first = true;
    ++s.key_use;
    if (++s.block == plan_.ranges[s.range].blocks) {
      s.block = 0;
      if (++s.range == plan_.ranges.size()) s.range = 0, ++s.unit;
    }
    s.tile = plan_.first_tile(plan_.ranges[s.range], s.block);
  }

  [[nodiscard]] const QueryTile& tile(const Step& s) const { return plan_.tiles[s.tile]; }
  [[nodiscard]] const QueryChunk& chunk(const Step& s) const { return plan_.chunks[plan_.chunk_of[s.tile]]; }
  [[nodiscard]] std::uint64_t chunk_use(const Step& s) const { return s.unit * plan_.chunks.size() + plan_.chunk_of[s.tile]; }
  [[nodiscard]] std::uint32_t index(const Step& s) const { return static_cast<std::uint32_t>(s.tile - chunk(s).first); }
  [[nodiscard]] bool last_in_chunk(const Step& s) const { return index(s) + 1 == chunk(s).tiles; }
  [[nodiscard]] bool last_block(const Step& s) const { return s.block + 1 == tile(s).blocks; }
  [[nodiscard]] bool ends_chunk(const Step& s) const { return last_block(s) && last_in_chunk(s); }
  [[nodiscard]] bool ends_block(const Step& s) const { return s.tile + 1 == plan_.ranges[s.range].end_tile; }
  [[nodiscard]] bool last_range(const Step& s) const { return s.range + 1 == plan_.ranges.size(); }
  [[nodiscard]] KeyBlock keys(const Step& s) const { return plan_.keys(p_, s.tile, s.block, s.first); }
  [[nodiscard]] bool opens_chunk(const Step& s) const { return s.block == 0 && index(s) == 0; }

  /// Whether the tiles of this step's loads are no longer needed by work that is still to come.
  [[nodiscard]] bool fits(const Step& s) const {
    if (opens_chunk(s) && (chunk_use(s) >= chunks_freed_ + q_.count() || chunk_use(s) >= outs_freed_ + out_.count())) return false;
    return !s.first || s.key_use < blocks_freed_ + k_.count();
  }

  // Loads

  RecordStream make_identity() {
    co_yield identity_.declare(0);
    const Operand whole = identity_.operand(0, p_.row_tile, 0, p_.row_tile);
    co_yield fill_(whole);
    co_yield select_(whole, whole);
  }

  RecordStream load(Step s) {
    if (s.first) co_yield load_keys(s);
    if (opens_chunk(s)) co_yield load_queries(s);
  }

  RecordStream load_keys(Step s) {
    const std::uint32_t d = p_.head_dim, e = p_.element(), count = p_.keys_of(s.block);
    const std::uint64_t first = s.block * p_.block, use = s.key_use;
    if (k_turned_.first_use(use)) co_yield k_turned_.declare(use);
    co_yield copies_.copy(k_turned_.operand(use, d, 0, count),
                          hbm_operand(kKey, p_.dtype, d, (s.unit * d * p_.seq_k + first) * e, p_.seq_k * e, count));
    if (v_.first_use(use)) co_yield v_.declare(use);
    for (const Part& part : parts(count)) co_yield copies_.copy(rows_of(v_, use, part), key_rows(kValue, p_.dtype, s, part));
  }

  /// Pieces of `row_tile` keys of a block, as one operand, and a shorter one.
  struct Part {
    std::uint32_t piece, pieces, rows;
  };
  [[nodiscard]] std::vector<Part> parts(std::uint32_t count) const {
    const std::uint32_t whole = count / p_.row_tile, rest = count % p_.row_tile;
    std::vector<Part> list;
    if (whole > 0) list.push_back({0, whole, p_.row_tile});
    if (rest > 0) list.push_back({whole, 1, rest});
    return list;
  }
  /// Keys on the partitions: head_dim columns per piece.
  [[nodiscard]] Operand rows_of(const TileRing& ring, std::uint64_t use, const Part& part, std::uint64_t offset = 0) const {
    Operand o = ring.operand(use, part.rows, 0, part.pieces * p_.head_dim);
    o.offset = offset + std::uint64_t{part.piece} * p_.head_dim * element_bytes(o.dtype);
    return o;
  }
  [[nodiscard]] Operand key_rows(TensorId tensor, DType dtype, const Step& s, const Part& part) const {
    const std::uint64_t row_bytes = std::uint64_t{p_.head_dim} * element_bytes(dtype);
    const std::uint64_t row = s.unit * p_.seq_k + s.block * p_.block + std::uint64_t{part.piece} * p_.row_tile;
    const Operand o = hbm_operand(tensor, dtype, part.rows, row * row_bytes, row_bytes, p_.head_dim);
    return repeated(o, static_cast<std::int32_t>(p_.row_tile * p_.head_dim), part.pieces);
  }

  RecordStream load_queries(Step s) {
    const QueryTile& t = tile(s);
    const std::uint32_t d = p_.head_dim, e = p_.element(), n = chunk(s).tiles;
    const std::uint64_t use = chunk_use(s), head = s.unit * p_.group + t.head;
    if (q_turned_.first_use(use)) co_yield q_turned_.declare(use);
    const Operand src = hbm_operand(kQuery, p_.dtype, d, (head * d * p_.seq_q + t.first) * e, p_.seq_q * e, t.count);
    const Operand dst = q_turned_.operand(use, d, 0, t.rows());
    // Several heads in one tile, or several tiles.
    const std::uint64_t head_columns = std::uint64_t{d} * p_.seq_q;
    if (t.heads > 1) co_yield copies_.copy(dst, repeated(src, static_cast<std::int32_t>(head_columns), t.heads));
    if (t.heads == 1)
      co_yield copies_.copy(repeated(dst, static_cast<std::int32_t>(p_.row_tile), n), repeated(src, stride(1, head_columns), n));
    if (d_out_.first_use(use)) co_yield d_out_.declare(use);
    co_yield copies_.copy(d_out_.operand(use, t.rows(), 0, n * d), query_rows(kResultGradient, s));
    if (out_.first_use(use)) co_yield out_.declare(use);
    co_yield copies_.copy(out_.operand(use, t.rows(), 0, n * d), query_rows(kResult, s));
    if (stat_.first_use(use)) co_yield stat_.declare(use);
    const Operand sums = hbm_operand(kLogSumExp, DType::Fp32, t.rows(), (head * p_.seq_q + t.first) * kWord, kWord, 1);
    co_yield copies_.copy(stat_.operand(use, t.rows(), 0, n), repeated(sums, stride(1, p_.seq_q), n));
  }

  /// Elements from one tile of a chunk to the next.
  [[nodiscard]] std::int32_t stride(std::uint64_t per_position, std::uint64_t per_head) const {
    return static_cast<std::int32_t>(p_.group == 1 ? per_position * p_.row_tile : per_head);
  }
  /// The chunk's rows of q, o or their gradients.
  [[nodiscard]] Operand query_rows(TensorId tensor, const Step& s) const {
    const QueryTile& t = plan_.tiles[chunk(s).first];
    const std::uint64_t row_bytes = std::uint64_t{p_.head_dim} * p_.element();
    const std::uint64_t row = (s.unit * p_.group + t.head) * p_.seq_q + t.first;
    const Operand o = hbm_operand(tensor, p_.dtype, t.rows(), row * row_bytes, row_bytes, p_.head_dim);
    return repeated(o, stride(p_.head_dim, p_.head_dim * p_.seq_q), chunk(s).tiles);
  }

  // Preparation

  RecordStream prepare(Step s) {
    if (s.first) co_yield turn_keys(s);
    if (s.block == 0) co_yield turn_queries(s);
  }

  /// K with the keys on the partitions, V with the head dimension there.
  RecordStream turn_keys(Step s) {
    const std::uint32_t d = p_.head_dim, e = p_.element(), count = p_.keys_of(s.block), r = p_.row_tile;
    const std::uint64_t use = s.key_use;
    if (turned_.first_use(turns_)) co_yield turned_.declare(turns_);
    for (std::uint32_t first = 0; first < count; first += r) {
      const std::uint32_t piece = std::min(r, count - first);
      co_yield transpose_(rows_of(turned_, turns_, {first / r, 1, piece}), k_turned_.operand(use, d, std::uint64_t{first} * e, piece),
                          identity_.operand(0, d, 0, d));
    }
    if (k_.first_use(use)) co_yield k_.declare(use);
    for (const Part& part : parts(count)) co_yield scaled_copy_(rows_of(k_, use, part), rows_of(turned_, turns_, part));
    co_yield end_turn();
    if (turned_.first_use(turns_)) co_yield turned_.declare(turns_);
    for (std::uint32_t first = 0; first < count; first += r) {
      const std::uint32_t piece = std::min(r, count - first);
      co_yield transpose_(turned_.operand(turns_, d, std::uint64_t{first} * element_bytes(plan_.transposed), piece),
                          rows_of(v_, use, {first / r, 1, piece}), identity_.operand(0, piece, 0, piece));
    }
    if (v_.last_use(use)) co_yield v_.release(use);
    if (v_turned_.first_use(use)) co_yield v_turned_.declare(use);
    co_yield copy_(v_turned_.operand(use, d, 0, count), turned_.operand(turns_, d, 0, count));
    co_yield end_turn();
  }

  RecordStream end_turn() {
    if (turned_.last_use(turns_)) co_yield turned_.release(turns_);
    ++turns_;
  }

  [[nodiscard]] Operand query_part(const TileRing& ring, const Step& s) const {  // rows on the partitions
    return ring.operand(chunk_use(s), tile(s).rows(), std::uint64_t{index(s)} * p_.head_dim * element_bytes(ring.operand(0, 1, 0, 1).dtype),
                        p_.head_dim);
  }
  [[nodiscard]] Operand query_columns(const TileRing& ring, const Step& s) const {
    return ring.operand(chunk_use(s), p_.head_dim, std::uint64_t{index(s)} * p_.row_tile * p_.element(), tile(s).rows());
  }
  [[nodiscard]] Operand log_sum(const Step& s, std::uint32_t first, std::uint32_t count) const {
    return stat_.operand(chunk_use(s), tile(s).rows(), std::uint64_t{first} * kWord, count);
  }
  /// D: the row sums of dO o.
  [[nodiscard]] Operand row_sum(const Step& s) const {
    return stat_.operand(chunk_use(s), tile(s).rows(), std::uint64_t{chunk(s).tiles + index(s)} * kWord, 1);
  }

  /// Q with the queries on the partitions, dO with the head dimension there, the statistics.
  RecordStream turn_queries(Step s) {
    const std::uint32_t rows = tile(s).rows(), d = p_.head_dim;
    const std::uint64_t use = chunk_use(s), second = std::uint64_t{p_.row_tile} * element_bytes(plan_.transposed);
    if (turned_.first_use(turns_)) co_yield turned_.declare(turns_);
    co_yield transpose_(turned_.operand(turns_, rows, 0, d), query_columns(q_turned_, s), identity_.operand(0, d, 0, d));
    co_yield transpose_(turned_.operand(turns_, d, second, rows), query_part(d_out_, s), identity_.operand(0, rows, 0, rows));
    if (index(s) == 0 && q_.first_use(use)) co_yield q_.declare(use);
    co_yield scaled_copy_(query_part(q_, s), turned_.operand(turns_, rows, 0, d));
    if (index(s) == 0 && d_out_turned_.first_use(use)) co_yield d_out_turned_.declare(use);
    co_yield scalar_copy()(query_columns(d_out_turned_, s), turned_.operand(turns_, d, second, rows));
    co_yield end_turn();
    if (index(s) == 0) co_yield negate_(log_sum(s, 0, chunk(s).tiles), log_sum(s, 0, chunk(s).tiles));
    if (weighted_.first_use(sums_made_)) co_yield weighted_.declare(sums_made_);
    const Operand weighted = weighted_.operand(sums_made_, rows, 0, d);
    co_yield multiply_(weighted, query_part(d_out_, s), query_part(out_, s));
    if (last_in_chunk(s)) ++outs_freed_;
    if (last_in_chunk(s) && out_.last_use(use)) co_yield out_.release(use);
    co_yield reduce_(row_sum(s), weighted);
    if (weighted_.last_use(sums_made_)) co_yield weighted_.release(sums_made_);
    ++sums_made_;
  }

  InstructionEmitter& scalar_copy() { return plan_.scalar_copies ? scalar_copy_ : scalar_activation_; }

  // Stage 1

  RecordStream score(Step s) {
    const std::uint32_t rows = tile(s).rows(), d = p_.head_dim, count = keys(s).count;
    const std::uint64_t n = s.number, use = chunk_use(s);
    if (scores_.first_use(n)) co_yield scores_.declare(n);
    co_yield product_(scores_.operand(n, rows, 0, count), query_columns(q_turned_, s), k_turned_.operand(s.key_use, d, 0, count));
    if (ends_chunk(s) && q_turned_.last_use(use)) co_yield q_turned_.release(use);
    if (ends_block(s) && k_turned_.last_use(s.key_use)) co_yield k_turned_.release(s.key_use);
    if (products_.first_use(n)) co_yield products_.declare(n);
    co_yield product_(products_.operand(n, rows, 0, count), query_columns(d_out_turned_, s), v_turned_.operand(s.key_use, d, 0, count));
    if (ends_chunk(s) && d_out_turned_.last_use(use)) co_yield d_out_turned_.release(use);
    if (ends_block(s) && v_turned_.last_use(s.key_use)) co_yield v_turned_.release(s.key_use);
    co_yield probabilities(s);
    if (d_scores_.first_use(n)) co_yield d_scores_.declare(n);
    co_yield subtract_multiply_(d_scores_.operand(n, rows, 0, count), products_.operand(n, rows, 0, count),
                                probabilities_.operand(n, rows, 0, count), row_sum(s));
    if (products_.last_use(n)) co_yield products_.release(n);
    if (ends_chunk(s) && stat_.last_use(use)) co_yield stat_.release(use);
  }

  /// exp(scores − log-sum-exp), zero where the mask is.
  RecordStream probabilities(Step s) {
    const KeyBlock block = keys(s);
    const std::uint32_t rows = tile(s).rows();
    const std::uint64_t n = s.number;
    if (probabilities_.first_use(n)) co_yield probabilities_.declare(n);
    co_yield exp_(probabilities_.operand(n, rows, 0, block.count), scores_.operand(n, rows, 0, block.count), log_sum(s, index(s), 1));
    if (scores_.last_use(n)) co_yield scores_.release(n);
    if (!block.masked) co_return;
    const std::uint64_t seen = p_.visible(tile(s).first);  // by all rows
    const auto from = static_cast<std::uint32_t>(seen > block.first ? seen - block.first : 0);
    const Operand masked = probabilities_.operand(n, rows, std::uint64_t{from} * p_.element(), block.count - from);
    co_yield select_(masked, masked);
  }

  // Stage 2

  RecordStream gradients(Step s) {
    const std::uint32_t rows = tile(s).rows(), count = keys(s).count;
    const std::uint64_t n = s.number, use = chunk_use(s);
    if (s.first && plan_.adds_sums(s.range, s.block)) co_yield load_sums(s);
    if (s.first) started_ = 0;
    if (s.first && d_keys_.first_use(s.key_use)) co_yield d_keys_.declare(s.key_use);
    co_yield sum_pieces(s, probabilities_, query_part(d_out_, s), 0);
    if (probabilities_.last_use(n)) co_yield probabilities_.release(n);
    if (ends_chunk(s) && d_out_.last_use(use)) co_yield d_out_.release(use);
    co_yield sum_pieces(s, d_scores_, query_part(q_, s), plan_.key_gradient_offset(p_));
    if (ends_chunk(s)) ++chunks_freed_;
    if (ends_chunk(s) && q_.last_use(use)) co_yield q_.release(use);
    started_ = std::max(started_, count);
    if (ends_block(s)) co_yield evict_gradients(s);
    if (turned_.first_use(turns_)) co_yield turned_.declare(turns_);
    for (std::uint32_t first = 0; first < count; first += p_.row_tile) {
      const std::uint32_t piece = std::min(p_.row_tile, count - first);
      co_yield transpose_(turned_.operand(turns_, piece, std::uint64_t{first} * element_bytes(plan_.transposed), rows),
                          d_scores_.operand(n, rows, std::uint64_t{first} * p_.element(), piece), identity_.operand(0, rows, 0, rows));
    }
    if (d_scores_.last_use(n)) co_yield d_scores_.release(n);
    if (n + 1 == steps_) co_yield identity_.release(0);
    co_yield evict_turned(s, count);
  }

  /// Adds matrixᵀ × factor to the gradient at `offset`, piece by piece of the keys.
  RecordStream sum_pieces(Step s, const TileRing& matrix, Operand factor, std::uint64_t offset) {
    const std::uint32_t rows = tile(s).rows(), count = keys(s).count, r = p_.row_tile;
    for (std::uint32_t first = 0; first < count; first += r) {
      const std::uint32_t piece = std::min(r, count - first);
      sum_.fields().accumulate = first < started_;
      co_yield sum_(rows_of(d_keys_, s.key_use, {first / r, 1, piece}, offset),
                    matrix.operand(s.number, rows, std::uint64_t{first} * p_.element(), piece), factor);
    }
  }

  RecordStream evict_turned(Step s, std::uint32_t count) {
    if (d_scores_turned_.first_use(s.number)) co_yield d_scores_turned_.declare(s.number);
    for (const Part& part : parts(count))
      co_yield scalar_copy()(columns_of(d_scores_turned_, s.number, s, part), columns_of(turned_, turns_, s, part));
    co_yield end_turn();
  }
  /// Keys on the partitions: the tile's queries per piece.
  [[nodiscard]] Operand columns_of(const TileRing& ring, std::uint64_t use, const Step& s, const Part& part) const {
    const std::uint32_t rows = tile(s).rows(), r = p_.row_tile;
    Operand o = ring.operand(use, part.rows, 0, rows == r ? part.pieces * r : rows);
    o.offset = std::uint64_t{part.piece} * r * element_bytes(o.dtype);
    return rows == r ? o : repeated(o, static_cast<std::int32_t>(r), part.pieces);
  }

  /// The sums of the ranges before come back from HBM, behind their stores.
  RecordStream load_sums(Step s) {
    while (!sum_stores_.empty()) co_yield store_sums();
    loaded_sums_ = sums_used_;
    for (const TensorId tensor : {kValueSum, kKeySum}) {
      if (sums_.first_use(sums_used_)) co_yield sums_.declare(sums_used_);
      for (const Part& part : parts(p_.keys_of(s.block)))
        co_yield copies_.copy(rows_of(sums_, sums_used_, part), key_rows(tensor, DType::Fp32, s, part));
      ++sums_used_;
    }
  }

  RecordStream evict_gradients(Step s) {
    const std::uint64_t use = s.key_use;
    const bool adds = plan_.adds_sums(s.range, s.block);
    for (const bool key : {false, true}) {
      const std::uint64_t offset = key ? plan_.key_gradient_offset(p_) : 0, loaded = loaded_sums_ + (key ? 1 : 0);
      const std::uint64_t sum = adds ? loaded : sums_used_;
      if (!adds && !last_range(s)) ++sums_used_;
      co_yield open_gradient(last_range(s), sum, adds);
      const TileRing& to = last_range(s) ? gradient_ : sums_;
      const std::uint64_t to_use = last_range(s) ? gradients_used_ : sum;
      for (const Part& part : parts(p_.keys_of(s.block))) {
        const Operand dst = rows_of(to, to_use, part), src = rows_of(d_keys_, use, part, offset);
        if (adds) co_yield add_(dst, src, rows_of(sums_, sum, part));
        if (!adds && key) co_yield scalar_copy()(dst, src);
        if (!adds && !key) co_yield copy_(dst, src);
      }
      if (key && d_keys_.last_use(use)) co_yield d_keys_.release(use);
      if (adds && last_range(s) && sums_.last_use(sum)) co_yield sums_.release(sum);
      push_gradient(s, key, to, to_use);
      if (last_range(s)) ++gradients_used_;
    }
  }

  RecordStream open_gradient(bool final, std::uint64_t sum, bool adds) {
    if (final) {
      while (key_stores_.blocks(gradients_used_, gradient_.count())) co_yield store_keys();
      if (gradient_.first_use(gradients_used_)) co_yield gradient_.declare(gradients_used_);
    } else if (!adds) {
      while (sum_stores_.blocks(sum, sums_.count())) co_yield store_sums();
      if (sums_.first_use(sum)) co_yield sums_.declare(sum);
    }
  }

  void push_gradient(const Step& s, bool key, const TileRing& from, std::uint64_t use) {
    const bool final = last_range(s);
    const TensorId tensor = final ? (key ? kKeyGradient : kValueGradient) : (key ? kKeySum : kValueSum);
    for (const Part& part : parts(p_.keys_of(s.block))) {
      const Operand dst = key_rows(tensor, final ? p_.dtype : DType::Fp32, s, part);
      (final ? key_stores_ : sum_stores_).push(dst, rows_of(from, use, part), use, now_);
    }
  }

  // Stage 3

  RecordStream query_gradient(Step s) {
    const std::uint32_t rows = tile(s).rows(), d = p_.head_dim, r = p_.row_tile, count = keys(s).count;
    const std::uint64_t n = s.number;
    if (d_query_.first_use(n)) co_yield d_query_.declare(n);
    for (std::uint32_t first = 0; first < count; first += r) {
      const std::uint32_t piece = std::min(r, count - first);
      sum_.fields().accumulate = first > 0;
      co_yield sum_(d_query_.operand(n, rows, 0, d), d_scores_turned_.operand(n, piece, std::uint64_t{first} * p_.element(), rows),
                    rows_of(k_, s.key_use, {first / r, 1, piece}));
    }
    if (d_scores_turned_.last_use(n)) co_yield d_scores_turned_.release(n);
    if (ends_block(s)) ++blocks_freed_;
    if (ends_block(s) && k_.last_use(s.key_use)) co_yield k_.release(s.key_use);
  }

  RecordStream add_query_gradient(Step s) {
    const std::uint64_t use = chunk_use(s), chunk_index = plan_.chunk_of[s.tile];
    const bool single = tile(s).blocks == 1, opens = index(s) == 0 || plan_.tiles[s.tile - 1].blocks == 1;
    const std::uint64_t sum = single ? 0 : s.unit * (plan_.chunks.size() - short_chunks_) + chunk_index - short_chunks_;
    const Operand src = d_query_.operand(s.number, tile(s).rows(), 0, p_.head_dim);
    Operand dst = src;
    if (!single) dst = acc_part(s, sum);
    if (!single && s.block == 0 && opens && acc_.first_use(sum)) co_yield acc_.declare(sum);
    if (last_block(s)) {
      while (index(s) == 0 && query_stores_.blocks(use, stage_.count())) co_yield store_queries();
      if (index(s) == 0 && stage_.first_use(use)) co_yield stage_.declare(use);
      dst = query_part(stage_, s);
    }
    if (s.block == 0) co_yield copy_(dst, src);
    if (s.block > 0) co_yield add_(dst, src, acc_part(s, sum));
    if (d_query_.last_use(s.number)) co_yield d_query_.release(s.number);
    if (!ends_chunk(s)) co_return;
    if (!single && acc_.last_use(sum)) co_yield acc_.release(sum);
    query_stores_.push(query_rows(kQueryGradient, s), stage_.operand(use, tile(s).rows(), 0, chunk(s).tiles * p_.head_dim), use, now_);
  }

  [[nodiscard]] Operand acc_part(const Step& s, std::uint64_t use) const {
    return acc_.operand(use, tile(s).rows(), std::uint64_t{index(s)} * p_.head_dim * kWord, p_.head_dim);
  }

  // Stores

  RecordStream store_due() {
    while (query_stores_.due(now_)) co_yield store_queries();
    while (key_stores_.due(now_)) co_yield store_keys();
    while (sum_stores_.due(now_)) co_yield store_sums();
  }
  RecordStream store_queries() {
    const StoreQueue::Store store = query_stores_.pop();
    co_yield copies_.copy(store.dst, store.src);
    if (stage_.last_use(store.use)) co_yield stage_.release(store.use);
  }
  RecordStream store_keys() {
    const StoreQueue::Store store = key_stores_.pop();
    co_yield copies_.copy(store.dst, store.src);
    if (!key_stores_.holds(store.use) && gradient_.last_use(store.use)) co_yield gradient_.release(store.use);
  }
  RecordStream store_sums() {
    const StoreQueue::Store store = sum_stores_.pop();
    co_yield copies_.copy(store.dst, store.src);
    if (!sum_stores_.holds(store.use) && sums_.last_use(store.use)) co_yield sums_.release(store.use);
  }

  AttentionProblem p_;
  BackwardPlan plan_;
  std::uint64_t steps_ = 0, short_chunks_ = 0;  ///< Chunks whose tiles see one key block.
  std::uint64_t now_ = 0;
  std::uint64_t chunks_freed_ = 0, outs_freed_ = 0, blocks_freed_ = 0;
  std::uint64_t turns_ = 0, sums_made_ = 0;
  std::uint64_t sums_used_ = 0, loaded_sums_ = 0, gradients_used_ = 0;
  std::uint32_t started_ = 0;  ///< Keys of the running block with a sum.
  TileRing q_turned_, q_, d_out_, d_out_turned_, stat_, acc_, out_, weighted_, stage_;
  TileRing k_turned_, v_, k_, v_turned_, probabilities_, d_scores_, d_scores_turned_, sums_, gradient_, identity_;
  TileRing scores_, products_, turned_, d_keys_, d_query_;
  CopyEmitter copies_;
  StoreQueue query_stores_{kStoreLag}, key_stores_{kStoreLag}, sum_stores_{kStoreLag};
  InstructionEmitter product_{Opcode::NcMatmul, EngineKind::Tensor}, sum_{Opcode::NcMatmul, EngineKind::Tensor};
  InstructionEmitter transpose_ = transposer();
  InstructionEmitter copy_ = emitter(Opcode::TensorCopy, EngineKind::Vector);
  InstructionEmitter add_ = emitter(Opcode::TensorTensor, EngineKind::Vector, AluOp::Add);
  InstructionEmitter reduce_ = emitter(Opcode::TensorReduce, EngineKind::Vector, AluOp::Add);
  InstructionEmitter subtract_multiply_ = emitter(Opcode::ScalarTensorTensor, EngineKind::Vector, AluOp::Subtract, AluOp::Multiply);
  InstructionEmitter exp_ = exponential();
  InstructionEmitter scaled_copy_ = emitter(Opcode::Activation, EngineKind::Scalar);  // times the scale of the scores
  InstructionEmitter scalar_activation_ = emitter(Opcode::Activation, EngineKind::Scalar);
  InstructionEmitter scalar_copy_ = emitter(Opcode::TensorCopy, EngineKind::Scalar);
  InstructionEmitter multiply_ = emitter(Opcode::TensorTensor, EngineKind::GpSimd, AluOp::Multiply);
  InstructionEmitter negate_ = emitter(Opcode::TensorScalar, EngineKind::GpSimd, AluOp::Multiply);
  InstructionEmitter fill_ = emitter(Opcode::Memset, EngineKind::GpSimd);
  InstructionEmitter select_ = emitter(Opcode::AffineSelect, EngineKind::GpSimd);
};

}  // namespace

std::unique_ptr<RecordSource> backward_source(const AttentionProblem& problem, const BackwardPlan& plan) {
  return std::make_unique<BackwardSource>(problem, plan);
}

}  // namespace trnsim::kernel
