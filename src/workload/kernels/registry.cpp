// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "error/nearest.hpp"
#include "trnsim/error.hpp"
#include "trnsim/units.hpp"
#include "workload/kernels/kernel.hpp"

namespace trnsim {
namespace {

using kernel::KernelDefinition;

const std::vector<KernelDefinition>& definitions() {
  static const std::vector<KernelDefinition> all{
      kernel::matmul_definition(),     kernel::attention_definition(), kernel::mlp_definition(),     kernel::copy_definition(),
      kernel::vector_add_definition(), kernel::softmax_definition(),   kernel::rmsnorm_definition(), kernel::layernorm_definition(),
      kernel::rope_definition(),       kernel::adamw_definition()};
  return all;
}

const KernelDefinition& definition(std::string_view name) {
  std::vector<std::string_view> names;
  for (const KernelDefinition& d : definitions()) {
    if (d.info.name == name) return d;
    names.push_back(d.info.name);
  }
  throw WorkloadError(fmt::format("unknown kernel '{}'{}; known: {}", name, nearest_hint(name, names), fmt::join(names, " ")));
}

}  // namespace

std::vector<KernelInfo> kernels() {
  std::vector<KernelInfo> infos;
  for (const KernelDefinition& d : definitions()) infos.push_back(d.info);
  return infos;
}

const KernelInfo& kernel_info(std::string_view name) { return definition(name).info; }

std::string describe_kernel(const std::string& name, const KernelParams& params, const ChipConfig& chip) {
  const KernelDefinition& d = definition(name);
  ParamReader reader(d.info, params);
  return d.describe(reader, chip);
}

Workload make_kernel(const std::string& name, const KernelParams& params, const ChipConfig& chip, unsigned cores) {
  const KernelDefinition& d = definition(name);
  if (cores < 1 || cores > chip.chip.cores) {
    throw WorkloadError(fmt::format("cores={} is not allowed; {} has {}", cores, chip.name, chip.chip.cores));
  }
  ParamReader reader(d.info, params);
  Workload workload = d.make(reader, chip, cores);
  workload.name = name;
  workload.source = "kernel";
  return workload;
}

namespace kernel {

KernelParam dma_queues_param(const std::string& fallback) {
  return {"dma_queues", fallback,
          "rings of the Sync engine, a copy takes the one with the fewest bytes so far; auto: as many as reach every DMA engine"};
}

unsigned dma_queues(ParamReader& params, const ChipConfig& chip) {
  const std::uint32_t most = chip.dma.rings_per_engine;
  params.set_default("dma_queues", std::to_string(std::min(most, chip.dma.rings_for_all_engines())));
  return static_cast<unsigned>(params.integer("dma_queues", 1, most));
}

DType available_dtype(ParamReader& params, const std::string& name, const std::vector<DType>& allowed, const ChipConfig& chip) {
  const DType type = params.dtype(name, allowed);
  if (rate_multiplier(chip.tensor, type, false) > 0 || (is_fp8(type) && chip.tensor.fp8_rate > 0)) return type;
  // Only the MX types are missing anywhere: Trainium3 architecture guide for NKI.
  params.problem(fmt::format("parameter {}={} is not available on {} (generation {}); generations that have it: {}", name, name_of(type),
                             chip.name, chip.generation, is_mx(type) ? "v4 (Trn3)" : "none"));
  return type;
}

std::vector<std::uint64_t> split(ParamReader& params, std::uint64_t total, std::uint64_t granule, unsigned parts, const std::string& unit) {
  if (total < parts) {
    params.problem(fmt::format("{} cores, but only {} {} to share", parts, total, unit));
    return std::vector<std::uint64_t>(parts, 1);
  }
  const std::uint64_t units = ceil_div(total, granule);
  if (units < parts) granule = 1;
  const std::uint64_t pieces = ceil_div(total, granule);
  std::vector<std::uint64_t> slices;
  std::uint64_t begin = 0;
  for (unsigned i = 0; i < parts; ++i) {
    const std::uint64_t end = std::min(total, (pieces * (i + 1) / parts) * granule);
    slices.push_back(end - begin);
    begin = end;
  }
  return slices;
}

}  // namespace kernel
}  // namespace trnsim
