// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/kernels/layernorm_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workload/kernels/two_input_rates.hpp"

namespace trnsim::kernel {
namespace {

constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 32, kMaxColumns = std::uint64_t{1} << 24;
constexpr std::uint64_t kPieceBytes = 8192;  ///< Per partition: saturates the DMA engines.
constexpr std::uint32_t kMaxRowTile = 128;
constexpr std::uint64_t kStatTiles = 3;

std::vector<BufferSpec> buffers_of(const LayerNormPlan& plan) {
  const auto partitions = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.row_tile, plan.rows));
  const std::uint64_t tiles = plan.tiles(plan.rows), steps = tiles * plan.chunks() * plan.passes();
  const auto wide = [&](const std::string& name, std::uint64_t count) {
    return BufferSpec{name,       Buffer::Sbuf,
                      plan.dtype, fmt::format("[{}, {}]", partitions, plan.chunk),
                      partitions, tile_bytes(plan.chunk * element_bytes(plan.dtype)),
                      count};
  };
  const std::uint64_t vectors = plan.resident ? 1 : std::min(tiles * plan.chunks(), std::max<std::uint64_t>(2, plan.depth - 1));
  const std::uint64_t values = 4 + 6 * LayerNormPlan::groups(plan.chunk) + (plan.resident ? 0 : 3 * plan.chunks());
  return {wide("x", std::min(plan.depth, steps)), wide("gamma", vectors), wide("beta", vectors),
          BufferSpec{"stat", Buffer::Sbuf, DType::Fp32, fmt::format("[{}, {}]", partitions, values), partitions,
                     tile_bytes(values * element_bytes(DType::Fp32)), std::min(kStatTiles, tiles)}};
}

bool fits(LayerNormPlan& plan, const ChipConfig& chip) {
  plan.buffers = buffers_of(plan);
  return footprint(plan.buffers, Buffer::Sbuf) <= chip.sbuf_bytes_per_partition();
}

void choose_chunk(LayerNormPlan& plan, const ChipConfig& chip) {
  const std::uint64_t bytes = element_bytes(plan.dtype);
  plan.chunk = plan.columns;
  plan.piece = std::min(plan.columns, kPieceBytes / bytes);
  for (plan.depth = 5; plan.depth >= 2; --plan.depth) {
    if (fits(plan, chip)) return;
  }
  plan.resident = false;
  for (plan.depth = 4; plan.depth >= 2; --plan.depth) {
    for (std::uint64_t width = 2 * kPieceBytes / bytes; width >= 256; width /= 2) {
      plan.chunk = std::min(plan.columns, width);
      plan.piece = std::min(plan.piece, plan.chunk);
      if (fits(plan, chip)) return;
    }
  }
  check_capacity("layernorm", plan.buffers, chip);
}

/// On which engine the last step of the Vector engine's three takes less time.
bool gpsimd_adds(const LayerNormPlan& plan, const ChipConfig& chip) {
  const TwoInputRates rates = two_input_rates(chip, plan.dtype);
  const double statistics_ns = 1 / chip.vector.clock_ghz;
  return rates.together(2, 1, statistics_ns) < rates.together(2, 0, statistics_ns);
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

LayerNormPlan plan_layernorm(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  LayerNormPlan plan;
  plan.row_tile = std::min(kMaxRowTile, chip.sbuf.partitions);
  plan.rows = params.integer("rows", 1, kMaxRows);
  plan.columns = params.integer("cols", 1, kMaxColumns);
  plan.dtype = params.dtype("dtype", {DType::Fp32, DType::Bf16, DType::Fp16});
  plan.queues = dma_queues(params, chip);
  plan.slices = split(params, plan.rows, plan.row_tile, cores, "rows");
  params.check();
  choose_chunk(plan, chip);
  plan.beta_on_gpsimd = gpsimd_adds(plan, chip);
  check_hbm("layernorm", layernorm_tensors(plan, cores), chip);
  return plan;
}

std::vector<TensorInfo> layernorm_tensors(const LayerNormPlan& plan, unsigned core) {
  const bool whole = core >= plan.slices.size();
  const std::uint64_t rows = whole ? plan.rows : plan.slices[core];
  const std::string slice = whole || plan.slices.size() == 1 ? "" : fmt::format(".{}", core);
  return {tensor("x" + slice, TensorUse::Input, plan.dtype, {rows, plan.columns}),
          tensor("gamma", TensorUse::Input, plan.dtype, {plan.columns}), tensor("beta", TensorUse::Input, plan.dtype, {plan.columns}),
          tensor("out" + slice, TensorUse::Output, plan.dtype, {rows, plan.columns})};
}

std::uint64_t layernorm_instructions(const LayerNormPlan& plan, std::uint64_t rows) {
  std::uint64_t pieces = 0, groups = 0;
  for (std::uint64_t c = 0; c < plan.chunks(); ++c) {
    const std::uint64_t width = std::min(plan.chunk, plan.columns - c * plan.chunk);
    pieces += ceil_div(width, plan.piece);
    groups += LayerNormPlan::groups(width);
  }
  // Per piece: load, normalise, gamma, beta, store; per row tile: aggregate, deviation, shift.
  const std::uint64_t each = 5 * pieces + groups + 3;
  if (plan.resident) return plan.tiles(rows) * each + 2 * pieces;
  // Twice loaded; gamma and beta with every chunk; aggregate, count and sum of squares of every chunk.
  return plan.tiles(rows) * (each + 3 * pieces + 3 * plan.chunks());
}

}  // namespace trnsim::kernel
