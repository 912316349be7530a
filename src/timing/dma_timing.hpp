// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "trnsim/config/memory_config.hpp"
#include "trnsim/isa/opcode.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// Durations of the DMA path. A copy goes through: trigger instruction, ring front end (one copy per
/// issue interval), start latency, descriptors on up to 16 engines, completion write.
///
/// Left out: descriptor fetch traffic and the host's rings.
class DmaTiming {
 public:
  explicit DmaTiming(const DmaConfig& config);

  /// `Default` resolved: hardware descriptors where the generation has them, else static ones.
  [[nodiscard]] DgeMode resolve(DgeMode mode) const;
  [[nodiscard]] Time trigger(DgeMode mode) const { return mode_of(mode).trigger; }
  [[nodiscard]] Time issue_interval(DgeMode mode) const { return mode_of(mode).issue_interval; }
  [[nodiscard]] Time start(DgeMode mode, bool source_in_hbm) const {
    return source_in_hbm ? mode_of(mode).load_start : mode_of(mode).store_start;
  }
  /// GpSimd time to build the descriptors of a copy; zero in the other modes.
  [[nodiscard]] Time generation(DgeMode mode, std::uint64_t descriptors) const;
  /// Last byte moved to semaphore seen by the consumer.
  [[nodiscard]] Time completion(bool destination_in_hbm) const { return destination_in_hbm ? completion_store_ : completion_load_; }
  [[nodiscard]] Time descriptor() const { return descriptor_; }
  /// Engine time of `bytes` of payload, rounded up.
  [[nodiscard]] Time payload(std::uint64_t bytes) const { return Time{ceil_div(bytes * fs_per_kib_, kKiB)}; }
  /// Engine time of adding up `bytes` of several sources, all of them counted.
  [[nodiscard]] Time computed_payload(std::uint64_t bytes) const { return Time{ceil_div(bytes * fs_per_kib_compute_, kKiB)}; }
  /// The same for a transposing copy.
  [[nodiscard]] Time transposed_payload(std::uint64_t bytes, unsigned bytes_per_element, bool source_in_hbm) const;

 private:
  struct Mode {
    Time issue_interval, trigger, load_start, store_start, gpsimd_start, gpsimd_per_descriptor;
  };
  [[nodiscard]] const Mode& mode_of(DgeMode mode) const;

  Mode static_, software_, hardware_;
  bool has_hardware_;
  Time descriptor_, completion_load_, completion_store_, element_;
  std::uint64_t fs_per_kib_, fs_per_kib_compute_;
  std::uint64_t fs_per_kib_transpose_hbm_, fs_per_kib_transpose_sbuf_;  ///< 0 = element by element.
};

}  // namespace trnsim
