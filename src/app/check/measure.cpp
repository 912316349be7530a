// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/measure.hpp"

#include <algorithm>
#include <array>

namespace trnsim::app {
namespace {

constexpr double kKi = 1024;
constexpr std::array<std::string_view, 8> kBase{"ns", "GB/s", "TFLOPS", "ratio", "bytes", "count", "W", "J"};

const std::vector<Unit>& units() {
  static const std::vector<Unit> all{
      {"ns", Dimension::Time, 1},
      {"us", Dimension::Time, 1e3},
      {"ms", Dimension::Time, 1e6},
      {"s", Dimension::Time, 1e9},
      {"GB/s", Dimension::Rate, 1},
      {"MB/s", Dimension::Rate, 1e-3},
      {"TB/s", Dimension::Rate, 1e3},
      {"GiB/s", Dimension::Rate, kKi * kKi * kKi / 1e9},
      {"MiB/s", Dimension::Rate, kKi * kKi / 1e9},
      {"TFLOPS", Dimension::Compute, 1},
      {"GFLOPS", Dimension::Compute, 1e-3},
      {"PFLOPS", Dimension::Compute, 1e3},
      {"ratio", Dimension::Ratio, 1},
      {"percent", Dimension::Ratio, 0.01},
      {"bytes", Dimension::Bytes, 1},
      {"kB", Dimension::Bytes, 1e3},
      {"MB", Dimension::Bytes, 1e6},
      {"GB", Dimension::Bytes, 1e9},
      {"KiB", Dimension::Bytes, kKi},
      {"MiB", Dimension::Bytes, kKi * kKi},
      {"GiB", Dimension::Bytes, kKi * kKi * kKi},
      {"count", Dimension::Count, 1},
      {"W", Dimension::Power, 1},
      {"mW", Dimension::Power, 1e-3},
      {"J", Dimension::Energy, 1},
      {"mJ", Dimension::Energy, 1e-3},
      {"uJ", Dimension::Energy, 1e-6},
      {"pJ", Dimension::Energy, 1e-12},
  };
  return all;
}

}  // namespace

std::string_view base_unit(Dimension dimension) { return kBase[static_cast<std::size_t>(dimension)]; }

const Unit* find_unit(std::string_view name) {
  const auto found = std::find_if(units().begin(), units().end(), [name](const Unit& unit) { return unit.name == name; });
  return found == units().end() ? nullptr : &*found;
}

std::vector<std::string_view> unit_names(Dimension dimension) {
  std::vector<std::string_view> names;
  for (const Unit& unit : units()) {
    if (unit.dimension == dimension) names.push_back(unit.name);
  }
  return names;
}

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> all{
      {"device_time", Dimension::Time, {"device", "device_and_launch"}, "time on the device, without launch"},
      {"total_time", Dimension::Time, {"device_and_launch", "host", "device"}, "device time plus launch overhead"},
      {"tensor_busy", Dimension::Time, {"busy", "active"}, "Tensor engine at work, without any stall, mean of the cores"},
      {"vector_busy", Dimension::Time, {"busy", "active"}, "Vector engine at work, without any stall, mean of the cores"},
      {"scalar_busy", Dimension::Time, {"busy", "active"}, "Scalar engine at work, without any stall, mean of the cores"},
      {"gpsimd_busy", Dimension::Time, {"busy", "active"}, "GpSimd engine at work, without any stall, mean of the cores"},
      {"mfu", Dimension::Ratio, {"useful", "executed"}, "useful operations against the peak of the data type and the cores used"},
      {"compute_rate", Dimension::Compute, {"useful", "executed"}, "useful operations per time on the device"},
      {"flops", Dimension::Count, {"useful", "executed"}, "useful operations, a multiply-add is two"},
      {"dma_bytes", Dimension::Bytes, {"payload", "with_descriptors"}, "bytes moved by DMA, each copy once"},
      {"dma_rate", Dimension::Rate, {"mean", "peak"}, "DMA bytes per time on the device"},
      {"hbm_read_bytes", Dimension::Bytes, {"cores_used", "chip"}, "bytes read from HBM by the cores used"},
      {"hbm_write_bytes", Dimension::Bytes, {"cores_used", "chip"}, "bytes written to HBM by the cores used"},
      {"hbm_rate", Dimension::Rate, {"mean", "peak"}, "HBM bytes per time on the device"},
      {"power", Dimension::Power, {"chip", "board", "cores_used"}, "mean power of the chip, idle cores included"},
      {"energy", Dimension::Energy, {"chip", "board", "cores_used"}, "energy of the chip, idle cores included"},
  };
  return all;
}

const Metric* find_metric(std::string_view name) {
  const auto found = std::find_if(metrics().begin(), metrics().end(), [name](const Metric& metric) { return metric.name == name; });
  return found == metrics().end() ? nullptr : &*found;
}

}  // namespace trnsim::app
