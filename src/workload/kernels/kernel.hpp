// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/workload.hpp"
#include "workload/params.hpp"

namespace trnsim::kernel {

/// What a built-in kernel consists of.
struct KernelDefinition {
  KernelInfo info;
  Workload (*make)(ParamReader& params, const ChipConfig& chip, unsigned cores);
  std::string (*describe)(ParamReader& params, const ChipConfig& chip);
};

KernelDefinition matmul_definition();
KernelDefinition attention_definition();
KernelDefinition mlp_definition();
KernelDefinition copy_definition();
KernelDefinition vector_add_definition();
KernelDefinition softmax_definition();
KernelDefinition rmsnorm_definition();
KernelDefinition layernorm_definition();
KernelDefinition rope_definition();
KernelDefinition adamw_definition();

/// The parameter `dma_queues` and its value, 1 to the rings that one DMA engine serves; `auto` reaches every engine.
KernelParam dma_queues_param(const std::string& fallback = "1");
unsigned dma_queues(ParamReader& params, const ChipConfig& chip);

/// A float type among `allowed` that this chip has; a problem naming the generations that have it otherwise.
DType available_dtype(ParamReader& params, const std::string& name, const std::vector<DType>& allowed, const ChipConfig& chip);

/// Parts of `total` in contiguous slices, multiples of `granule` where there are enough of them. A
/// problem is added when there are fewer units than parts; `unit` names them.
std::vector<std::uint64_t> split(ParamReader& params, std::uint64_t total, std::uint64_t granule, unsigned parts, const std::string& unit);

}  // namespace trnsim::kernel
