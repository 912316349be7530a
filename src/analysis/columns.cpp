// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/columns.hpp"

#include <fmt/format.h>

#include "analysis/totals.hpp"

namespace trnsim {
namespace {

using R = const Result&;
using T = const Totals&;

std::string text(std::uint64_t n) { return std::to_string(n); }
std::string text(double value) { return fmt::format("{}", value); }  // shortest that reads back the same
std::string text(const std::optional<double>& value) { return value ? text(*value) : std::string(); }

std::string pairs(const auto& entries) {
  std::string joined;
  for (const auto& [name, value] : entries) joined += (joined.empty() ? "" : ";") + name + "=" + value;
  return joined;
}

double component(R r, std::string_view name) {
  for (const auto& [key, pj] : r.energy.components_pj) {
    if (key == name) return pj;
  }
  return 0;
}

double bound(R r, std::string_view name) {
  for (const auto& [key, ns] : r.bottleneck.bounds_ns) {
    if (key == name) return ns;
  }
  return 0;
}

template <EngineKind kKind>
void add_engine(std::vector<Column>& list) {
  const std::string e(name_of(kKind));
  const auto all_stalls = [](R, T t) { return text(sum_of(engine_of(t.engines, kKind).stall_cycles)); };
  list.push_back({e + "_busy_cycles", "cycles", "Busy, summed over the cores used, in the engine's own clock",
                  [](R, T t) { return text(engine_of(t.engines, kKind).busy_cycles); }});
  list.push_back({e + "_stall_cycles", "cycles", "Stalled for any cause, summed over the cores used", all_stalls});
  list.push_back({e + "_idle_cycles", "cycles", "Without an instruction left, summed over the cores used",
                  [](R, T t) { return text(engine_of(t.engines, kKind).idle_cycles); }});
}

template <StallReason kReason>
void add_stall(std::vector<Column>& list) {
  const std::string name(name_of(kReason));
  list.push_back({"tensor_stall_" + name + "_cycles", "cycles", "Part of tensor_stall_cycles: " + name,
                  [](R, T t) { return text(engine_of(t.engines, EngineKind::Tensor).stall_cycles[static_cast<std::size_t>(kReason)]); }});
}

void add_identity(std::vector<Column>& list) {
  list.push_back({"preset", "", "Name of the chip description", [](R r, T) { return r.chip.name; }});
  list.push_back({"generation", "", "NeuronCore generation", [](R r, T) { return r.chip.generation; }});
  list.push_back({"config_hash", "", "Hash of the resolved description", [](R r, T) { return r.config_hash; }});
  list.push_back({"overrides", "", "Overrides as path=value, separated by semicolons", [](R r, T) { return pairs(r.chip.overrides); }});
  list.push_back({"cores", "", "Cores used", [](R r, T) { return text(std::uint64_t{r.snapshot.cores.size()}); }});
  list.push_back({"workload", "", "Kernel, or name in the trace header", [](R r, T) { return r.context.workload_name; }});
  list.push_back({"params", "", "Resolved parameters as name=value, separated by semicolons",
                  [](R r, T) { return r.context.programs.empty() ? std::string() : pairs(r.context.programs.front().params); }});
  list.push_back({"workload_hash", "", "Hash of the program", [](R r, T) { return r.context.workload_hash; }});
  list.push_back({"run_status", "", "`complete` or `truncated`",
                  [](R r, T) { return std::string(r.snapshot.truncated.empty() ? "complete" : "truncated"); }});
  list.push_back({"truncated", "", "Why the run stopped early, empty for a complete run", [](R r, T) { return r.snapshot.truncated; }});
}

void add_times(std::vector<Column>& list) {
  list.push_back({"time_ns", "ns", "Device time", [](R r, T) { return text(r.time_ns); }});
  list.push_back({"launch_ns", "ns", "Launch overhead, not part of time_ns", [](R r, T) { return text(r.launch_ns); }});
  list.push_back({"kernels", "", "Kernels one after another: layers of a list", [](R r, T) { return text(r.kernels); }});
  list.push_back(
      {"host_gap_ns", "ns", "Gaps of the host between kernels, together, not part of time_ns", [](R r, T) { return text(r.host_gap_ns); }});
  list.push_back({"total_ns", "ns", "launch_ns + time_ns + host_gap_ns", [](R r, T) { return text(r.total_ns); }});
  list.push_back({"cycles", "cycles", "Device time in Tensor-engine cycles, rounded up", [](R r, T) { return text(r.cycles); }});
  list.push_back({"instructions", "", "Trace records executed", [](R r, T) { return text(r.instructions); }});
  list.push_back({"macs", "MAC", "Useful multiply-accumulates", [](R r, T) { return text(r.macs); }});
  list.push_back({"flops", "FLOP", "Useful floating-point operations", [](R r, T) { return text(r.flops); }});
  list.push_back({"tflops", "TFLOP/s", "Achieved rate of useful operations", [](R r, T) { return text(r.tflops); }});
  list.push_back({"mfu", "", "Useful MACs against the peak of the cores used; empty without MACs", [](R r, T) { return text(r.mfu); }});
  list.push_back(
      {"array_utilization", "", "Executed MACs against the array of the cores used", [](R r, T) { return text(r.array_utilization); }});
  list.push_back({"array_busy", "", "Share of cycles with data in the array", [](R r, T) { return text(r.array_busy); }});
}

void add_memory(std::vector<Column>& list) {
  list.push_back(
      {"dma_bytes", "B", "Bytes moved by the DMA engines of the cores used", [](R, T t) { return text(t.dma.completed_bytes); }});
  list.push_back({"dma_descriptors", "", "Descriptors", [](R, T t) { return text(t.dma.descriptors); }});
  list.push_back({"dma_transfers", "", "Copies", [](R, T t) { return text(t.dma.transfers); }});
  list.push_back({"dma_gb_per_s", "GB/s", "dma_bytes / device time, cores used together", [](R r, T) { return text(r.dma_gb_per_s); }});
  list.push_back({"dma_utilization", "", "Against the sustained rate of the cores used", [](R r, T) { return text(r.dma_utilization); }});
  list.push_back({"hbm_read_bytes", "B", "Bytes read from HBM, all stacks", [](R, T t) { return text(t.hbm.read_bytes); }});
  list.push_back({"hbm_write_bytes", "B", "Bytes written to HBM, all stacks", [](R, T t) { return text(t.hbm.write_bytes); }});
  list.push_back({"border_input_bytes", "B", "Size of the inputs in HBM, each once", [](R r, T) { return text(r.border.input_bytes); }});
  list.push_back({"border_output_bytes", "B", "Size of the outputs in HBM, each once", [](R r, T) { return text(r.border.output_bytes); }});
  list.push_back({"border_read_bytes", "B", "Bytes read from inputs", [](R r, T) { return text(r.border.read_bytes); }});
  list.push_back({"border_write_bytes", "B", "Bytes written to outputs", [](R r, T) { return text(r.border.write_bytes); }});
  list.push_back(
      {"border_reread_bytes", "B", "Bytes read from inputs beyond their size", [](R r, T) { return text(r.border.reread_bytes); }});
  list.push_back({"border_inner_bytes", "B", "Bytes from and to other tensors in HBM: spilled tiles, intermediate results",
                  [](R r, T) { return text(r.border.inner_bytes); }});
  list.push_back({"hbm_gb_per_s", "GB/s", "HBM bytes / device time, stacks in use together", [](R r, T) { return text(r.hbm_gb_per_s); }});
  list.push_back({"hbm_utilization", "", "Against the peak of the stacks in use", [](R r, T) { return text(r.hbm_utilization); }});
  list.push_back({"hbm_row_hit_rate", "", "Bursts to an open row / all bursts", [](R r, T) { return text(r.row_hit_rate); }});
  list.push_back({"sbuf_peak_bytes", "B", "Largest occupancy, summed over the cores used", [](R, T t) { return text(t.sbuf.peak_bytes); }});
  list.push_back({"psum_peak_bytes", "B", "Largest occupancy, summed over the cores used", [](R, T t) { return text(t.psum.peak_bytes); }});
}

void add_energy(std::vector<Column>& list) {
  list.push_back({"energy_total_pj", "pJ", "Energy of the chip during the run", [](R r, T) { return text(r.energy.total_pj); }});
  list.push_back({"energy_tensor_array_pj", "pJ", "Part of the total", [](R r, T) { return text(component(r, "tensor_array")); }});
  list.push_back({"energy_vector_pj", "pJ", "Part of the total", [](R r, T) { return text(component(r, "vector")); }});
  list.push_back({"energy_scalar_pj", "pJ", "Part of the total", [](R r, T) { return text(component(r, "scalar")); }});
  list.push_back({"energy_gpsimd_pj", "pJ", "Part of the total", [](R r, T) { return text(component(r, "gpsimd")); }});
  list.push_back({"energy_sbuf_pj", "pJ", "Part of the total", [](R r, T) { return text(component(r, "sbuf")); }});
  list.push_back({"energy_psum_pj", "pJ", "Part of the total", [](R r, T) { return text(component(r, "psum")); }});
  list.push_back({"energy_dma_pj", "pJ", "Part of the total", [](R r, T) { return text(component(r, "dma")); }});
  list.push_back({"energy_hbm_pj", "pJ", "Part of the total", [](R r, T) { return text(component(r, "hbm")); }});
  list.push_back({"energy_link_pj", "pJ", "Part of the total", [](R r, T) { return text(component(r, "link")); }});
  list.push_back({"energy_static_pj", "pJ", "Part of the total", [](R r, T) { return text(component(r, "static")); }});
  list.push_back({"energy_cores_used_pj", "pJ", "Dynamic energy plus the static share of the cores used",
                  [](R r, T) { return text(r.energy.cores_used_pj); }});
  list.push_back({"average_w", "W", "Average power of the chip", [](R r, T) { return text(r.average_w); }});
  list.push_back({"power_limit_w", "W", "Default power of the chip", [](R r, T) { return text(r.chip.energy.power_limit_w); }});
}

void add_verdict(std::vector<Column>& list) {
  list.push_back({"bottleneck", "", "Resource that limits", [](R r, T) { return r.bottleneck.resource; }});
  list.push_back(
      {"bound_tensor_array_ns", "ns", "Least time the array alone needs", [](R r, T) { return text(bound(r, "tensor array")); }});
  list.push_back(
      {"bound_dma_engines_ns", "ns", "Least time the DMA engines alone need", [](R r, T) { return text(bound(r, "DMA engines")); }});
  list.push_back({"bound_hbm_ns", "ns", "Least time HBM alone needs", [](R r, T) { return text(bound(r, "HBM bandwidth")); }});
}

std::vector<Column> make_columns() {
  std::vector<Column> list;
  add_identity(list);
  add_times(list);
  add_engine<EngineKind::Tensor>(list);
  add_stall<StallReason::WaitDma>(list);
  add_stall<StallReason::WaitEngine>(list);
  add_stall<StallReason::WaitBuffer>(list);
  add_stall<StallReason::QueueFull>(list);
  add_stall<StallReason::PortConflict>(list);
  add_stall<StallReason::PsumBank>(list);
  add_stall<StallReason::Throttle>(list);
  add_stall<StallReason::TableLoad>(list);
  add_stall<StallReason::Issue>(list);
  add_engine<EngineKind::Vector>(list);
  add_engine<EngineKind::Scalar>(list);
  add_engine<EngineKind::GpSimd>(list);
  add_engine<EngineKind::Sync>(list);
  add_memory(list);
  add_energy(list);
  add_verdict(list);
  return list;
}

}  // namespace

const std::vector<Column>& columns() {
  static const std::vector<Column> kList = make_columns();
  return kList;
}

std::string csv_field(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_header() {
  std::string line;
  for (const Column& column : columns()) line += (line.empty() ? "" : ",") + column.name;
  return line;
}

std::vector<ResultColumn> result_columns() { return {columns().begin(), columns().end()}; }

std::vector<std::string> csv_values(const Result& result) {
  const Totals totals = totals_of(result.snapshot);
  std::vector<std::string> values;
  for (const Column& column : columns()) values.push_back(column.text(result, totals));
  return values;
}

std::string csv_row(const Result& result) {
  std::string line;
  for (const std::string& value : csv_values(result)) line += csv_field(value) + ",";
  line.pop_back();
  return line;
}

}  // namespace trnsim
