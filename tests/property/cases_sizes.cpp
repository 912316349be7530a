// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Larger problems take longer, in every dimension of every kernel.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/run_result.hpp"

namespace trnsim {
namespace {

struct Sizes {
  const char* kernel;
  std::vector<const char*> dimensions;
  std::uint64_t most;
  const char* rest;
};

const std::vector<Sizes>& kernels_with_sizes() {
  static const std::vector<Sizes> list{{"matmul", {"m", "n", "k"}, 700, ""},
                                       {"matmul", {"m", "n", "k"}, 700, ",schedule=naive"},
                                       {"matmul", {"m", "n", "k"}, 700, ",schedule=blocked"},
                                       {"attention", {"seq_q", "seq_k", "head_dim"}, 128, ""},
                                       {"attention", {"seq_q", "seq_k", "head_dim"}, 128, ",pass=backward"},
                                       {"mlp", {"tokens", "hidden", "ffn"}, 300, ""},
                                       {"softmax", {"rows", "cols"}, 1500, ""},
                                       {"rmsnorm", {"rows", "cols"}, 1500, ""},
                                       {"layernorm", {"rows", "cols"}, 1500, ""},
                                       {"rope", {"batch", "seq", "heads"}, 100, ",head_dim=64"},
                                       {"vector_add", {"rows", "cols"}, 1500, ""},
                                       {"copy", {"bytes"}, 3'000'000, ""}};
  return list;
}

double ns(const ChipConfig& chip, const Sizes& sizes, const std::vector<std::uint64_t>& values) {
  std::string params;
  for (std::size_t i = 0; i < values.size(); ++i) {
    params += (i > 0 ? "," : "") + std::string(sizes.dimensions[i]) + "=" + std::to_string(values[i]);
  }
  return test::kernel_ns(chip, sizes.kernel, params + sizes.rest);
}

RC_GTEST_PROP(KernelSizes, OneDimensionMoreIsNotFaster, ()) {
  const ChipConfig chip = test::preset(*rc::gen::element("trn1", "trn2", "trn3"));
  const auto which = *rc::gen::resize(100, rc::gen::inRange<std::size_t>(0, kernels_with_sizes().size()));
  const Sizes& sizes = kernels_with_sizes()[which];
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < sizes.dimensions.size(); ++i) {
    values.push_back(*rc::gen::resize(100, rc::gen::inRange<std::uint64_t>(1, sizes.most)));
  }
  const double before = ns(chip, sizes, values);
  const auto grown = *rc::gen::resize(100, rc::gen::inRange<std::size_t>(0, values.size()));
  values[grown] += *rc::gen::resize(100, rc::gen::inRange<std::uint64_t>(0, sizes.most - values[grown] + 1));
  RC_LOG() << sizes.kernel << " " << sizes.dimensions[grown] << "\n";
  RC_ASSERT(before <= 1.01 * ns(chip, sizes, values));
}

}  // namespace
}  // namespace trnsim
