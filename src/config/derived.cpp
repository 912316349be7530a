// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>

#include "config/text_table.hpp"
#include "trnsim/config/show.hpp"
#include "trnsim/units.hpp"

namespace trnsim {
namespace {

constexpr double kTera = 1e12;

struct PeakLine {
  const char* name;
  DType dtype;
  bool double_row;
};

constexpr PeakLine kPeaks[] = {
    {"fp32", DType::Fp32, false},   {"tf32", DType::Tf32, false},   {"bf16", DType::Bf16, false},
    {"fp16", DType::Fp16, false},   {"fp8", DType::Fp8E4M3, false}, {"fp8 double row", DType::Fp8E4M3, true},
    {"mxfp8", DType::MxFp8, false}, {"mxfp4", DType::MxFp4, false},
};

class Figures {
 public:
  explicit Figures(const ChipConfig& config) : c_(config) {}

  std::vector<DerivedFigure> all() {
    peaks();
    capacities();
    bandwidths();
    engine_ports();
    ridges();
    dma_sizes();
    return std::move(figures_);
  }

 private:
  void add(const char* group, std::string name, double value, const char* unit, const char* formula) {
    figures_.push_back({group, std::move(name), value, unit, formula});
  }

  [[nodiscard]] bool offered(const PeakLine& line) const {
    return peak_flops(c_.tensor, line.dtype, line.double_row) > 0 && (!line.double_row || c_.tensor.fp8_rate > 1);
  }

  void peaks() {
    for (const PeakLine& line : kPeaks) {
      const double core = peak_flops(c_.tensor, line.dtype, line.double_row) / kTera;
      if (!offered(line)) continue;
      add("Peak", fmt::format("{}, core", line.name), core, "TFLOPS", "2 x rows x columns x clock x rate");
      add("Peak", fmt::format("{}, chip", line.name), core * c_.chip.cores, "TFLOPS", "core x cores");
    }
  }

  void capacities() {
    const double sbuf = static_cast<double>(c_.sbuf_bytes_per_partition()) * c_.sbuf.partitions / static_cast<double>(kMiB);
    const double psum = static_cast<double>(c_.psum_bytes_per_partition()) * c_.sbuf.partitions / static_cast<double>(kMiB);
    add("Memory", "SBUF, core", sbuf, "MiB", "partitions x KiB per partition");
    add("Memory", "SBUF, chip", sbuf * c_.chip.cores, "MiB", "core x cores");
    add("Memory", "PSUM, core", psum, "MiB", "partitions x banks x bytes per bank");
    add("Memory", "PSUM, chip", psum * c_.chip.cores, "MiB", "core x cores");
    add("Memory", "HBM, chip", static_cast<double>(c_.hbm_bytes()) / static_cast<double>(kGiB), "GiB", "stacks x GiB per stack");
    add("Memory", "HBM, share of a core", static_cast<double>(c_.hbm_bytes()) / static_cast<double>(kGiB) / c_.chip.cores, "GiB",
        "chip / cores");
  }

  void bandwidths() {
    const double stack = c_.hbm.stack_gb_per_s;
    add("Traffic", "HBM, stack", stack, "GB/s", "as given");
    add("Traffic", "HBM, share of a core", stack * c_.hbm.stacks / c_.chip.cores, "GB/s", "chip / cores");
    add("Traffic", "HBM, chip", stack * c_.hbm.stacks, "GB/s", "stacks x stack");
    add("Traffic", "DMA sustained, core", dma(), "GB/s", "engines x sustained rate");
    add("Traffic", "DMA sustained, chip", dma() * c_.chip.cores, "GB/s", "core x cores");
    add("Traffic", "DMA wire, core", c_.dma.engines * c_.dma.wire_gb_per_s, "GB/s", "engines x wire rate");
    add("Traffic", "DMA wire, chip", c_.dma.engines * c_.dma.wire_gb_per_s * c_.chip.cores, "GB/s", "core x cores");
  }

  /// What one side of an engine moves, one direction.
  void engine_ports() {
    const double lanes = c_.sbuf.partitions;
    add("Port", "Tensor, moving operand from SBUF, 16-bit", 2 * c_.tensor.rows * c_.tensor.clock_ghz, "GB/s", "rows x 2 B x clock");
    add("Port", "Tensor, results to PSUM, fp32", 4 * c_.tensor.columns * c_.tensor.clock_ghz, "GB/s", "columns x 4 B x clock");
    add("Port", "Vector, SBUF or PSUM, fp32", 4 * lanes * c_.vector.clock_ghz, "GB/s", "partitions x 4 B x clock");
    add("Port", "Vector, SBUF, 16-bit copies", 2 * lanes * c_.vector.clock_ghz * c_.vector.fast_mode_16bit, "GB/s",
        "partitions x 2 B x clock x fast mode");
    add("Port", "Scalar, SBUF or PSUM, fp32", 4 * lanes * c_.scalar.clock_ghz, "GB/s", "partitions x 4 B x clock");
    add("Port", "GpSimd, SBUF, fp32", 4 * lanes * c_.gpsimd.clock_ghz / c_.gpsimd.elementwise, "GB/s",
        "partitions x 4 B x clock / cycles per element");
  }

  void ridges() {
    const double alone = std::min(dma(), c_.hbm.stack_gb_per_s);
    const double shared = std::min(dma() * c_.chip.cores, c_.hbm.stack_gb_per_s * c_.hbm.stacks);
    for (const PeakLine& line : kPeaks) {
      const double core = peak_flops(c_.tensor, line.dtype, line.double_row);
      if (!offered(line)) continue;
      add("Ridge", fmt::format("{}, one core over one stack", line.name), core / (c_.hbm.stack_gb_per_s * static_cast<double>(kGB)),
          "flop/B", "peak of a core / HBM of a stack");
      add("Ridge", fmt::format("{}, one core alone", line.name), core / (alone * static_cast<double>(kGB)), "flop/B",
          "peak of a core / smaller of its DMA and a stack");
      add("Ridge", fmt::format("{}, all cores", line.name), core * c_.chip.cores / (shared * static_cast<double>(kGB)), "flop/B",
          "peak of the chip / smaller of DMA and HBM");
    }
  }

  void dma_sizes() {
    const DmaModeConfig& mode = c_.dma.hardware_mode.available ? c_.dma.hardware_mode
                                : c_.dma.static_mode.available ? c_.dma.static_mode
                                                               : c_.dma.software_mode;
    add("DMA", "descriptor as long as its fixed cost", c_.dma.descriptor_ns * c_.dma.engine_gb_per_s, "bytes",
        "descriptor ns x sustained rate");
    add("DMA", "descriptor at 95 % of the rate", 19 * c_.dma.descriptor_ns * c_.dma.engine_gb_per_s, "bytes", "19 x the above");
    add("DMA", "largest descriptor", c_.dma.max_descriptor_bytes, "bytes", "as given");
    add("DMA", "copy as long as the issue interval of a ring", mode.issue_interval_ns * dma(), "bytes",
        "issue interval x sustained rate of a core");
  }

  [[nodiscard]] double dma() const { return c_.dma.engines * c_.dma.engine_gb_per_s; }

  const ChipConfig& c_;
  std::vector<DerivedFigure> figures_;
};

}  // namespace

std::vector<DerivedFigure> derived_figures(const ChipConfig& config) { return Figures(config).all(); }

std::string show_derived(const ChipConfig& config) {
  std::string text = fmt::format("{}: figures that follow from the description\n", config.name);
  const std::vector<DerivedFigure> figures = derived_figures(config);
  std::string group;
  TextTable table("  ");
  for (const DerivedFigure& figure : figures) {
    if (figure.group != group) table.row({"", "", "", ""});
    group = figure.group;
    table.row({figure.group + ": " + figure.name, fmt::format("{:.2f}", figure.value), figure.unit, figure.formula});
  }
  return text + table.text();
}

}  // namespace trnsim
