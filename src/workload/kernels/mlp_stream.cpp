// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>

#include "workload/kernels/emit.hpp"
#include "workload/kernels/mlp_plan.hpp"

namespace trnsim::kernel {
namespace {

/// Token block → product → chunk of result rows → K. The weights are stationary and stream through a ring
/// of tiles in the order of their use; the tokens of a block move. The first product's result stays in
/// SBUF as the input of the second.
class MlpSource final : public RecordSource {
 public:
  explicit MlpSource(const MlpPlan& plan) : plan_(plan), copies_(plan.queues) {
    std::uint64_t weights = 0, banks = 0;
    std::uint64_t runs[2] = {0, 0};
    for (std::size_t l = 0; l < 2; ++l) {
      const MlpLayer& layer = plan_.layers[l];
      weights += layer.chunks() * layer.slabs.size() * layer.sides;
      for (std::uint64_t c = 0; c < layer.chunks(); ++c) {
        banks += plan_.banks_of(layer, c) * layer.sides;
        runs[l] += mlp_runs(plan_, layer, c).size();
      }
    }
    const std::uint64_t blocks = plan.blocks();
    TensorId next = out_tensor() + 1;
    for (const BufferSpec& b : plan_.buffers) {
      std::uint64_t uses = blocks;
      if (b.name == "xT") uses = blocks * plan_.layers[0].slabs.size();
      if (b.name == "w") uses = blocks * weights;
      if (b.name == "psum") uses = blocks * banks;
      if (b.name == "gate") uses = blocks * runs[0];
      if (b.name == "stage") uses = blocks * runs[1];
      ring(b.name) = TileRing(b, next, uses);
      next += static_cast<TensorId>(b.count);
    }
  }

  RecordStream records() override {
    Step ahead, now;
    while (now.block < plan_.blocks()) {
      for (; ahead.block < plan_.blocks() && fits(ahead); advance(ahead)) co_yield load(ahead);
      co_yield multiply(now);
      if (now.slab + 1 == layer(now).slabs.size()) co_yield evict(now);
      advance(now);
    }
    while (!stores_.empty()) co_yield store_next();
  }

  RecordStream summary() override {
    constexpr std::uint64_t kLastOnes = 1 + kLastTilesOfK;  // one of fewer tiles, and those of tiles that differ
    for (const Alike block : alike(plan_.blocks(), 0)) {
      for (std::uint64_t l = 0; l < plan_.layers.size(); ++l) {
        for (const Alike chunk : alike(plan_.layers[l].chunks(), 1, kLastOnes)) {
          for (const Alike slab : alike(plan_.layers[l].slabs.size(), 1, kLastOnes)) {
            const Step step{block.first, l, chunk.first, slab.first};
            weight_ = block.count * chunk.count * slab.count;
            co_yield load(step);
            co_yield multiply(step);
            if (slab.first + 1 == plan_.layers[l].slabs.size()) co_yield evict(step);
            while (!stores_.empty()) co_yield store_next();
          }
        }
      }
    }
  }
  [[nodiscard]] unsigned rings() const override { return copies_.rings(); }

 private:
  struct Step {
    std::uint64_t block = 0, layer = 0, chunk = 0, slab = 0;
  };

  TileRing& ring(const std::string& name) {
    if (name == "xT") return x_;
    if (name == "w") return weights_;
    if (name == "h") return hidden_;
    if (name == "gate") return gate_;
    return name == "stage" ? stage_ : psum_;
  }

  [[nodiscard]] const MlpLayer& layer(const Step& s) const { return plan_.layers[s.layer]; }
  [[nodiscard]] Span tokens(const Step& s) const { return part(s.block, plan_.block, plan_.tokens); }
  [[nodiscard]] TensorId out_tensor() const { return plan_.gated ? 4 : 3; }
  [[nodiscard]] TensorId weight_tensor(const Step& s, unsigned side) const { return 1 + side + (s.layer == 1 ? plan_.layers[0].sides : 0); }
  [[nodiscard]] std::uint64_t x_use(const Step& s) const { return s.block * plan_.layers[0].slabs.size() + s.slab; }
  [[nodiscard]] bool loads_x(const Step& s) const { return s.layer == 0 && s.chunk == 0; }

  void advance(Step& s) const {
    if (++s.slab < layer(s).slabs.size()) return;
    s.slab = 0;
    if (++s.chunk < layer(s).chunks()) return;
    s.chunk = 0;
    if (++s.layer < plan_.layers.size()) return;
    s.layer = 0;
    ++s.block;
  }

  /// Whether the tiles of this step's loads are no longer needed by work that is still to come.
  [[nodiscard]] bool fits(const Step& s) const {
    if (loads_x(s) && x_use(s) >= x_freed_ + x_.count()) return false;
    return loaded_ + layer(s).sides <= weights_freed_ + weights_.count();
  }

  RecordStream load(Step s) {
    while (stores_.due(copies_.count())) co_yield store_next();
    if (loads_x(s)) {
      const std::uint64_t use = x_use(s);
      if (x_.first_use(use)) co_yield x_.declare(use);
      const Operand src = rows(0, s, plan_.tokens, tokens(s));
      co_yield copies_.copy(x_.operand(use, src.partitions, 0, static_cast<std::uint32_t>(src.columns())), src);
    }
    for (unsigned side = 0; side < layer(s).sides; ++side) {
      if (weights_.first_use(loaded_)) co_yield weights_.declare(loaded_);
      const Operand src = rows(weight_tensor(s, side), s, layer(s).p.m, layer(s).columns(s.chunk));
      co_yield copies_.copy(weights_.operand(loaded_, src.partitions, 0, static_cast<std::uint32_t>(src.columns())), src);
      ++loaded_;
    }
  }

  /// The K tiles of a slab, cut from an HBM matrix of `width` columns.
  [[nodiscard]] Operand rows(TensorId tensor, const Step& s, std::uint64_t width, Span columns) const {
    const MlpSlab& slab = layer(s).slabs[s.slab];
    const KTile k = layer(s).p.k_tile(slab.first);
    const std::uint64_t e = plan_.element();
    const Operand row = hbm_operand(tensor, plan_.dtype, k.rows, (k.row * width + columns.first) * e, width * e, columns.count);
    const Operand halves = repeated(row, static_cast<std::int32_t>(k.rows * width), k.halves);
    return repeated(halves, static_cast<std::int32_t>(std::uint64_t{k.rows} * k.halves * width), slab.tiles);
  }

  RecordStream multiply(Step s) {
    const MlpLayer& l = layer(s);
    const MlpSlab& slab = l.slabs[s.slab];
    const Span pieces = part(s.chunk, l.chunk, l.pieces.size());
    for (std::uint32_t i = 0; i < slab.tiles; ++i) {
      const KTile k = l.p.k_tile(slab.first + i);
      const Operand moving = input(s, i, k);
      for (unsigned side = 0; side < l.sides; ++side) {
        const std::uint64_t use = weights_freed_ + side;
        for (std::uint32_t j = 0; j < pieces.count; ++j) {
          const bool opens = slab.first + i == 0 && j % plan_.per_bank == 0;
          const std::uint64_t bank = bank_use(s, side, j);
          if (opens && psum_.first_use(bank)) co_yield psum_.declare(bank);
          multiply_.fields().accumulate = slab.first + i > 0;
          multiply_.fields().perf_mode = k.halves == 2 ? PerfMode::DoubleRow : PerfMode::None;
          co_yield multiply_(sums(s, side, {j, 1}), weights(s, use, i, k, l.pieces[pieces.first + j]), moving);
        }
        if (i + 1 == slab.tiles && weights_.last_use(use)) co_yield weights_.release(use);
      }
    }
    weights_freed_ += l.sides;
    const bool last_chunk = s.chunk + 1 == l.chunks();
    if (s.layer == 0 && last_chunk) ++x_freed_;
    if (s.layer == 0 && last_chunk && x_.last_use(x_use(s))) co_yield x_.release(x_use(s));
    if (s.layer == 1 && last_chunk && s.slab + 1 == l.slabs.size() && hidden_.last_use(s.block)) co_yield hidden_.release(s.block);
  }

  [[nodiscard]] Operand weights(const Step& s, std::uint64_t use, std::uint32_t tile, const KTile& k, const MlpPiece& piece) const {
    const Span columns = layer(s).columns(s.chunk);
    const std::uint64_t first = std::uint64_t{tile} * k.halves * columns.count + piece.first - columns.first;
    const Operand o = weights_.operand(use, k.rows, first * plan_.element(), piece.count);
    return repeated(o, static_cast<std::int32_t>(columns.count), k.halves);
  }

  /// K tile `tile` of the step's slab: of xT, or of the first product's result.
  [[nodiscard]] Operand input(const Step& s, std::uint32_t tile, const KTile& k) const {
    const std::uint32_t n = tokens(s).count;
    const std::uint64_t slot = (s.layer == 0 ? tile : layer(s).slabs[s.slab].first + tile) * std::uint64_t{layer(s).p.halves()};
    const TileRing& from = s.layer == 0 ? x_ : hidden_;
    const Operand o = from.operand(s.layer == 0 ? x_use(s) : s.block, k.rows, slot * n * plan_.element(), n);
    return repeated(o, static_cast<std::int32_t>(n), k.halves);
  }

  [[nodiscard]] std::uint64_t bank_use(const Step& s, unsigned side, std::uint64_t piece) const {
    return banks_ + side * plan_.banks_of(layer(s), s.chunk) + piece / plan_.per_bank;
  }
  /// Sums of pieces of the chunk that lie in one bank.
  [[nodiscard]] Operand sums(const Step& s, unsigned side, Span pieces) const {
    const std::uint32_t n = tokens(s).count;
    const MlpPiece& first = layer(s).pieces[s.chunk * layer(s).chunk + pieces.first];
    return psum_.operand(bank_use(s, side, pieces.first), first.count, pieces.first % plan_.per_bank * n * element_bytes(DType::Fp32),
                         pieces.count * n);
  }

  RecordStream evict(Step s) {
    const MlpLayer& l = layer(s);
    for (const Span& run : mlp_runs(plan_, l, s.chunk)) {
      const Span local{run.first - s.chunk * l.chunk, run.count};
      const bool ends_bank = (local.first + local.count) % plan_.per_bank == 0 || local.first + local.count == l.pieces_of(s.chunk);
      if (s.layer == 0) co_yield activate(s, run, local, ends_bank);
      if (s.layer == 1) co_yield stage(s, run, local, ends_bank);
    }
    banks_ += plan_.banks_of(l, s.chunk) * l.sides;
  }

  /// PSUM → first product's result, through the function, times the other side.
  RecordStream activate(Step s, Span run, Span local, bool ends_bank) {
    const std::uint32_t n = tokens(s).count;
    const MlpPiece& first = layer(s).pieces[run.first];
    const Operand dst = hidden_.operand(s.block, first.count, first.slot * n * plan_.element(), run.count * n);
    const std::uint64_t bank = bank_use(s, 0, local.first);
    const bool opens = run.first == 0 && hidden_.first_use(s.block);
    if (!plan_.gated) {
      if (opens) co_yield hidden_.declare(s.block);
      co_yield function_(dst, sums(s, 0, local));
      if (ends_bank && psum_.last_use(bank)) co_yield psum_.release(bank);
      co_return;
    }
    if (gate_.first_use(gates_)) co_yield gate_.declare(gates_);
    const Operand gate = gate_.operand(gates_, first.count, 0, run.count * n);
    co_yield function_(gate, sums(s, 0, local));
    if (ends_bank && psum_.last_use(bank)) co_yield psum_.release(bank);
    if (opens) co_yield hidden_.declare(s.block);
    co_yield times_(dst, gate, sums(s, 1, local));
    const std::uint64_t other = bank_use(s, 1, local.first);
    if (ends_bank && psum_.last_use(other)) co_yield psum_.release(other);
    if (gate_.last_use(gates_)) co_yield gate_.release(gates_);
    ++gates_;
  }

  RecordStream stage(Step s, Span run, Span local, bool ends_bank) {
    const Span n = tokens(s);
    const MlpPiece& first = layer(s).pieces[run.first];
    while (stores_.blocks(staged_, stage_.count())) co_yield store_next();
    if (stage_.first_use(staged_)) co_yield stage_.declare(staged_);
    const Operand staged = stage_.operand(staged_, first.count, 0, run.count * n.count);
    co_yield copy_(staged, sums(s, 0, local));
    const std::uint64_t bank = bank_use(s, 0, local.first);
    if (ends_bank && psum_.last_use(bank)) co_yield psum_.release(bank);
    const std::uint64_t e = element_bytes(plan_.out_dtype), width = plan_.tokens;
    const Operand row = hbm_operand(out_tensor(), plan_.out_dtype, first.count, (first.first * width + n.first) * e, width * e, n.count);
    stores_.push(repeated(row, static_cast<std::int32_t>(first.count * width), run.count), staged, staged_, copies_.count());
    ++staged_;
  }

  RecordStream store_next() {
    const StoreQueue::Store store = stores_.pop();
    co_yield copies_.copy(store.dst, store.src);
    if (stage_.last_use(store.use)) co_yield stage_.release(store.use);
  }

  static InstructionEmitter activation(ActFn function) {
    InstructionEmitter e(Opcode::Activation, EngineKind::Scalar);
    e.fields().function = function;
    return e;
  }
  static InstructionEmitter product() {
    InstructionEmitter e(Opcode::TensorTensor, EngineKind::Vector);
    e.fields().alu0 = AluOp::Multiply;
    return e;
  }

  MlpPlan plan_;
  std::uint64_t loaded_ = 0, weights_freed_ = 0, x_freed_ = 0;  ///< Tiles of weights and of xT.
  std::uint64_t banks_ = 0, gates_ = 0, staged_ = 0;            ///< Evicted.
  TileRing x_, weights_, hidden_, gate_, stage_, psum_;
  CopyEmitter copies_;
  StoreQueue stores_;
  InstructionEmitter multiply_{Opcode::NcMatmul, EngineKind::Tensor};
  InstructionEmitter copy_{Opcode::TensorCopy, EngineKind::Vector};
  InstructionEmitter function_ = activation(plan_.function);
  InstructionEmitter times_ = product();
};

}  // namespace

std::unique_ptr<RecordSource> mlp_source(const MlpPlan& plan) { return std::make_unique<MlpSource>(plan); }

}  // namespace trnsim::kernel
