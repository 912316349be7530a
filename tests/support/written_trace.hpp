// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "trnsim/workload.hpp"

namespace trnsim::test {

/// A trace written from a program, in a file of this process that goes away.
class WrittenTrace {
 public:
  explicit WrittenTrace(Program& program) : path_(std::filesystem::temp_directory_path() / ("trnsim-law-" + std::to_string(::getpid()))) {
    std::ofstream out(path_);
    write_trace(program, out);
  }
  WrittenTrace(const WrittenTrace&) = delete;
  WrittenTrace& operator=(const WrittenTrace&) = delete;
  ~WrittenTrace() { std::filesystem::remove(path_); }

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace trnsim::test
