// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/bound.hpp"

#include <algorithm>

#include "analysis/bound_walk.hpp"

namespace trnsim {
namespace {

/// Stacks that the tensors of these programs may lie in.
std::uint64_t stacks_reached(const ChipConfig& chip, const Workload& workload) {
  double bytes = 0;
  for (const auto& program : workload.programs) {
    for (const TensorInfo& tensor : program->info().tensors) bytes += static_cast<double>(bytes_of(tensor));
  }
  const std::uint64_t own = (workload.programs.size() - 1) / chip.chip.cores_per_stack + 1;
  const bool fit = bytes < 0.9 * chip.hbm.gib_per_stack * static_cast<double>(kGiB);
  return fit ? std::min<std::uint64_t>(own, chip.hbm.stacks) : chip.hbm.stacks;
}

/// Useful MACs of a core at the highest rate of its type.
double macs_ns(const ChipConfig& chip, const ProgramInfo& info) {
  const double peak = peak_flops(chip.tensor, info.dtype, info.double_row) / 2;
  return peak > 0 ? static_cast<double>(info.macs) / peak * 1e9 : 0;
}

/// All of a program that can sum itself up.
bool summed_up(Program& program, BoundWalk& sums) {
  const unsigned rings = program.summarize([&](const Instruction& instruction, std::uint64_t count) { sums.add(instruction, count); });
  if (rings > 0) sums.spread_copies(rings);
  return rings > 0;
}

/// Reads up to so many records. False when some are left.
bool walk(Program& program, std::uint64_t most, BoundWalk& sums) {
  for (std::uint64_t i = 0; i < most; ++i) {
    const Record* record = program.next();
    if (record == nullptr) return true;
    if (record->kind == Record::Kind::Instruction) sums.add(record->instruction);
  }
  return program.next() == nullptr;
}

}  // namespace

Bound lower_bound(const ChipConfig& chip, Workload& workload, const BoundOptions& options) {
  Bound bound;
  bound.resource = "none";
  const char* const names[]{"tensor array", "tensor instructions", "vector", "scalar", "gpsimd", "DMA issue", "DMA engines"};
  for (const char* name : names) bound.resources_ns.emplace_back(name, 0.0);
  std::uint64_t hbm_bytes = 0;
  for (const auto& program : workload.programs) {
    BoundWalk sums(chip);
    const bool whole = summed_up(*program, sums) || walk(*program, options.most_records, sums);
    const double array = whole ? sums.array_ns() : std::max(sums.array_ns(), macs_ns(chip, program->info()));
    const double needs[]{array,
                         std::max(sums.tensor_ns(), array),
                         sums.lane_ns(EngineKind::Vector),
                         sums.lane_ns(EngineKind::Scalar),
                         sums.lane_ns(EngineKind::GpSimd),
                         sums.issue_ns(),
                         sums.dma_ns()};
    for (std::size_t i = 0; i < std::size(needs); ++i) bound.resources_ns[i].second = std::max(bound.resources_ns[i].second, needs[i]);
    hbm_bytes += sums.hbm_bytes();
    bound.instructions += sums.instructions();
    bound.macs += program->info().macs;
    bound.whole = bound.whole && whole;
  }
  const double rate = chip.hbm.stack_gb_per_s * static_cast<double>(stacks_reached(chip, workload));
  bound.resources_ns.emplace_back("HBM bandwidth", static_cast<double>(hbm_bytes) / rate);
  for (const auto& [name, ns] : bound.resources_ns) {
    if (ns <= bound.ns) continue;
    bound.ns = ns;
    bound.resource = name;
  }
  return bound;
}

}  // namespace trnsim
