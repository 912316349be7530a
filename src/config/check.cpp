// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "config/field_table.hpp"
#include "trnsim/config/load.hpp"

namespace trnsim {
namespace {

/// Collects the broken rules; each message names the keys and their values.
class Rules {
 public:
  std::vector<std::string> broken;

  template <class... Values>
  void require(bool holds, fmt::format_string<Values...> text, Values&&... values) {
    if (!holds) broken.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  void divides(std::string_view small_key, std::uint32_t small, std::string_view large_key, std::uint32_t large) {
    require(small != 0 && large % small == 0, "{} = {} must be a multiple of {} = {}", large_key, large, small_key, small);
  }
};

void check_ranges(const ChipConfig& c, Rules& rules) {
  for (const FieldEntry& entry : entries_of(c)) {
    const std::string wrong = range_problem(entry.field, entry.value);
    rules.require(wrong.empty(), "{}: {}", entry.path, wrong);
  }
}

void check_array(const ChipConfig& c, Rules& rules) {
  const TensorConfig& t = c.tensor;
  rules.divides("tensor.min_array_tile", t.min_array_tile, "tensor.rows", t.rows);
  rules.divides("tensor.min_array_tile", t.min_array_tile, "tensor.columns", t.columns);
  rules.require(t.rows <= c.sbuf.partitions,
                "tensor.rows = {} must not exceed sbuf.partitions = {}: a row of the array reads one partition", t.rows, c.sbuf.partitions);
  rules.require(t.columns <= c.sbuf.partitions,
                "tensor.columns = {} must not exceed sbuf.partitions = {}: a column of the array writes one partition", t.columns,
                c.sbuf.partitions);
  rules.require(t.throttle_start >= 1 || t.throttle_rearm_below <= t.throttle_start,
                "tensor.throttle_rearm_below = {} must not exceed tensor.throttle_start = {}: the limit would re-arm itself",
                t.throttle_rearm_below, t.throttle_start);
  rules.require(t.throttle_start >= 1 || t.throttle_ramp_ns > 0,
                "tensor.throttle_ramp_ns = {} must be > 0 when tensor.throttle_start = {} is < 1", t.throttle_ramp_ns, t.throttle_start);
  rules.require(!t.background_transpose || t.transpose_mode, "tensor.background_transpose = true needs tensor.transpose_mode = true");
}

void check_types(const ChipConfig& c, Rules& rules) {
  const bool mx = c.gen() == Generation::V4;
  rules.require(mx || c.tensor.mxfp8_rate == 0, "tensor.mxfp8_rate = {} needs generation = v4, which is {}", c.tensor.mxfp8_rate,
                c.generation);
  rules.require(mx || c.tensor.mxfp4_rate == 0, "tensor.mxfp4_rate = {} needs generation = v4, which is {}", c.tensor.mxfp4_rate,
                c.generation);
  rules.require(c.gen() != Generation::V2 || c.tensor.fp8_rate <= 1,
                "tensor.fp8_rate = {} above 1 (double row) needs generation = v3 or v4, which is {}", c.tensor.fp8_rate, c.generation);
  rules.require(mx || !c.psum.bf16_output, "psum.bf16_output = true needs generation = v4, which is {}", c.generation);
  const MacEnergyConfig& mac = c.energy.mac_pj;
  rules.require(c.tensor.mxfp8_rate == 0 || mac.mxfp8 > 0, "energy.mac_pj.mxfp8 = 0 although tensor.mxfp8_rate = {}", c.tensor.mxfp8_rate);
  rules.require(c.tensor.mxfp4_rate == 0 || mac.mxfp4 > 0, "energy.mac_pj.mxfp4 = 0 although tensor.mxfp4_rate = {}", c.tensor.mxfp4_rate);
}

void check_on_chip_memory(const ChipConfig& c, Rules& rules) {
  constexpr std::uint64_t kFp32Bytes = 4;
  const PsumConfig& p = c.psum;
  rules.require(p.bank_bytes_per_partition % kFp32Bytes == 0, "psum.bank_bytes_per_partition = {} must hold whole FP32 values",
                p.bank_bytes_per_partition);
  // Up to v3 one matmul stays within a bank; v4 spans all of them.
  const std::uint64_t output = c.gen() == Generation::V4 ? c.psum_bytes_per_partition() : p.bank_bytes_per_partition;
  rules.require(c.tensor.max_moving_columns * kFp32Bytes <= output,
                "tensor.max_moving_columns = {} of FP32 output exceeds the {} bytes that psum.banks = {} and psum.bank_bytes_per_partition "
                "= {} offer one matmul",
                c.tensor.max_moving_columns, output, p.banks, p.bank_bytes_per_partition);
}

void check_dma(const ChipConfig& c, Rules& rules) {
  const DmaConfig& d = c.dma;
  rules.require(d.engine_gb_per_s <= d.wire_gb_per_s, "dma.engine_gb_per_s = {} must not exceed dma.wire_gb_per_s = {}", d.engine_gb_per_s,
                d.wire_gb_per_s);
  rules.require(d.static_mode.available || d.software_mode.available || d.hardware_mode.available,
                "dma: one of static_mode, software_mode and hardware_mode must be available");
  rules.require(d.max_descriptor_bytes >= c.hbm.access_bytes, "dma.max_descriptor_bytes = {} must be at least hbm.access_bytes = {}",
                d.max_descriptor_bytes, c.hbm.access_bytes);
}

void check_hbm(const ChipConfig& c, Rules& rules) {
  const HbmConfig& h = c.hbm;
  rules.require(c.chip.cores <= std::uint64_t{c.chip.cores_per_stack} * h.stacks,
                "chip.cores = {} exceeds chip.cores_per_stack = {} times hbm.stacks = {}", c.chip.cores, c.chip.cores_per_stack, h.stacks);
  rules.divides("hbm.access_bytes", h.access_bytes, "hbm.interleave_bytes", h.interleave_bytes);
  rules.divides("hbm.interleave_bytes", h.interleave_bytes, "hbm.row_bytes", h.row_bytes);
  rules.divides("hbm.bank_groups", h.bank_groups, "hbm.banks", h.banks);
  rules.require(h.tras_ns >= h.trcd_ns, "hbm.tras_ns = {} must be at least hbm.trcd_ns = {}", h.tras_ns, h.trcd_ns);
  rules.require(h.tfaw_ns >= h.trrd_ns, "hbm.tfaw_ns = {} must be at least hbm.trrd_ns = {}", h.tfaw_ns, h.trrd_ns);
  rules.require(h.trefi_ns > h.trfc_ns, "hbm.trefi_ns = {} must exceed hbm.trfc_ns = {}: the memory would only refresh", h.trefi_ns,
                h.trfc_ns);
}

}  // namespace

std::vector<std::string> check_chip(const ChipConfig& config) {
  Rules rules;
  check_ranges(config, rules);
  check_array(config, rules);
  check_types(config, rules);
  check_on_chip_memory(config, rules);
  check_dma(config, rules);
  check_hbm(config, rules);
  return rules.broken;
}

}  // namespace trnsim
