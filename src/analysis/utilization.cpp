// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/utilization.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/totals.hpp"
#include "trnsim/error.hpp"

namespace trnsim {
namespace {

constexpr double kRounding = 1e-9;

double count(std::uint64_t n) { return static_cast<double>(n); }

/// Peak of the cores used in FLOP per ns for the operand types of their programs.
double peak_flops_per_ns(const Result& result) {
  double peak = 0;
  for (const ProgramInfo& program : result.context.programs) {
    peak += peak_flops(result.chip.tensor, program.dtype, program.double_row) / 1e9;
  }
  return peak;
}

void fill_compute(Result& result, const Totals& totals) {
  const bool complete = result.snapshot.truncated.empty();
  const double cores = count(result.snapshot.cores.size());
  if (complete && result.flops > 0) {
    const auto flops_per_ns = ratio(count(result.flops), result.time_ns);
    if (flops_per_ns) result.tflops = *flops_per_ns / 1e3;
  }
  if (complete && result.macs > 0) {
    result.mfu = share("useful MACs of the workload", 2.0 * count(result.macs), "peak of the cores used",
                       peak_flops_per_ns(result) * to_ns(Time{result.snapshot.end_fs}));
  }
  const double ideal = ideal_array_cycles(result.chip.tensor, totals.tensor), busy = count(totals.tensor.array_cycles);
  if (busy == 0 && ideal == 0) return;  // no work for the array: no ratio
  share("tensor.macs in array cycles", ideal, "tensor.array_cycles", busy);
  const double all = count(result.cycles) * cores;
  result.array_busy = used_share(result, "tensor.array_cycles", busy, "cycles × cores", all);
  result.array_utilization = used_share(result, "tensor.macs in array cycles", ideal, "cycles × cores", all);
}

void fill_memory(Result& result, const Totals& totals) {
  const DmaConfig& dma = result.chip.dma;
  const double time = to_ns(Time{result.snapshot.end_fs});  // GB/s is bytes per ns
  const double cores = count(result.snapshot.cores.size());
  result.dma_gb_per_s = ratio(count(totals.dma.completed_bytes), time);
  result.dma_utilization =
      used_share(result, "dma.completed_bytes", count(totals.dma.completed_bytes), "sustained rate of the DMA engines of the cores used",
                 time * dma.engines * dma.engine_gb_per_s * cores);
  const double bytes = count(totals.hbm.read_bytes + totals.hbm.write_bytes);
  result.hbm_gb_per_s = ratio(bytes, time);
  result.hbm_utilization = used_share(result, "hbm bytes", bytes, "peak of the HBM stacks in use",
                                      time * result.chip.hbm.stack_gb_per_s * count(totals.stacks_in_use));
  result.row_hit_rate = share("hbm.row_hits", count(totals.hbm.row_hits), "HBM bursts", count(totals.hbm.row_hits + totals.hbm.row_misses));
}

/// Busy cycles of an engine cannot exceed those of the device time (one edge more for the phase of each run).
void check_elapsed(const Result& result) {
  for (const CoreSnapshot& core : result.snapshot.cores) {
    for (std::size_t i = 0; i < kEngineCount; ++i) {
      const auto kind = static_cast<EngineKind>(i);
      const std::uint64_t limit = cycles_at(result.snapshot.end_fs, clock_ghz(result.chip, kind)) + result.snapshot.runs;
      if (core.engines[i].elapsed_cycles > limit) {
        throw InternalError(fmt::format("core {} {}.elapsed_cycles = {} exceeds the device time of {} cycles", core.core, name_of(kind),
                                        core.engines[i].elapsed_cycles, limit));
      }
    }
  }
}

}  // namespace

std::optional<double> ratio(double numerator, double denominator) {
  if (!(denominator > 0)) return std::nullopt;
  return numerator / denominator;
}

std::optional<double> share(std::string_view what, double numerator, std::string_view of, double denominator) {
  const auto value = ratio(numerator, denominator);
  if (!value) return std::nullopt;
  if (!(*value >= 0) || *value > 1 + kRounding) {
    throw InternalError(
        fmt::format("utilisation {:.6g} is outside [0, 1]: {} = {:.6g}, {} = {:.6g}", *value, what, numerator, of, denominator));
  }
  return *value > 1 ? 1.0 : *value;
}

double ideal_array_cycles(const TensorConfig& tensor, const TensorCounters& counters) {
  double slots = 0;  // MAC slots at the 16-bit rate
  for (std::size_t i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (counters.macs[i] == 0) continue;
    const double rate = rate_multiplier(tensor, dtype, false);
    if (!(rate > 0)) {
      throw InternalError(fmt::format("tensor.macs.{} = {}, but the chip multiplies no such type", name_of(dtype), counters.macs[i]));
    }
    slots += count(counters.macs[i] - counters.transpose_macs[i]) / rate;
  }
  if (counters.double_row_macs > 0) {
    slots -= count(counters.double_row_macs) * (1.0 - 1.0 / rate_multiplier(tensor, DType::Fp8E4M3, true));
  }
  // Ones and zeros take half of the passes of FP32.
  slots -= count(counters.onezero_macs) * (tensor.fp32_passes - std::max(1U, tensor.fp32_passes / 2));
  return slots / (static_cast<double>(tensor.rows) * tensor.columns);
}

std::optional<double> used_share(const Result& result, std::string_view what, double numerator, std::string_view of, double denominator) {
  const bool complete = result.snapshot.truncated.empty();
  return share(what, complete ? numerator : std::min(numerator, denominator), of, denominator);
}

void fill_utilizations(Result& result, const Totals& totals) {
  check_elapsed(result);
  fill_compute(result, totals);
  fill_memory(result, totals);
}

}  // namespace trnsim
