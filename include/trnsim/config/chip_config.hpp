// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trnsim/config/energy_config.hpp"
#include "trnsim/config/engine_config.hpp"
#include "trnsim/config/memory_config.hpp"
#include "trnsim/dtype.hpp"
#include "trnsim/generation.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// Chip level.
struct ChipTopConfig {
  std::uint32_t cores = 8;
  std::uint32_t cores_per_stack = 2;
  double launch_ns = 15000;
  double launch_gap_ns = 0;
  double first_run_ns = 0;

  template <class V>
  static void describe(V& v, auto& c) {
    v("cores", c.cores, Field{"", "Physical NeuronCores", 1, 1024});
    v("cores_per_stack", c.cores_per_stack, Field{"", "Neighbouring cores that share one HBM stack", 1, 64});
    v("launch_ns", c.launch_ns, Field{"ns", "Kernel launch, reported apart from device time", 0, 1e9});
    v("launch_gap_ns", c.launch_gap_ns, Field{"ns", "Pause of the host between two kernels, reported apart from device time", 0, 1e9});
    v("first_run_ns", c.first_run_ns,
      Field{"ns", "Start-up that the first run of a kernel has and later ones have not, reported apart from device time", 0, 1e12});
  }
};

/// Between which values a number that nobody has measured lies.
struct ValueRange {
  double lo = 0, hi = 0;
  std::string reason;  ///< Published alternatives, a spread that was measured, or a plain guess.
};

/// Source of one preset number.
struct ValueSource {
  std::string value;       ///< As printed.
  std::string confidence;  ///< published, measured, external, derived, assumed
  std::string source;      ///< Document, page, version.
  std::string note;
  std::vector<std::string> alternatives;  ///< "4.7e3 GB/s per chip (Arch3)"
  std::optional<ValueRange> range = {};
};

/// A resolved chip description. Every number is data; code has none.
struct ChipConfig {
  std::string name = "custom";
  std::string marketing_name;
  std::string generation = "v3";  ///< "v2", "v3", "v4"
  bool projected = false;         ///< Reports print PROJECTED.
  std::string carried_over;       ///< Preset remark, e.g. which overheads come from an older chip.
  ChipTopConfig chip;
  SequencerConfig sequencer;
  TensorConfig tensor;
  VectorConfig vector;
  ScalarConfig scalar;
  GpSimdConfig gpsimd;
  SbufConfig sbuf;
  PsumConfig psum;
  DmaConfig dma;
  HbmConfig hbm;
  EnergyConfig energy;

  /// By key path ("hbm.stack_gb_per_s"); filled from the preset's `sources`.
  std::map<std::string, ValueSource> sources;
  /// `--set` overrides applied, in order: path and value as written.
  std::vector<std::pair<std::string, std::string>> overrides;
  std::string energy_calibrated_for;  ///< Preset the energy table was made for.

  template <class V>
  static void describe(V& v, auto& c) {
    v("name", c.name, Field{"", "Short name"});
    v("marketing_name", c.marketing_name, Field{"", "Name of the product"});
    v("generation", c.generation, Field{"", "NeuronCore generation", 0, 0, false, "v2|v3|v4"});
    v("projected", c.projected, Field{"", "An announced chip whose numbers are projections"});
    v("carried_over", c.carried_over, Field{"", "Remark printed with every result"});
    v("energy_calibrated_for", c.energy_calibrated_for, Field{"", "Preset the energy table was made for"});
    v("chip", c.chip, Group{"Chip level"});
    v("sequencer", c.sequencer, Group{"Sequencers, semaphores and shared ports"});
    v("tensor", c.tensor, Group{"Tensor engine"});
    v("vector", c.vector, Group{"Vector engine"});
    v("scalar", c.scalar, Group{"Scalar engine"});
    v("gpsimd", c.gpsimd, Group{"GpSimd engine"});
    v("sbuf", c.sbuf, Group{"SBUF of one core"});
    v("psum", c.psum, Group{"PSUM of one core"});
    v("dma", c.dma, Group{"DMA rings and engines of one core"});
    v("hbm", c.hbm, Group{"HBM stacks"});
    v("energy", c.energy, Group{"Energy coefficients and power"});
  }

  [[nodiscard]] Generation gen() const;
  [[nodiscard]] std::uint64_t sbuf_bytes_per_partition() const {
    return static_cast<std::uint64_t>(sbuf.kib_per_partition * static_cast<double>(kKiB));
  }
  [[nodiscard]] std::uint64_t psum_bytes_per_partition() const { return std::uint64_t{psum.banks} * psum.bank_bytes_per_partition; }
  [[nodiscard]] std::uint64_t hbm_bytes() const {
    return static_cast<std::uint64_t>(hbm.gib_per_stack * static_cast<double>(kGiB)) * hbm.stacks;
  }
};

/// Rate of a matmul of this operand type over 16-bit: 1/4 for FP32, 2 for FP8 in double row, 4 for MX.
/// 0 where the generation lacks the type. `double_row` is ignored for other types.
double rate_multiplier(const TensorConfig& tensor, DType dtype, bool double_row);

/// Peak of one core in FLOP/s: 2 × rows × columns × clock × rate.
double peak_flops(const TensorConfig& tensor, DType dtype, bool double_row);

}  // namespace trnsim
