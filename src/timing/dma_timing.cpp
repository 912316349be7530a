// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/dma_timing.hpp"

#include <cmath>

namespace trnsim {
namespace {

constexpr std::uint64_t kDescriptorsInStart = 128;  ///< Covered by the start cost of software generation.

std::uint64_t fs_per_kib(double gb_per_s) { return static_cast<std::uint64_t>(std::ceil(1024.0 * 1e6 / gb_per_s)); }

}  // namespace

DmaTiming::DmaTiming(const DmaConfig& config)
    : has_hardware_(config.hardware_mode.available),
      descriptor_(from_ns(config.descriptor_ns)),
      completion_load_(from_ns(config.completion_load_ns)),
      completion_store_(from_ns(config.completion_store_ns)),
      element_(from_ns(config.element_ns)),
      fs_per_kib_(fs_per_kib(config.engine_gb_per_s)),
      fs_per_kib_compute_(fs_per_kib(config.engine_gb_per_s * config.compute_rate)),
      fs_per_kib_transpose_hbm_(config.transpose_hbm_rate > 0 ? fs_per_kib(config.engine_gb_per_s * config.transpose_hbm_rate) : 0),
      fs_per_kib_transpose_sbuf_(config.transpose_sbuf_rate > 0 ? fs_per_kib(config.engine_gb_per_s * config.transpose_sbuf_rate) : 0) {
  const auto mode = [](const DmaModeConfig& m) {
    return Mode{from_ns(m.issue_interval_ns), from_ns(m.trigger_ns),      from_ns(m.load_start_ns),
                from_ns(m.store_start_ns),    from_ns(m.gpsimd_start_ns), from_ns(m.gpsimd_ns_per_descriptor)};
  };
  static_ = mode(config.static_mode);
  software_ = mode(config.software_mode);
  hardware_ = mode(config.hardware_mode);
}

DgeMode DmaTiming::resolve(DgeMode mode) const {
  if (mode != DgeMode::Default) return mode;
  return has_hardware_ ? DgeMode::Hardware : DgeMode::Static;
}

const DmaTiming::Mode& DmaTiming::mode_of(DgeMode mode) const {
  switch (resolve(mode)) {
    case DgeMode::Software: return software_;
    case DgeMode::Hardware: return hardware_;
    default: return static_;
  }
}

Time DmaTiming::generation(DgeMode mode, std::uint64_t descriptors) const {
  const Mode& m = mode_of(mode);
  const std::uint64_t beyond = descriptors > kDescriptorsInStart ? descriptors - kDescriptorsInStart : 0;
  return m.gpsimd_start + m.gpsimd_per_descriptor * beyond;
}

Time DmaTiming::transposed_payload(std::uint64_t bytes, unsigned bytes_per_element, bool source_in_hbm) const {
  const std::uint64_t rate = source_in_hbm ? fs_per_kib_transpose_hbm_ : fs_per_kib_transpose_sbuf_;
  if (rate == 0) return element_ * ceil_div(bytes, bytes_per_element);
  return Time{ceil_div(bytes * rate, kKiB)};
}

}  // namespace trnsim
