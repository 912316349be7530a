// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/bound_walk.hpp"

#include <algorithm>
#include <bit>

#include "timing/access_pieces.hpp"
#include "timing/matmul_shape.hpp"

namespace trnsim {
namespace {

constexpr std::uint64_t kBlocks = 16;  ///< Of the array, as tiles of it are counted.

std::array<Clock, kEngineCount> clocks_of(const ChipConfig& c) {
  return {Clock(c.tensor.clock_ghz), Clock(c.vector.clock_ghz), Clock(c.scalar.clock_ghz), Clock(c.gpsimd.clock_ghz),
          Clock(c.sequencer.base_clock_ghz)};
}

/// The processors of GpSimd have DMA engines of their own.
bool uses_ring(const Instruction& i) { return is_dma(i.op) && !(i.op == Opcode::Sendrecv && i.engine == EngineKind::GpSimd); }

/// Sources of a copy that adds up several; others have one.
std::uint64_t sources_of(const Instruction& i) {
  std::uint64_t sources = 1;
  if (i.op != Opcode::DmaCompute || !i.extras) return sources;
  for (const auto& [role, operand] : i.extras->operands) sources += is_index(role) ? 0 : 1;
  return sources;
}

}  // namespace

BoundWalk::BoundWalk(const ChipConfig& chip)
    : chip_(&chip),
      array_(chip.tensor),
      vector_(chip.vector, chip.gen()),
      scalar_(chip.scalar),
      gpsimd_(chip.gpsimd),
      dma_(chip.dma),
      clocks_(clocks_of(chip)) {}

void BoundWalk::add(const Instruction& instruction, std::uint64_t count) {
  instructions_ += count;
  if (uses_ring(instruction)) return add_copy(instruction, count);
  if (info(instruction.op).executor == Executor::Sequencer) return;  // holds its queue for a few ns
  if (instruction.engine == EngineKind::Tensor) return add_array(instruction, count);
  add_lanes(instruction, instruction.engine, count);
}

void BoundWalk::add_array(const Instruction& instruction, std::uint64_t count) {
  MatmulShape shape = matmul_shape(instruction);
  const std::uint64_t pieces = access_pieces(instruction);
  shape.moving = static_cast<std::uint32_t>(ceil_div(shape.moving, pieces));
  const std::uint64_t interval = array_.interval(shape).value * pieces * count;
  const std::uint64_t streaming = array_.streaming(shape).value * pieces * count;
  array_instructions_ += count;
  if (shape.transpose && chip_->tensor.background_transpose) {
    transpose_cycles_ += interval;
    return;
  }
  const auto blocks = static_cast<unsigned>(std::popcount(array_region(instruction, chip_->tensor)));
  block_cycles_ += interval * blocks;
  streaming_cycles_ += streaming * blocks;
}

void BoundWalk::add_lanes(const Instruction& instruction, EngineKind engine, std::uint64_t count) {
  const auto cost_of = [&](const Instruction& i) {
    if (engine == EngineKind::Vector) return vector_.cost(i);
    return engine == EngineKind::Scalar ? scalar_.cost(i) : gpsimd_.cost(i);
  };
  const std::uint64_t pieces = access_pieces(instruction);
  const EngineCost cost = pieces == 1 ? cost_of(instruction) : repeated(cost_of(one_piece(instruction, pieces)), pieces);
  const std::uint64_t interval = cost.fast ? std::min(cost.interval, cost.slow_interval).value : cost.interval.value;
  lane_cycles_[static_cast<std::size_t>(engine)] += interval * count;
}

void BoundWalk::add_copy(const Instruction& instruction, std::uint64_t count) {
  const Operand &dst = instruction.operands[0], &src = instruction.operands[1];
  const bool from_hbm = src.buffer == Buffer::Hbm, to_hbm = dst.buffer == Buffer::Hbm;
  const Operand& rows = to_hbm ? src : dst;
  const std::uint64_t sources = sources_of(instruction), moved = std::max(element_bytes(src.dtype), element_bytes(dst.dtype));
  const std::uint64_t elements = rows.columns() * rows.partitions, bytes = elements * moved;
  const DgeMode mode = dma_.resolve(instruction.dge);
  const EngineKind engine = mode == DgeMode::Software ? EngineKind::GpSimd : instruction.engine;

  Time on_engines = dma_.descriptor() * (rows.partitions * sources);
  if (instruction.op == Opcode::DmaTranspose) {
    on_engines += dma_.transposed_payload(bytes, element_bytes(src.dtype), from_hbm);
  } else {
    on_engines += sources > 1 ? dma_.computed_payload(bytes * sources) : dma_.payload(bytes);
  }
  engine_fs_ += on_engines.value * count;
  hbm_bytes_ += count * ((from_hbm ? elements * element_bytes(src.dtype) : 0) + (to_hbm ? elements * element_bytes(dst.dtype) : 0));

  const std::uint64_t interval = dma_.issue_interval(mode).value;
  const std::uint64_t around = (dma_.start(mode, from_hbm) + dma_.completion(to_hbm)).value;
  const std::uint32_t number = instruction.ring == kDefaultRing ? 0 : instruction.ring;
  Ring& ring = rings_[static_cast<std::uint32_t>(engine) << 8 | number];
  ring.interval_fs += interval * count;
  ring.longest_fs = std::max(ring.longest_fs, interval);
  ring.around_fs = std::min(ring.around_fs, around);
  around_fs_ = std::min(around_fs_, around);
}

void BoundWalk::spread_copies(unsigned rings) {
  std::map<std::uint32_t, Ring> engines;
  for (const auto& [key, ring] : rings_) {
    Ring& all = engines[key >> 8];
    all.interval_fs += ring.interval_fs;
    all.longest_fs = std::max(all.longest_fs, ring.longest_fs);
    all.around_fs = std::min(all.around_fs, ring.around_fs);
  }
  rings_ = std::move(engines);
  spread_ = rings;
}

double BoundWalk::array_ns() const { return to_ns(clocks_[0].time_of(Cycles{streaming_cycles_ / kBlocks})); }

double BoundWalk::tensor_ns() const {
  const std::uint64_t issued = array_instructions_ == 0 ? 0 : (array_instructions_ - 1) * chip_->tensor.load_min_cycles;
  return to_ns(clocks_[0].time_of(Cycles{std::max({block_cycles_ / kBlocks, transpose_cycles_, issued})}));
}

double BoundWalk::lane_ns(EngineKind engine) const {
  const auto e = static_cast<std::size_t>(engine);
  return to_ns(clocks_[e].time_of(Cycles{lane_cycles_[e]}));
}

double BoundWalk::issue_ns() const {
  std::uint64_t most = 0;
  for (const auto& [key, ring] : rings_) {
    // The busiest ring has at least the mean.
    const std::uint64_t intervals = ring.interval_fs / spread_;
    most = std::max(most, intervals - std::min(intervals, ring.longest_fs) + ring.around_fs);
  }
  return to_ns(Time{most});
}

double BoundWalk::dma_ns() const { return rings_.empty() ? 0 : to_ns(Time{engine_fs_ / chip_->dma.engines + around_fs_}); }

}  // namespace trnsim
