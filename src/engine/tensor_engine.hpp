// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>

#include "engine/engine.hpp"
#include "timing/power_ramp.hpp"
#include "trnsim/config/engine_config.hpp"

namespace trnsim {

/// Tensor engine: LoadStationary in the background of the running MultiplyMoving, array tiles that
/// work at the same time, transposes in the background where the generation has that, power ramp.
///
/// Left out: where in the array a result is, and collisions of its PSUM writes with readers.
class TensorEngine : public Engine {
 public:
  TensorEngine(sc_core::sc_module_name name, const Parts& parts, const TensorConfig& config, Context& context);

  [[nodiscard]] const TensorCounters& tensor_counters() const { return tensor_; }

 private:
  static constexpr unsigned kBlocks = 16;  ///< 4 × 4 blocks of the array.
  static constexpr std::uint16_t kWholeArray = 0xffff;

  Cycles earliest(const Step& step, const Ready& load, const Ready& ready) override;
  [[nodiscard]] bool shared(const Step&) const override { return false; }
  [[nodiscard]] StartedBy cause(const Step& step, Cycles start, const Ready& load, const Ready& ready) const override;
  [[nodiscard]] StartedBy load_cause(const Step& step, const Ready& load) const;
  [[nodiscard]] std::uint64_t latest_number(const std::array<Cycles, kBlocks>& times, std::uint16_t region) const;
  void observe(const Step& step, Cycles start, Cycles interval);
  void execute(const Step& step, Cycles start, const Ready& load, const Ready& ready) override;

  [[nodiscard]] Cycles latest(const std::array<Cycles, kBlocks>& times, std::uint16_t region) const;
  static void set(std::array<Cycles, kBlocks>& times, std::uint16_t region, Cycles value);
  /// Its multiplies in cycles of the whole array.
  [[nodiscard]] Cycles active(const Step& step) const;
  void book(const Step& step, Cycles start, Cycles interval, const Ready& load, const Ready& ready);
  void count_array(const Step& step, Cycles start);

  TensorConfig config_;
  PowerRamp ramp_;
  std::uint64_t cycle_fs_;
  Cycles load_free_;                             ///< The load path is free again.
  Cycles issue_free_;                            ///< The next instruction may start somewhere in the array.
  Cycles transpose_free_;                        ///< The background transpose path is free again.
  std::array<Cycles, kBlocks> multiply_free_{};  ///< Per block: its MultiplyMoving lets the next one start.
  std::array<Cycles, kBlocks> shadow_free_{};    ///< Per block: the shadow weights may be overwritten.
  Cycles load_start_, load_end_;                 ///< Of the step being planned.
  Cycles array_until_;                           ///< Streaming counted up to here.
  TensorCounters tensor_;

  // For an observer: numbers of the instructions that the times above are of.
  std::array<std::uint64_t, kBlocks> block_numbers_{};
  std::uint64_t load_number_ = 0, transpose_number_ = 0;
};

}  // namespace trnsim
