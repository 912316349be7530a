// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <memory>

#include "workload/trace_source.hpp"
#include "workload/trace_symbols.hpp"

namespace trnsim {

/// What the first reading of a trace found; the second, which feeds the simulation, goes by it.
struct TraceScan {
  struct LastUse {
    std::uint32_t line = 0;
    std::uint32_t declared = 0;
    std::uint64_t name_hash = 0;
  };

  ProgramInfo info;
  IdTable ids;
  std::vector<LastUse> last_uses;   ///< Of tiles that no line releases, by line.
  std::array<RangeSet, 3> ranges;   ///< Fixed addresses on chip, by Buffer.
  TensorId hbm_tensor = kNoTensor;  ///< Stands for all fixed HBM addresses; the last of `info.tensors`.
  std::uint64_t hbm_base = 0;
};

/// Reads every line once and checks it for this chip. ProgramError with the problems found.
TraceScan scan_trace(const std::shared_ptr<const TraceInput>& input, const ChipConfig& chip);

/// The second reading.
std::unique_ptr<Program> trace_program(std::shared_ptr<const TraceInput> input, TraceScan scan);

}  // namespace trnsim
