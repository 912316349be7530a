// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/kernels/row_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trnsim::kernel {
namespace {

constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 32, kMaxColumns = std::uint64_t{1} << 24;
constexpr std::uint64_t kElementWiseChunkBytes = 8192;  ///< Per partition: saturates the DMA engines.
constexpr std::uint32_t kMaxRowTile = 128;
constexpr std::uint64_t kDepths[]{2, 1, 0};

std::vector<BufferSpec> row_buffers(const RowKernel& kernel, const RowPlan& plan) {
  const auto partitions = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.row_tile, plan.rows));
  const std::string shape = fmt::format("[{}, {}]", partitions, plan.chunk);
  const std::uint32_t bytes = tile_bytes(plan.chunk * element_bytes(plan.dtype));
  const std::uint64_t count = plan.lookahead + 1;
  std::vector<BufferSpec> buffers{{"x", Buffer::Sbuf, plan.dtype, shape, partitions, bytes, count}};
  if (kernel.second_input) buffers.push_back({"y", Buffer::Sbuf, plan.dtype, shape, partitions, bytes, count});
  if (kernel.gamma) buffers.push_back({"gamma", Buffer::Sbuf, plan.dtype, shape, partitions, bytes, plan.passes == 1 ? 1 : count});
  buffers.push_back({"out", Buffer::Sbuf, plan.dtype, shape, partitions, bytes, plan.lookahead == 0 ? 1 : plan.lookahead + 2});
  if (plan.passes > 1) buffers.push_back({"junk", Buffer::Sbuf, plan.dtype, shape, partitions, bytes, 2});
  if (kernel.statistics > 0) {
    const std::uint64_t values = kernel.statistics + (plan.passes > 1 ? plan.chunks() : 0);
    buffers.push_back({"stat", Buffer::Sbuf, DType::Fp32, fmt::format("[{}, {}]", partitions, values), partitions,
                       tile_bytes(values * element_bytes(DType::Fp32)), count + 1});
  }
  const std::uint64_t tiles = plan.tiles(plan.rows);
  for (BufferSpec& b : buffers) b.count = std::min(b.count, tiles * (b.name == "stat" ? 1 : plan.chunks() * plan.passes));
  return buffers;
}

bool fits(const RowKernel& kernel, RowPlan& plan, const ChipConfig& chip) {
  plan.buffers = row_buffers(kernel, plan);
  return footprint(plan.buffers, Buffer::Sbuf) <= chip.sbuf_bytes_per_partition();
}

void choose_chunk(const RowKernel& kernel, RowPlan& plan, const ChipConfig& chip) {
  const std::uint64_t bytes = element_bytes(plan.dtype);
  // A row that no statistic ties together is cut where the DMA engines are saturated.
  plan.chunk = kernel.statistics > 0 ? plan.columns : std::min(plan.columns, kElementWiseChunkBytes / bytes);
  for (plan.lookahead = 2; plan.lookahead > 0; --plan.lookahead) {
    if (fits(kernel, plan, chip)) return;
  }
  if (kernel.statistics > 0) plan.passes = kernel.row_passes;
  for (const std::uint64_t depth : kDepths) {
    plan.lookahead = depth;
    for (std::uint64_t width = 4 * kElementWiseChunkBytes / bytes; width >= 128; width /= 2) {
      plan.chunk = std::min(plan.columns, width);
      if (fits(kernel, plan, chip)) return;
    }
  }
  check_capacity(kernel.name, plan.buffers, chip);
}

TensorInfo tensor(const std::string& name, TensorUse use, DType dtype, std::vector<std::uint64_t> shape) {
  TensorInfo t;
  t.name = name;
  t.use = use;
  t.dtype = dtype;
  t.shape = std::move(shape);
  return t;
}

}  // namespace

RowPlan plan_rows(const RowKernel& kernel, ParamReader& params, const ChipConfig& chip, unsigned cores) {
  RowPlan plan;
  plan.row_tile = std::min(kMaxRowTile, chip.sbuf.partitions);
  plan.rows = params.integer("rows", 1, kMaxRows);
  plan.columns = params.integer("cols", 1, kMaxColumns);
  plan.dtype = params.dtype("dtype", {DType::Fp32, DType::Bf16, DType::Fp16});
  plan.queues = dma_queues(params, chip);
  plan.slices = split(params, plan.rows, plan.row_tile, cores, "rows");
  params.check();
  choose_chunk(kernel, plan, chip);
  std::vector<TensorInfo> tensors = row_tensors(kernel, plan, cores);
  check_hbm(kernel.name, tensors, chip);
  return plan;
}

std::vector<TensorInfo> row_tensors(const RowKernel& kernel, const RowPlan& plan, unsigned core) {
  const bool whole = core >= plan.slices.size();
  const std::uint64_t rows = whole ? plan.rows : plan.slices[core];
  const std::string slice = whole || plan.slices.size() == 1 ? "" : fmt::format(".{}", core);
  std::vector<TensorInfo> tensors{tensor("x" + slice, TensorUse::Input, plan.dtype, {rows, plan.columns})};
  if (kernel.second_input) tensors.push_back(tensor("y" + slice, TensorUse::Input, plan.dtype, {rows, plan.columns}));
  if (kernel.gamma) tensors.push_back(tensor("gamma", TensorUse::Input, plan.dtype, {plan.columns}));
  tensors.push_back(tensor("out" + slice, TensorUse::Output, plan.dtype, {rows, plan.columns}));
  return tensors;
}

std::string describe_rows(const RowKernel& kernel, const RowPlan& plan, const ChipConfig& chip, const std::string& steps) {
  std::string text = fmt::format("{} of [{}, {}], {}, on {}\n", kernel.name, plan.rows, plan.columns, name_of(plan.dtype), chip.name);
  text += fmt::format("loops:   rows ({} x {})", plan.tiles(plan.rows), std::min<std::uint64_t>(plan.row_tile, plan.rows));
  if (plan.passes > 1) text += fmt::format(" -> {} passes", plan.passes);
  text += fmt::format(" -> columns ({} x {}), loads {} steps ahead\n", plan.chunks(), plan.chunk, plan.lookahead);
  return text + steps + describe_buffers(plan.buffers, chip);
}

}  // namespace trnsim::kernel
