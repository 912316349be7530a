// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "trnsim/error.hpp"
#include "trnsim/workload.hpp"
#include "unit/workload/kernel_walker.hpp"

namespace trnsim {
namespace {

using test::Walker;

KernelParams shape(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  return {{"m", std::to_string(m)}, {"n", std::to_string(n)}, {"k", std::to_string(k)}};
}

KernelParams with(KernelParams params, const KernelParams& more) {
  for (const auto& [key, value] : more) params[key] = value;
  return params;
}

/// lhsT[K,M]ᵀ × rhs[K,N] of small integers, which doubles add exactly.
void expect_product(const KernelParams& params, const ChipConfig& chip) {
  SCOPED_TRACE(fmt::format("{} {} {} {} {} {}", chip.name, params.contains("schedule") ? params.at("schedule") : "", params.at("m"),
                           params.at("n"), params.at("k"), chip.sbuf.kib_per_partition));
  Workload w = make_kernel("matmul", params, chip);
  Program& program = *w.programs.at(0);
  const auto& tensors = program.info().tensors;
  const std::size_t rank = tensors[0].shape.size();
  const std::uint64_t batch = rank == 3 ? tensors[0].shape[0] : 1, k = tensors[0].shape[rank - 2], m = tensors[0].shape[rank - 1],
                      n = tensors[1].shape[rank - 1];
  Walker walker(program, chip);
  auto &a = walker.input(0), &b = walker.input(1);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 7) - 2;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 5) - 1;
  walker.run();
  ASSERT_TRUE(walker.problems().empty()) << walker.report();
  for (std::uint64_t p = 0; p < batch; ++p) {
    for (std::uint64_t r = 0; r < m; ++r) {
      std::vector<double> row(n, 0.0);
      for (std::uint64_t i = 0; i < k; ++i) {
        const double x = a[(p * k + i) * m + r];
        for (std::uint64_t c = 0; c < n; ++c) row[c] += x * b[(p * k + i) * n + c];
      }
      for (std::uint64_t c = 0; c < n; ++c) ASSERT_EQ(walker.output(2)[(p * m + r) * n + c], row[c]) << p << ' ' << r << ' ' << c;
    }
  }
}

const std::vector<std::string> kSchedules{"naive", "hoisted", "blocked", "optimized"};

TEST(MatmulKernel, ComputesTheProductForEveryShapeAroundTheTiles) {
  const std::vector<std::uint64_t> extents{1, 2, 31, 32, 33, 128, 129};
  for (const std::string& schedule : kSchedules) {
    for (const auto m : extents) {
      for (const auto n : extents) {
        for (const auto k : extents) expect_product(with(shape(m, n, k), {{"schedule", schedule}}), test::trn2_like());
      }
    }
  }
}

TEST(MatmulKernel, ComputesTheProductOnEveryGenerationAndSbufSize) {
  for (const ChipConfig& chip : {test::trn1_like(), test::trn2_like(), test::trn3_like()}) {
    for (const double kib : {8.0, 24.0, chip.sbuf.kib_per_partition}) {
      for (const std::string& schedule : kSchedules) {
        expect_product(with(shape(150, 1100, 290), {{"schedule", schedule}}), test::with_sbuf(chip, kib));
        expect_product(with(shape(130, 520, 129), {{"schedule", schedule}, {"batch", "2"}}), test::with_sbuf(chip, kib));
      }
    }
  }
}

}  // namespace
}  // namespace trnsim
