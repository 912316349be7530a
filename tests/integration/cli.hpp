// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace trnsim {

/// What a run of the program left behind.
struct Outcome {
  int code = -1;  ///< Exit code, or 128 + signal.
  std::string out, err;
};

/// How to run it besides the arguments.
struct Surroundings {
  std::string input = {};                               ///< On stdin.
  std::map<std::string, std::string> environment = {};  ///< Added to ours.
  bool fixed_addresses = false;                         ///< No address space randomisation.
  int interrupt_after_ms = 0;                           ///< SIGINT after so long.
  std::size_t interrupt_at_files = 0;                   ///< A signal once the folder holds so many files.
  int interrupt_with = SIGINT;                          ///< Which one.
  bool input_closed = false;                            ///< Started without stdin.
  std::string out_file = {};                            ///< Where stdout goes instead.
  unsigned long file_size = 0;                          ///< Bytes that no file may exceed; 0 = no limit.
};

/// Runs the built `trnsim` in a scratch folder of its own per test.
class Cli : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Outcome trnsim(const std::vector<std::string>& args, const Surroundings& how = {}) const;

  [[nodiscard]] std::string path(const std::string& name) const { return (scratch_ / name).string(); }
  void write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> files() const;  ///< Names in the scratch folder, hidden ones too.

  /// A result without what may differ between two runs.
  static nlohmann::ordered_json result(const std::string& text);
  static std::size_t lines(const std::string& text);

 private:
  std::filesystem::path scratch_;
};

/// Expects an exit code, nothing on stdout and one to five lines on stderr.
void expect_refusal(const Outcome& outcome, int code);

/// Arguments of a small matmul.
std::vector<std::string> small_run(const std::vector<std::string>& more = {});

}  // namespace trnsim
