// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/energy.hpp"

#include <fmt/format.h>

#include "analysis/totals.hpp"

namespace trnsim {
namespace {

constexpr double kPjPerWattNs = 1000.0;

double count(std::uint64_t n) { return static_cast<double>(n); }

/// Executed MACs and empty slots of the busy array. FP8 splits into double row and the 16-bit rate;
/// empty FP8 slots follow the mix of the executed ones.
double array_pj(const EnergyConfig& e, const TensorCounters& t) {
  const std::size_t e4m3 = static_cast<std::size_t>(DType::Fp8E4M3), e5m2 = static_cast<std::size_t>(DType::Fp8E5M2);
  const double fp8 = count(t.macs[e4m3] + t.macs[e5m2]);
  const double double_row_share = fp8 > 0 ? count(t.double_row_macs) / fp8 : 0.0;
  double pj = 0;
  for (std::size_t i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    double per_mac = mac_energy_pj(e, dtype, false);
    if (is_fp8(dtype)) per_mac += double_row_share * (mac_energy_pj(e, dtype, true) - per_mac);
    pj += per_mac * (count(t.macs[i]) + e.idle_lane_fraction * count(t.idle_slot_macs[i]));
  }
  return pj + e.weight_load_pj_per_element * count(t.load_elements);
}

double vector_pj(const EnergyConfig& e, const EngineCounters& v) {
  const double plain = count(v.elements) - count(v.fast_elements) - count(v.exponential_elements);
  return e.vector_pj_per_element * plain + e.vector_fast_pj_per_element * count(v.fast_elements) +
         e.vector_exponential_pj_per_element * count(v.exponential_elements);
}

double clock_pj(const ChipConfig& chip, const Totals& totals) {
  return chip.energy.clock_w_per_active_core * to_ns(Time{totals.active_fs}) * kPjPerWattNs;
}

}  // namespace

double mac_energy_pj(const EnergyConfig& energy, DType dtype, bool double_row) {
  const MacEnergyConfig& m = energy.mac_pj;
  switch (dtype) {
    case DType::Fp32: return m.fp32;
    case DType::Tf32: return m.tf32;
    case DType::Bf16: return m.bf16;
    case DType::Fp16: return m.fp16;
    case DType::Fp8E4M3:
    case DType::Fp8E5M2: return double_row ? m.fp8_double_row : m.fp8;
    case DType::MxFp8: return m.mxfp8;
    case DType::MxFp4: return m.mxfp4;
    default: return 0;  // no integer matmul
  }
}

double idle_power_w(const ChipConfig& chip) {
  const EnergyConfig& e = chip.energy;
  return e.core_leakage_w * chip.chip.cores + e.uncore_w + e.hbm_background_w_per_stack * chip.hbm.stacks + e.serdes_w;
}

EnergyBreakdown energy_of(const ChipConfig& chip, const Snapshot& snapshot, const Totals& totals) {
  const EnergyConfig& e = chip.energy;
  const auto issue = [&](EngineKind kind) { return e.instruction_pj * count(engine_of(totals.engines, kind).instructions); };
  const auto elements = [&](EngineKind kind) { return count(engine_of(totals.engines, kind).elements); };
  const double always_pj = idle_power_w(chip) * to_ns(Time{snapshot.end_fs}) * kPjPerWattNs;

  EnergyBreakdown energy;
  energy.components_pj = {
      {"tensor_array", array_pj(e, totals.tensor) + issue(EngineKind::Tensor)},
      {"vector", vector_pj(e, engine_of(totals.engines, EngineKind::Vector)) + issue(EngineKind::Vector)},
      {"scalar", e.scalar_pj_per_element * elements(EngineKind::Scalar) + issue(EngineKind::Scalar)},
      {"gpsimd", e.gpsimd_pj_per_element * elements(EngineKind::GpSimd) + issue(EngineKind::GpSimd)},
      {"sbuf", e.sbuf_read_pj_per_byte * count(totals.sbuf.read_bytes) + e.sbuf_write_pj_per_byte * count(totals.sbuf.write_bytes)},
      {"psum", e.psum_read_pj_per_byte * count(totals.psum.read_bytes) + e.psum_write_pj_per_byte * count(totals.psum.write_bytes) +
                   e.psum_accumulate_pj_per_element * count(totals.tensor.accumulate_elements)},
      {"dma", e.dma_pj_per_byte * count(totals.dma.completed_bytes) + e.dma_descriptor_pj * count(totals.dma.descriptors) +
                  issue(EngineKind::Sync)},
      {"hbm", e.hbm_pj_per_bit * 8.0 * count(totals.hbm.read_bytes + totals.hbm.write_bytes)},
      {"link", 0.0},
      {"static", always_pj + clock_pj(chip, totals)},
  };
  double dynamic = 0;
  for (const auto& [name, pj] : energy.components_pj) {
    energy.total_pj += pj;
    if (name != "static") dynamic += pj;
  }
  energy.cores_used_pj = dynamic + always_pj * count(snapshot.cores.size()) / chip.chip.cores + clock_pj(chip, totals);
  return energy;
}

std::string energy_source(const ChipConfig& chip) {
  if (chip.energy_calibrated_for.empty()) return "coefficients of the chip description, made for no particular chip";
  if (chip.energy_calibrated_for == chip.name) {
    return fmt::format("coefficients of {}; absolute watts carry about 25 %, AWS publishes none", chip.name);
  }
  return fmt::format("coefficients made for {}, applied to {}", chip.energy_calibrated_for, chip.name);
}

}  // namespace trnsim
