// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "workload/kernels/kernel.hpp"
#include "workload/kernels/mlp_plan.hpp"

namespace trnsim::kernel {
namespace {

Workload make_mlp(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  Workload workload;
  const std::vector<MlpPlan> plans = mlp_plans(params, chip, cores);
  for (unsigned core = 0; core < cores; ++core) {
    const MlpPlan& plan = plans[core];
    ProgramInfo info;
    info.name = "mlp";
    info.params = params.resolved();
    info.tensors = mlp_tensors(plan, core, cores);
    info.macs = plan.macs();
    info.flops = 2 * info.macs;  // those of the function not counted
    info.dtype = plan.dtype;
    info.double_row = plan.layers[0].p.double_row || plan.layers[1].p.double_row;
    info.instructions = mlp_instructions(plan);
    workload.programs.push_back(std::make_unique<GeneratedProgram>(std::move(info), mlp_source(plan)));
  }
  return workload;
}

std::string describe_layer(const MlpLayer& layer, const std::string& weights) {
  return fmt::format("{} rows in {} chunk{} of up to {} columns, K {} in {} load{} each\n", weights, layer.chunks(),
                     layer.chunks() == 1 ? "" : "s", layer.columns(0).count, layer.p.k, layer.slabs.size(),
                     layer.slabs.size() == 1 ? "" : "s");
}

std::string describe_mlp(ParamReader& params, const ChipConfig& chip) {
  const MlpPlan plan = mlp_plans(params, chip, 1).front();
  const std::string function{name_of(plan.function)};
  std::string text = fmt::format("mlp xT[{}, {}], {} {} to {} rows and back, {}, {} -> {}, on {}\n", plan.hidden, plan.tokens,
                                 plan.gated ? "w_gate and w_up," : "w_up,", plan.hidden, plan.ffn, function, name_of(plan.dtype),
                                 name_of(plan.out_dtype), chip.name);
  text += fmt::format("loops:   token block ({} x up to {}) -> product -> chunk of rows -> K\n", plan.blocks(), plan.block);
  text += "first:   " + describe_layer(plan.layers[0], plan.gated ? "w_gate, w_up:" : "w_up:");
  text += "second:  " + describe_layer(plan.layers[1], "w_down:");
  text += fmt::format("loads:   xT once, weights once per token block\nHBM:     {} bytes\n", plan.hbm_bytes());
  text += "step:    sync: dma_copy weights; tensor: nc_matmul, weights stationary, tokens moving, half the PSUM banks at a time\n";
  text += plan.gated ? fmt::format("chunk:   scalar: activation {} of the gate; vector: tensor_tensor gate * up -> h\n", function)
                     : fmt::format("chunk:   scalar: activation {} -> h\n", function);
  text += "         second: vector: tensor_copy psum -> stage; sync: dma_copy stage -> outT, behind the next loads\n";
  return text + describe_buffers(plan.buffers, chip);
}

}  // namespace

KernelDefinition mlp_definition() {
  return {{"mlp",
           "Multi-layer perceptron: w_down (f(w_gate x) * w_up x), or w_down f(w_up x)",
           {{"tokens", "", "1 to 16777216"},
            {"hidden", "", "1 to 4194304"},
            {"ffn", "", "rows between the two products, 1 to 4194304"},
            {"gated", "true", "true false"},
            {"activation", "silu", "silu gelu relu"},
            {"dtype", "bf16", "bf16 fp16 fp32 fp8_e4m3 fp8_e5m2"},
            {"out_dtype", "auto", "bf16 fp16 fp32; auto is dtype, bf16 for 8-bit inputs"},
            dma_queues_param("auto")}},
          make_mlp,
          describe_mlp};
}

}  // namespace trnsim::kernel
