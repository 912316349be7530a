// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "workload/kernels/attention_plan.hpp"
#include "workload/kernels/kernel.hpp"

namespace trnsim::kernel {
namespace {

Workload make_attention(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  Workload workload;
  const std::vector<AttentionProblem> problems = attention_problems(params, chip, cores);
  for (unsigned core = 0; core < cores; ++core) {
    const AttentionProblem& p = problems[core];
    ProgramInfo info;
    info.name = "attention";
    info.params = params.resolved();
    info.tensors = attention_tensors(p, core, cores);
    info.macs = 2 * p.unmasked_pairs() * p.head_dim;  // scores and outputs
    info.flops = 2 * info.macs;
    info.dtype = p.dtype;
    const AttentionPlan plan = plan_attention(p, chip);
    info.instructions = attention_instructions(p, plan);
    workload.programs.push_back(std::make_unique<GeneratedProgram>(std::move(info), attention_source(p, plan)));
  }
  return workload;
}

std::string mask_steps(const AttentionProblem& p, const AttentionPlan& plan) {
  if (!p.causal) return "vector: tensor_reduce max";
  return plan.range_select ? "vector: tensor_reduce max, on the diagonal range_select with bounds from gpsimd: iota"
                           : "vector: tensor_reduce max, on the diagonal after vector: tensor_copy and gpsimd: affine_select";
}

std::string describe_attention(ParamReader& params, const ChipConfig& chip) {
  const AttentionProblem p = attention_problems(params, chip, 1).front();
  const AttentionPlan plan = plan_attention(p, chip);
  const auto tiles = p.query_tiles();
  std::string text =
      fmt::format("attention forward, {} KV heads x {} query heads each, q [{}, {}], k and v [{}, {}], {}{}, on {}\n", p.units, p.group,
                  p.seq_q, p.head_dim, p.seq_k, p.head_dim, name_of(p.dtype), p.causal ? ", causal" : "", chip.name);
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
           "Flash attention: softmax(q kT) v per head",
           {{"batch", "1", "at least 1"},
            {"heads", "1", "query heads, at least 1"},
            {"kv_heads", "auto", "divides heads; auto is heads"},
            {"seq_q", "", "queries, at least 1"},
            {"seq_k", "auto", "keys, at least 1; auto is seq_q"},
            {"head_dim", "128", "1 to 128"},
            {"dtype", "bf16", "bf16 fp16 fp32"},
            {"causal", "false", "true false; aligned at the last query and key"},
            {"pass", "forward", "forward"},
            dma_queues_param()}},
          make_attention,
          describe_attention};
}

}  // namespace trnsim::kernel
