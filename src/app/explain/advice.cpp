// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <numeric>

#include "app/explain/explanation.hpp"
#include "trnsim/text.hpp"

namespace trnsim::app {
namespace {

constexpr double kMatters = 0.05;         ///< Share of the path from which a part is worth a word.
constexpr double kShortMoving = 128;      ///< Columns from which a multiply hides the next load.
constexpr double kShortDescriptor = 512;  ///< Bytes.
constexpr double kWorthSpace = 0.97;      ///< Time with twice the memory over the time.
constexpr double kNearBound = 1.15;       ///< Time over the larger bound, below which overlap is as good as done.

/// Sums over the cores.
struct Counts {
  double descriptors = 0, transfers = 0, bytes = 0, matmuls = 0, loads = 0, array_cycles = 0, macs = 0, transposes = 0;
};

Counts counts_of(const Snapshot& snapshot) {
  Counts c;
  const auto sum = [](const auto& values) { return static_cast<double>(std::accumulate(values.begin(), values.end(), std::uint64_t{0})); };
  for (const CoreSnapshot& core : snapshot.cores) {
    c.descriptors += static_cast<double>(core.dma.descriptors);
    c.transfers += static_cast<double>(core.dma.transfers);
    c.bytes += static_cast<double>(core.dma.completed_bytes);
    c.matmuls += static_cast<double>(core.tensor.matmuls);
    c.loads += static_cast<double>(core.tensor.loads);
    c.array_cycles += static_cast<double>(core.tensor.array_cycles);
    c.macs += sum(core.tensor.macs);
    c.transposes += sum(core.tensor.transpose_macs);
  }
  return c;
}

class Rules {
 public:
  explicit Rules(const Explanation& x)
      : result_(x.result), path_(x.path), overlap_(x.overlap), what_if_(x.what_if), counts_(counts_of(x.result.snapshot)) {}

  std::vector<Advice> all() {
    copies();
    ring_share();
    descriptors();
    moving();
    stationary();
    transposes();
    software_descriptors();
    tables();
    space("PSUM size", "psum_banks", "Accumulate in more PSUM banks in turn, and copy each out while the next one fills");
    space("SBUF size", "sbuf_size", "Work on smaller blocks or release tiles earlier: tiles wait for space in SBUF");
    buffers();
    return std::move(list_);
  }

 private:
  /// ", which would take 1.2 ms if it were free", if that was simulated.
  [[nodiscard]] std::string without(std::string_view resource) const {
    const std::optional<double> ns = time_if_free(what_if_, resource);
    return ns ? fmt::format("; with {} free the run takes {} instead of {}", resource, time_text(*ns), time_text(result_.time_ns)) : "";
  }

  void copies() {
    const double share = path_share(path_, PathPart::DmaIssue);
    if (share < kMatters || counts_.transfers == 0) return;
    list_.push_back({"bytes_per_copy", "Move more bytes with each copy, or spread the copies over several rings (queues)",
                     fmt::format("{} of the path is the issue interval of a ring, copies have {} on average{}", percent(share),
                                 bytes_text(counts_.bytes / counts_.transfers), without("DMA issue")),
                     "issue_interval_ns of the DMA mode in the chip description; trnsim chips show NAME --sources"});
  }

  /// The core whose rings in use reach the smallest part of its DMA engines.
  void ring_share() {
    const DmaCounters* least = nullptr;
    for (const CoreSnapshot& core : result_.snapshot.cores) {
      if (core.dma.engines_used == 0 || core.dma.engines_used >= core.dma.engines) continue;
      if (least == nullptr || core.dma.engines_used < least->engines_used) least = &core.dma;
    }
    const double exposed = to_ns(Time{overlap_.dma_fs - overlap_.both_fs});
    if (least == nullptr || exposed < kMatters * result_.time_ns) return;
    list_.push_back(
        {"ring_share", "Spread the copies over more rings (queues): those in use do not reach all DMA engines",
         fmt::format("the rings in use reach {} of {} DMA engines, copies are exposed for {}, {} of the time{}", least->engines_used,
                     least->engines, time_text(exposed), percent(exposed / result_.time_ns), without("DMA engines")),
         "dma.ring_engine_share in the chip description; trnsim chips show NAME --sources"});
  }

  void descriptors() {
    const double share = path_share(path_, PathPart::DmaTransfer) + path_share(path_, PathPart::Hbm);
    if (share < kMatters || counts_.descriptors == 0 || counts_.bytes / counts_.descriptors >= kShortDescriptor) return;
    list_.push_back({"bytes_per_descriptor", "Make the contiguous runs of a copy longer: at least 512 B, better 2 KiB per row",
                     fmt::format("{} of the path is transfer, descriptors have {} on average", percent(share),
                                 bytes_text(counts_.bytes / counts_.descriptors)),
                     "DMA bandwidth by bytes per partition, NKI documentation: 512 B reach 21 % of the rate of 32 KiB, 2 KiB 81 %"});
  }

  void moving() {
    const double columns = counts_.array_cycles / std::max(counts_.matmuls, 1.0);
    if (path_share(path_, "tensor") < 4 * kMatters || counts_.matmuls == 0 || columns >= kShortMoving) return;
    list_.push_back({"moving_size", "Use a moving operand of at least 128 columns, best 512, for each matmul",
                     fmt::format("the moving operand streams for {:.0f} cycles on average, {} of the path is the Tensor engine", columns,
                                 percent(path_share(path_, "tensor"))),
                     "NKI architecture guide: a matmul of fewer than 128 moving columns does not hide the next stationary load"});
  }

  void stationary() {
    const double share = path_share(path_, PathPart::TensorLoad);
    if (share < kMatters) return;
    list_.push_back(
        {"stationary_reloads", "Keep the stationary operand for several matmuls, or make the operand that changes less stationary",
         fmt::format("{} of the path is loading it, {:.0f} loads for {:.0f} matmuls", percent(share), counts_.loads, counts_.matmuls),
         "load_min_cycles and fast_load_factor in the chip description; trnsim chips show NAME --sources"});
  }

  void transposes() {
    const double share = counts_.transposes / std::max(counts_.macs, 1.0);
    if (path_share(path_, "tensor") < 4 * kMatters || share < 2 * kMatters) return;
    list_.push_back({"transposes",
                     "Store the operand transposed, or let a DMA copy transpose it: the Tensor engine spends multiplies on it",
                     fmt::format("{} of its multiply-accumulates transpose, {} of the path is the Tensor engine", percent(share),
                                 percent(path_share(path_, "tensor"))),
                     "counters of this run; dma.transpose_hbm_rate in the chip description for the copy"});
  }

  void software_descriptors() {
    double fs = 0;
    for (const PathSegment& s : path_.segments) {
      if (s.part == PathPart::GpSimdWork && s.opcode.starts_with("dma")) fs += static_cast<double>(s.fs);
    }
    const double share = path_.length_fs == 0 ? 0 : fs / static_cast<double>(path_.length_fs);
    if (share < kMatters) return;
    list_.push_back({"dma_mode", "Use hardware or static descriptors for these copies",
                     fmt::format("{} of the path is GpSimd building descriptors", percent(share)),
                     "dma.software_mode in the chip description; trnsim chips show NAME --sources"});
  }

  void tables() {
    const double share = path_share(path_, PathPart::TableLoad);
    if (share < kMatters) return;
    list_.push_back({"table_loads", "Group activations that share a table",
                     fmt::format("{} of the path is loading activation tables{}", percent(share), without("table loads")),
                     "scalar.table_load_ns in the chip description; trnsim chips show NAME --sources"});
  }

  void space(std::string_view resource, const char* rule, const char* text) {
    for (const WhatIf& w : what_if_) {
      if (w.resource != resource || !w.time_ns || *w.time_ns > kWorthSpace * result_.time_ns) continue;
      list_.push_back({rule, text, fmt::format("twice of it: {} instead of {}", time_text(*w.time_ns), time_text(result_.time_ns)),
                       "simulation of this run with the larger memory"});
    }
  }

  void buffers() {
    const double bound = std::max(compute_bound_ns(result_), dma_bound_ns(result_));
    const double dma = path_share(path_, "dma") + path_share(path_, "hbm");
    if (result_.time_ns < kNearBound * bound || dma < 4 * kMatters || dma > 1 - 4 * kMatters) return;
    list_.push_back({"overlap", "Load the next tiles while these are worked on: computation and copies wait for each other",
                     fmt::format("DMA and HBM are {} of the path; the larger of the bounds of computation and DMA is {}, the run takes {}",
                                 percent(dma), time_text(bound), time_text(result_.time_ns)),
                     "lower bounds of this run"});
  }

  const Result& result_;
  const CriticalPath& path_;
  const Overlap& overlap_;
  const std::vector<WhatIf>& what_if_;
  Counts counts_;
  std::vector<Advice> list_;
};

}  // namespace

std::vector<Advice> advice_of(const Explanation& explanation) { return Rules(explanation).all(); }

}  // namespace trnsim::app
