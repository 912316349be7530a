// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>

#include <string>
#include <vector>

#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"

namespace trnsim {

inline ChipConfig preset(const std::string& name, std::vector<std::string> set = {}) {
  std::vector<std::string> warnings;
  return load_chip(name, {std::move(set), false}, warnings);
}

inline ChipConfig parsed(const std::string& json, std::vector<std::string> set = {}) {
  std::vector<std::string> warnings;
  return parse_chip(json, "chip.json", {std::move(set), false}, warnings);
}

/// The problems of a description; a failure when it has none.
inline std::vector<std::string> problems_of(const std::string& json, std::vector<std::string> set = {}) {
  try {
    parsed(json, std::move(set));
  } catch (const ConfigError& error) {
    return error.problems();
  }
  ADD_FAILURE() << "accepted: " << json;
  return {};
}

/// Its only problem.
inline std::string problem_of(const std::string& json, std::vector<std::string> set = {}) {
  const std::vector<std::string> problems = problems_of(json, std::move(set));
  EXPECT_EQ(problems.size(), 1u) << testing::PrintToString(problems);
  return problems.empty() ? std::string{} : problems.front();
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline bool any_contains(const std::vector<std::string>& texts, const std::string& part) {
  for (const std::string& text : texts) {
    if (contains(text, part)) return true;
  }
  return false;
}

/// A directory of its own for each test, removed afterwards.
class ChipFiles : public testing::Test {
 protected:
  ChipFiles() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = std::filesystem::temp_directory_path() /
                 ("trnsim_" + std::string(test->test_suite_name()) + "_" + test->name() + "_" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_);
  }
  ~ChipFiles() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = directory_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  std::filesystem::path directory_;
};

}  // namespace trnsim
