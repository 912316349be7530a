// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "workload/kernels/kernel.hpp"
#include "workload/kernels/matmul_blocks.hpp"
#include "workload/kernels/matmul_tiled.hpp"

namespace trnsim::kernel {
namespace {

ProgramInfo program_info(const MatmulProblem& p, const ParamReader& params, unsigned core, unsigned cores) {
  ProgramInfo info;
  info.name = "matmul";
  info.params = params.resolved();
  info.tensors = matmul_tensors(p, core, cores);
  info.macs = p.macs();
  info.flops = 2 * info.macs;
  info.dtype = p.dtype;
  info.double_row = p.double_row;
  return info;
}

Workload make_matmul(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  Workload workload;
  const std::vector<MatmulProblem> problems = matmul_problems(params, chip, cores);
  for (unsigned core = 0; core < cores; ++core) {
    const MatmulProblem& p = problems[core];
    ProgramInfo info = program_info(p, params, core, cores);
    std::unique_ptr<RecordSource> source;
    if (p.schedule == "optimized") {
      const BlockPlan plan = choose_blocks(p, chip);
      info.instructions = optimized_instructions(p, plan);
      source = optimized_source(p, plan);
    } else {
      const TiledPlan plan = plan_tiled(p, chip);
      info.instructions = tiled_instructions(p, plan);
      source = tiled_source(p, plan);
    }
    workload.programs.push_back(std::make_unique<GeneratedProgram>(std::move(info), std::move(source)));
  }
  return workload;
}

std::string describe_tiled(const MatmulProblem& p, const ChipConfig& chip) {
  const TiledPlan plan = plan_tiled(p, chip);
  std::string text = fmt::format("loops:   m ({} x {} rows) -> n ({} x {} columns) -> k ({} tiles)\n", plan.m_blocks(p),
                                 plan.block_m * p.stationary_columns(), plan.n_blocks(p), plan.block_n * p.moving_columns(), p.k_tiles());
  text += plan.hoisted ? "loads:   lhsT once per m (whole K), rhs once per (m, n)\n" : "loads:   both tiles in the innermost loop\n";
  text += fmt::format("ahead:   {} steps over k\n", plan.lookahead);
  text += "step:    sync: dma_copy lhsT, rhs; tensor: nc_matmul\n";
  text += "per (m, n): vector: tensor_copy psum -> stage; sync: dma_copy stage -> out, behind the next loads\n";
  return text + describe_buffers(plan.buffers, chip);
}

std::string describe_optimized(const MatmulProblem& p, const ChipConfig& chip) {
  const BlockPlan b = choose_blocks(p, chip);
  const bool accumulates = b.k_blocks(p) > 1;
  std::string text = "loops:   ";
  if (b.supers(p) > 1) text += fmt::format("M super-block ({} x {} rows) -> ", b.supers(p), b.super_m);
  text += fmt::format("n block ({} x {} columns) -> k block ({} x {} tiles) -> m block ({} x {} rows)\n", b.n_blocks(p), b.block_n,
                      b.k_blocks(p), b.block_k, b.m_blocks(p), std::min(b.block_m, p.m));
  text += fmt::format("loads:   lhsT {} time{}, rhs {} time{}; rows [{}, {}] and [{}, {}] per k tile, {} block{} ahead\n", b.lhs_passes(p),
                      b.lhs_passes(p) > 1 ? "s" : "", b.supers(p), b.supers(p) > 1 ? "s" : "", p.input_partitions(),
                      std::min(b.block_m, p.m), p.input_partitions(), b.block_n, b.lookahead, b.lookahead == 1 ? "" : "s");
  text += fmt::format("HBM:     {} bytes\n", b.hbm_bytes);
  text += "block:   sync: dma_copy lhsT, rhs; tensor: nc_matmul, k inside, half the PSUM banks at a time\n";
  text += accumulates ? "per k block: vector: first tensor_copy psum -> acc, then tensor_tensor acc = psum + acc, last into stage\n"
                      : "per (m, n): vector: tensor_copy psum -> stage\n";
  text += "         sync: dma_copy stage -> out, behind the next loads\n";
  return text + describe_buffers(b.buffers, chip);
}

std::string describe_matmul(ParamReader& params, const ChipConfig& chip) {
  const MatmulProblem p = matmul_problems(params, chip, 1).front();
  std::string text = fmt::format("matmul {}lhsT[{}, {}] x rhs[{}, {}] -> out[{}, {}], {} -> {}, schedule {}, on {}\n",
                                 p.batch > 1 ? fmt::format("{} x ", p.batch) : "", p.k, p.m, p.k, p.n, p.m, p.n, name_of(p.dtype),
                                 name_of(p.out_dtype), p.schedule, chip.name);
  const KTile k = p.k_tile(0);
  text += fmt::format("tiles:   stationary [K={}, M={}], moving [K={}, N={}]{}, FP32 accumulation in PSUM\n",
                      k.rows * k.halves * values_per_element(p.dtype), p.stationary_columns(),
                      k.rows * k.halves * values_per_element(p.dtype), p.moving_columns(), p.double_row ? ", double row" : "");
  if (p.mx())
    text += fmt::format("stored:  lhsT [{}, {}] and rhs [{}, {}] packed elements, one scale per 8 rows\n", p.k_rows(), p.m_columns(),
                        p.k_rows(), p.n);
  return text + (p.schedule == "optimized" ? describe_optimized(p, chip) : describe_tiled(p, chip));
}

}  // namespace

KernelDefinition matmul_definition() {
  return {{"matmul",
           "lhsT[K,M] x rhs[K,N] -> out[M,N], accumulated in FP32",
           {{"m", "", "1 to 16777216"},
            {"n", "", "1 to 16777216"},
            {"k", "", "1 to 16777216"},
            {"batch", "1", "independent products, 1 to 65536"},
            {"dtype", "bf16", "bf16 fp16 fp32 tf32 fp8_e4m3 fp8_e5m2 mxfp8 mxfp4"},
            {"out_dtype", "auto", "bf16 fp16 fp32 tf32 fp8_e4m3 fp8_e5m2; auto is dtype, bf16 for 8-bit and MX inputs"},
            {"schedule", "optimized", "optimized naive hoisted blocked"},
            {"buffers", "auto",
             "sets of input tiles that take turns, 1 to 9; auto is 2 blocks of optimized, else up to 9 tiles, as many as fit"},
            dma_queues_param()}},
          make_matmul,
          describe_matmul};
}

}  // namespace trnsim::kernel
