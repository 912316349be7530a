// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "unit/app/sweep/sweep_support.hpp"

#include <unistd.h>

#include <fstream>

#include "trnsim/error.hpp"

namespace trnsim::app {

std::string matmul_sweep(const std::string& axes, const std::string& more) {
  return R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", "kernel": "matmul", "params": {"m": 128, "n": 128, "k": 128}}, "axes": [)" +
         axes + "]" + (more.empty() ? "" : ", " + more) + "}";
}

SweepSpec parsed(const std::string& text) { return SweepSpec::parse(text, "s.json"); }

namespace {

std::vector<std::string> problem_list(const std::string& text, const std::string& file) {
  try {
    (void)SweepSpec::parse(text, file);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace

std::string problems_of(const std::string& text) { return joined(problem_list(text, "s.json")); }
std::size_t problem_count(const std::string& text) { return problem_list(text, "s.json").size(); }
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<std::string> points_of(const SweepSpec& spec) {
  std::vector<std::string> points;
  for (std::size_t i = 0; i < spec.size(); ++i) {
    std::string text;
    for (const std::string& value : spec.point(i).values) text += (text.empty() ? "" : " ") + value;
    points.push_back(text);
  }
  return points;
}

void SweepFolder::SetUp() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  folder_ = std::filesystem::temp_directory_path() / ("sweep-" + std::to_string(getpid()) + "-" + test->name());
  std::filesystem::create_directories(folder_);
}

void SweepFolder::write(const std::string& name, const std::string& text) const {
  std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
  std::ofstream(path(name), std::ios::binary) << text;
}

std::string SweepFolder::problems(const std::string& text) const { return joined(problem_list(text, path("sweep.json"))); }

}  // namespace trnsim::app
