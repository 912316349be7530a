// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/assumed.hpp"

#include <algorithm>
#include <string_view>

#include "analysis/totals.hpp"

namespace trnsim {
namespace {

/// Part of the description and whether a run used it. The longest matching prefix decides.
struct Rule {
  std::string_view prefix;
  bool (*used)(const Totals&);
};

std::uint64_t macs(const Totals& t, DType dtype) { return t.tensor.macs[static_cast<std::size_t>(dtype)]; }
bool ran(const Totals& t, EngineKind kind) { return engine_of(t.engines, kind).instructions > 0; }
bool stalled(const Totals& t, EngineKind kind, StallReason reason) {
  return engine_of(t.engines, kind).stall_cycles[static_cast<std::size_t>(reason)] > 0;
}
bool fp8(const Totals& t) { return macs(t, DType::Fp8E4M3) + macs(t, DType::Fp8E5M2) > 0; }
bool always(const Totals&) { return true; }
bool never(const Totals&) { return false; }
bool any_instruction(const Totals& t) {
  for (const EngineCounters& e : t.engines) {
    if (e.instructions > 0) return true;
  }
  return false;
}

constexpr Rule kRules[]{
    {"chip.", always},
    {"chip.first_run_ns", never},  // of the first of several runs, which the counters do not know
    {"sequencer.", any_instruction},
    {"tensor.", [](const Totals& t) { return ran(t, EngineKind::Tensor); }},
    {"tensor.throttle_", [](const Totals& t) { return stalled(t, EngineKind::Tensor, StallReason::Throttle); }},
    {"tensor.fp32_", [](const Totals& t) { return macs(t, DType::Fp32) > 0; }},
    {"tensor.fp8_rate", [](const Totals& t) { return t.tensor.double_row_macs > 0; }},
    {"tensor.mxfp8_rate", [](const Totals& t) { return macs(t, DType::MxFp8) > 0; }},
    {"tensor.mxfp4_rate", [](const Totals& t) { return macs(t, DType::MxFp4) > 0; }},
    {"tensor.transpose_mode", [](const Totals& t) { return sum_of(t.tensor.transpose_macs) > 0; }},
    {"tensor.background_transpose", [](const Totals& t) { return sum_of(t.tensor.transpose_macs) > 0; }},
    {"tensor.load_min_cycles", [](const Totals& t) { return t.tensor.loads > 0; }},
    {"tensor.fast_load_factor", [](const Totals& t) { return t.tensor.loads > 0; }},
    {"vector.", [](const Totals& t) { return ran(t, EngineKind::Vector); }},
    {"vector.fast_mode", [](const Totals& t) { return engine_of(t.engines, EngineKind::Vector).fast_elements > 0; }},
    {"scalar.", [](const Totals& t) { return ran(t, EngineKind::Scalar); }},
    {"scalar.table_load_ns", [](const Totals& t) { return stalled(t, EngineKind::Scalar, StallReason::TableLoad); }},
    {"gpsimd.", [](const Totals& t) { return ran(t, EngineKind::GpSimd); }},
    {"sbuf.", [](const Totals& t) { return t.sbuf.peak_bytes > 0; }},
    {"psum.", [](const Totals& t) { return t.psum.peak_bytes > 0; }},
    {"dma.", [](const Totals& t) { return t.dma.transfers > 0; }},
    {"hbm.", [](const Totals& t) { return t.stacks_in_use > 0; }},
    {"energy.", always},
    {"energy.power_limit_w", always},
    {"energy.mac_pj.fp32", [](const Totals& t) { return macs(t, DType::Fp32) > 0; }},
    {"energy.mac_pj.tf32", [](const Totals& t) { return macs(t, DType::Tf32) > 0; }},
    {"energy.mac_pj.bf16", [](const Totals& t) { return macs(t, DType::Bf16) > 0; }},
    {"energy.mac_pj.fp16", [](const Totals& t) { return macs(t, DType::Fp16) > 0; }},
    {"energy.mac_pj.fp8",
     [](const Totals& t) { return fp8(t) && t.tensor.double_row_macs < macs(t, DType::Fp8E4M3) + macs(t, DType::Fp8E5M2); }},
    {"energy.mac_pj.fp8_double_row", [](const Totals& t) { return t.tensor.double_row_macs > 0; }},
    {"energy.mac_pj.mxfp8", [](const Totals& t) { return macs(t, DType::MxFp8) > 0; }},
    {"energy.mac_pj.mxfp4", [](const Totals& t) { return macs(t, DType::MxFp4) > 0; }},
    {"energy.idle_lane_fraction", [](const Totals& t) { return sum_of(t.tensor.idle_slot_macs) > 0; }},
    {"energy.weight_load", [](const Totals& t) { return t.tensor.load_elements > 0; }},
    {"energy.psum_accumulate", [](const Totals& t) { return t.tensor.accumulate_elements > 0; }},
    {"energy.sbuf_", [](const Totals& t) { return t.sbuf.read_bytes + t.sbuf.write_bytes > 0; }},
    {"energy.psum_read", [](const Totals& t) { return t.psum.read_bytes > 0; }},
    {"energy.psum_write", [](const Totals& t) { return t.psum.write_bytes > 0; }},
    {"energy.vector_pj", [](const Totals& t) { return ran(t, EngineKind::Vector); }},
    {"energy.vector_fast", [](const Totals& t) { return engine_of(t.engines, EngineKind::Vector).fast_elements > 0; }},
    {"energy.vector_exponential", [](const Totals& t) { return engine_of(t.engines, EngineKind::Vector).exponential_elements > 0; }},
    {"energy.scalar_", [](const Totals& t) { return ran(t, EngineKind::Scalar); }},
    {"energy.gpsimd_", [](const Totals& t) { return ran(t, EngineKind::GpSimd); }},
    {"energy.instruction_pj", any_instruction},
    {"energy.hbm_pj_per_bit", [](const Totals& t) { return t.stacks_in_use > 0; }},
    {"energy.dma_", [](const Totals& t) { return t.dma.transfers > 0; }},
    {"energy.link_", never},
};

/// Descriptor modes other than the generation's own are not told apart by the counters.
bool other_dma_mode(const ChipConfig& chip, std::string_view path) {
  const std::string_view own = chip.gen() == Generation::V2 ? "dma.static_mode." : "dma.hardware_mode.";
  return path.find("_mode.") != std::string_view::npos && path.starts_with("dma.") && !path.starts_with(own);
}

bool used(std::string_view path, const Totals& totals) {
  for (std::size_t charge = 1; charge < kChargeCount; ++charge) {
    if (path_of(static_cast<Charge>(charge)) != path) continue;
    return std::any_of(totals.engines.begin(), totals.engines.end(), [&](const EngineCounters& e) { return e.charges[charge] > 0; });
  }
  const Rule* best = nullptr;
  for (const Rule& rule : kRules) {
    if (path.starts_with(rule.prefix) && (best == nullptr || rule.prefix.size() > best->prefix.size())) best = &rule;
  }
  return best == nullptr || best->used(totals);
}

}  // namespace

std::vector<std::string> paths_used(const ChipConfig& chip, const Totals& totals, std::string_view confidence) {
  std::vector<std::string> paths;
  for (const auto& [path, source] : chip.sources) {
    if (source.confidence == confidence && !other_dma_mode(chip, path) && used(path, totals)) paths.push_back(path);
  }
  return paths;
}

}  // namespace trnsim
