// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "workload/kernels/attention_plan.hpp"
#include "workload/kernels/backward_plan.hpp"
#include "workload/kernels/kernel.hpp"

namespace trnsim::kernel {
namespace {

ProgramInfo program_info(const AttentionProblem& p, const ParamReader& params) {
  ProgramInfo info;
  info.name = "attention";
  info.params = params.resolved();
  // Scores and outputs; backward again the scores, and the gradients of both factors of the two products.
  info.macs = (p.backward ? 5 : 2) * p.unmasked_pairs() * p.head_dim;
  info.flops = 2 * info.macs;
  info.dtype = p.dtype;
  return info;
}

std::unique_ptr<Program> forward_program(ProgramInfo info, const AttentionProblem& p, const ChipConfig& chip, unsigned core,
                                         unsigned cores) {
  const AttentionPlan plan = plan_attention(p, chip);
  info.tensors = attention_tensors(p, core, cores);
  info.instructions = attention_instructions(p, plan);
  return std::make_unique<GeneratedProgram>(std::move(info), attention_source(p, plan));
}

std::unique_ptr<Program> backward_program(ProgramInfo info, const AttentionProblem& p, const ChipConfig& chip, unsigned core,
                                          unsigned cores) {
  const BackwardPlan plan = plan_backward(p, chip);
  info.tensors = attention_tensors(p, core, cores, plan.sums());
  check_hbm("attention", info.tensors, chip);
  info.instructions = backward_instructions(p, plan);
  return std::make_unique<GeneratedProgram>(std::move(info), backward_source(p, plan));
}

Workload make_attention(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  Workload workload;
  const std::vector<AttentionProblem> problems = attention_problems(params, chip, cores);
  for (unsigned core = 0; core < cores; ++core) {
    const AttentionProblem& p = problems[core];
    const auto program = p.backward ? backward_program : forward_program;
    workload.programs.push_back(program(program_info(p, params), p, chip, core, cores));
  }
  return workload;
}

std::string mask_steps(const AttentionProblem& p, const AttentionPlan& plan) {
  if (!p.causal) return "vector: tensor_reduce max";
  return plan.range_select ? "vector: tensor_reduce max, on the diagonal range_select with bounds from gpsimd: iota"
                           : "vector: tensor_reduce max, on the diagonal after vector: tensor_copy and gpsimd: affine_select";
}

std::string describe_problem(const AttentionProblem& p, const ChipConfig& chip) {
  return fmt::format("attention {}, {} KV heads x {} query heads each, q [{}, {}], k and v [{}, {}], {}{}, on {}\n",
                     p.backward ? "backward" : "forward", p.units, p.group, p.seq_q, p.head_dim, p.seq_k, p.head_dim, name_of(p.dtype),
                     p.causal ? ", causal" : "", chip.name);
}

std::string describe_backward(const AttentionProblem& p, const ChipConfig& chip) {
  const BackwardPlan plan = plan_backward(p, chip);
  std::string text = describe_problem(p, chip);
  text += fmt::format("loops:   KV head ({}) -> ", p.units);
  if (plan.sums())
    text += fmt::format("range of queries ({} x up to {} tiles) -> ", plan.ranges.size(),
                        plan.ranges.back().end_tile - plan.ranges.back().first_tile);
  text += fmt::format("key block ({} x {} keys) -> query tile ({} x up to {} rows{})\n", p.key_blocks(), p.block, plan.tiles.size(),
                      plan.tiles.front().rows(), p.causal ? ", fully masked ones skipped" : "");
  text += fmt::format("loads:   q, dO, o, lse once, {} tiles at a time; k and v {}; {} steps ahead\n", plan.chunks.front().tiles,
                      plan.sums() ? "once per range" : "once", plan.lookahead);
  text +=
      "before:  tensor: transposes of q, dO, k, v; scalar: activation copy times the scale; gpsimd: tensor_tensor dO o; vector: row sum "
      "D\n";
  text += fmt::format(
      "stage 1: tensor: nc_matmul q x k, dO x v; scalar: activation exp with bias -lse; {}vector: scalar_tensor_tensor\n"
      "         dS = (dP - D) P\n",
      p.causal ? "gpsimd: on the diagonal affine_select; " : "");
  text += fmt::format("stage 2: tensor: nc_matmul dV += P x dO, dK += dS x q in PSUM, transposes of dS; scalar: {}\n",
                      plan.scalar_copies ? "tensor_copy" : "activation copy");
  text += "stage 3: tensor: nc_matmul dQ = dS x k; vector: tensor_tensor into the sum of dQ in SBUF\n";
  text += plan.sums() ? "per key block and range: vector: dK and dV plus those of the ranges before, summed in HBM in FP32\n"
                      : "per key block: vector, scalar: dK and dV psum -> gradient; sync: dma_copy gradient -> dK, dV\n";
  return text + describe_buffers(plan.buffers, chip);
}

std::string describe_attention(ParamReader& params, const ChipConfig& chip) {
  const AttentionProblem p = attention_problems(params, chip, 1).front();
  if (p.backward) return describe_backward(p, chip);
  const AttentionPlan plan = plan_attention(p, chip);
  const auto tiles = p.query_tiles();
  std::string text = describe_problem(p, chip);
  text += fmt::format("loops:   KV head ({}) -> query tile ({} x up to {} rows) -> key block ({} x {} keys{})\n", p.units, tiles.size(),
                      tiles.front().rows(), p.key_blocks(), p.block, p.causal ? ", fully masked ones skipped" : "");
  text += plan.resident ? "loads:   K and V of a head once; " : "loads:   K and V again for every query tile; ";
  text += fmt::format("q per tile; {} steps ahead\n", plan.lookahead);
  text += "stage 1: tensor: nc_matmul q x k; " + mask_steps(p, plan) + ", running maximum; scalar: activation exp with row sum\n";
  text += fmt::format("stage 2: tensor: transposes; vector: tensor_copy of {} of {} pieces, scalar: {} of the rest; vector: running sum\n",
                      plan.vector_pieces, ceil_div(p.block, p.row_tile), plan.scalar_copies ? "tensor_copy" : "activation copy");
  text += "stage 3: tensor: nc_matmul p x v; vector: scalar_tensor_tensor into the output, at the end reciprocal and tensor_scalar\n";
  text += "         sync: dma_copy stage -> o, behind the next loads\n";
  return text + describe_buffers(plan.buffers, chip);
}

}  // namespace

KernelDefinition attention_definition() {
  return {{"attention",
           "Flash attention: softmax(q kT) v per head, or its gradients",
           {{"batch", "1", "at least 1"},
            {"heads", "1", "query heads, at least 1"},
            {"kv_heads", "auto", "divides heads; auto is heads"},
            {"seq_q", "", "queries, at least 1"},
            {"seq_k", "auto", "keys, at least 1; auto is seq_q"},
            {"head_dim", "128", "1 to 128"},
            {"dtype", "bf16", "bf16 fp16 fp32"},
            {"causal", "false", "true false; aligned at the last query and key"},
            {"pass", "forward", "forward backward"},
            dma_queues_param()}},
          make_attention,
          describe_attention};
}

}  // namespace trnsim::kernel
