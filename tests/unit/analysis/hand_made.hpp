// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "trnsim/result.hpp"

namespace trnsim::hand_made {

ChipConfig chip(const std::string& preset);

/// A core whose engines were busy for the given share of the device time and stalled on DMA otherwise.
CoreSnapshot core(const ChipConfig& chip, unsigned number, std::uint64_t end_fs, double busy);

/// A run without work: every engine of `cores` cores idle for the device time.
Snapshot idle_run(const ChipConfig& chip, std::uint64_t end_fs, unsigned cores = 1);

/// What the planner and engines report of a matmul of one 128 × 128 × 512 tile, `tiles` times, on one
/// core of trn2 at full array rate, with one load and store of `bytes` bytes in all.
Snapshot matmul_run(const ChipConfig& chip, std::uint64_t tiles, std::uint64_t bytes, unsigned cores = 1);

/// Gives a copy of `bytes` bytes to core 0 and to stack 0.
void add_copy(Snapshot& snapshot, std::uint64_t bytes, std::uint64_t transfers, std::uint64_t descriptors);

/// Context of a matmul kernel with this much useful work per core.
ResultContext matmul_context(std::uint64_t macs, unsigned cores = 1, DType dtype = DType::Bf16);

inline EngineCounters& engine(Snapshot& s, EngineKind kind, unsigned core = 0) {
  return s.cores[core].engines[static_cast<std::size_t>(kind)];
}

double component(const Result& result, const std::string& name);

/// The result file without what may differ between two runs.
nlohmann::ordered_json document(const Result& result);

}  // namespace trnsim::hand_made
