// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/kernels/matmul_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trnsim/error.hpp"
#include "workload/kernels/buffers.hpp"
#include "workload/kernels/kernel.hpp"

namespace trnsim::kernel {
namespace {

constexpr std::uint64_t kMaxExtent = std::uint64_t{1} << 24;
constexpr std::uint64_t kMaxBatch = 65536;
constexpr double kCountable = 0x1p60;          ///< Elements of a tensor that still can be multiplied by their bytes.
constexpr std::uint64_t kDoubleRowFrom = 256;  ///< Contraction from which FP8 takes two rows at a time.

const std::vector<DType> kInputTypes{DType::Bf16,    DType::Fp16,    DType::Fp32,  DType::Tf32,
                                     DType::Fp8E4M3, DType::Fp8E5M2, DType::MxFp8, DType::MxFp4};
const std::vector<std::string_view> kBuffers{"auto", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
const std::vector<DType> kOutputTypes{DType::Bf16, DType::Fp16, DType::Fp32, DType::Tf32, DType::Fp8E4M3, DType::Fp8E5M2};

TensorInfo matrix(const std::string& name, TensorUse use, DType dtype, std::uint64_t batch, std::uint64_t rows, std::uint64_t columns) {
  TensorInfo t;
  t.name = name;
  t.dtype = dtype;
  t.use = use;
  t.shape = {rows, columns};
  if (batch > 1) t.shape.insert(t.shape.begin(), batch);
  return t;
}

void check_tensors(const MatmulProblem& whole, const ChipConfig& chip) {
  MatmulProblem all = whole;
  all.m = whole.m_total;
  const auto elements = [&](std::uint64_t rows, std::uint64_t columns) {
    return static_cast<double>(all.batch) * static_cast<double>(rows) * static_cast<double>(columns);
  };
  if (std::max({elements(all.k, all.m), elements(all.k, all.n), elements(all.m, all.n)}) > kCountable)
    throw WorkloadError(
        fmt::format("kernel matmul: a tensor has more than 2^60 elements; {} has {} bytes of HBM", chip.name, chip.hbm_bytes()));
  check_hbm("matmul", matmul_tensors(all, 0, 1), chip);
}

}  // namespace

std::uint64_t MatmulProblem::k_tiles() const {
  if (!double_row) return ceil_div(k_rows(), tile_k);
  return ceil_div(k / 2, tile_k) + k % 2;
}

KTile MatmulProblem::k_tile(std::uint64_t index) const {
  const std::uint64_t first = index * tile_k;
  if (!double_row) return {first, static_cast<std::uint32_t>(std::min<std::uint64_t>(tile_k, k_rows() - first)), 1};
  if (first >= k / 2) return {k - 1, 1, 1};  // the odd row has no partner
  return {2 * first, static_cast<std::uint32_t>(std::min<std::uint64_t>(tile_k, k / 2 - first)), 2};
}

std::vector<MatmulProblem> matmul_problems(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  MatmulProblem p;
  p.m_total = params.integer("m", 1, kMaxExtent);
  p.n = params.integer("n", 1, kMaxExtent);
  p.k = params.integer("k", 1, kMaxExtent);
  p.batch = params.integer("batch", 1, kMaxBatch);
  p.dtype = available_dtype(params, "dtype", kInputTypes, chip);
  params.set_default("out_dtype", bits_of(p.dtype) <= 8 ? name_of(DType::Bf16) : name_of(p.dtype));
  p.out_dtype = params.dtype("out_dtype", kOutputTypes);
  p.schedule = params.choice("schedule", {"optimized", "naive", "hoisted", "blocked"});
  p.queues = dma_queues(params, chip);
  const std::string buffers = params.choice("buffers", kBuffers);
  p.buffers = buffers == "auto" ? 0 : static_cast<std::uint64_t>(buffers.front() - '0');
  p.double_row = is_fp8(p.dtype) && p.k >= kDoubleRowFrom && chip.tensor.fp8_rate >= 2;
  p.tile_m = std::min({128U, chip.tensor.columns, chip.sbuf.partitions});
  p.tile_k = std::min({128U, chip.tensor.rows, chip.sbuf.partitions});
  p.tile_n = std::min({512U, chip.tensor.max_moving_columns, chip.psum.bank_bytes_per_partition / element_bytes(DType::Fp32)});
  p.banks = chip.psum.banks;
  const auto slices = split(params, p.m_total, p.tile_m, cores, "rows of M");
  params.check();
  check_tensors(p, chip);
  std::vector<MatmulProblem> problems(cores, p);
  for (unsigned core = 0; core < cores; ++core) problems[core].m = slices[core];
  return problems;
}

std::vector<TensorInfo> matmul_tensors(const MatmulProblem& p, unsigned core, unsigned cores) {
  const std::string slice = cores > 1 ? fmt::format(".{}", core) : "";
  std::vector<TensorInfo> tensors{matrix("lhsT" + slice, TensorUse::Input, p.dtype, p.batch, p.k_rows(), p.m_columns()),
                                  matrix("rhs", TensorUse::Input, p.dtype, p.batch, p.k_rows(), p.n),
                                  matrix("out" + slice, TensorUse::Output, p.out_dtype, p.batch, p.m, p.n)};
  if (p.mx()) {
    tensors.push_back(matrix("lhsT_scale" + slice, TensorUse::Input, DType::Uint8, p.batch, scale_rows(p.k_rows()), p.m_columns()));
    tensors.push_back(matrix("rhs_scale", TensorUse::Input, DType::Uint8, p.batch, scale_rows(p.k_rows()), p.n));
  }
  return tensors;
}

}  // namespace trnsim::kernel
