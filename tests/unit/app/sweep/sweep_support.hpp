// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/sweep/spec.hpp"

namespace trnsim::app {

/// A sweep of a small matmul on trn2 with these axes and further keys, both JSON text.
std::string matmul_sweep(const std::string& axes, const std::string& more = "");
SweepSpec parsed(const std::string& text);

/// The problems of a description, one a line; "" if it has none.
std::string problems_of(const std::string& text);
/// How many.
std::size_t problem_count(const std::string& text);

bool contains(const std::string& text, const std::string& part);

/// The values of all points, "trn1 128" each.
std::vector<std::string> points_of(const SweepSpec& spec);

/// A folder of its own for the files of a test.
class SweepFolder : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] SweepSpec spec(const std::string& text) const { return SweepSpec::parse(text, path("sweep.json")); }
  [[nodiscard]] std::string problems(const std::string& text) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace trnsim::app
