// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim {

/// Problems of one trace, each with its place, up to a limit.
class Problems {
 public:
  static constexpr std::size_t kMost = 20;

  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(std::uint32_t line, std::string_view text);  ///< Line 0: the file as a whole.
  [[nodiscard]] bool any() const { return !texts_.empty(); }
  [[nodiscard]] bool full() const { return texts_.size() >= kMost; }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// ProgramError with everything found, if anything was.
  void check() const;

 private:
  std::string file_;
  std::vector<std::string> texts_;
};

}  // namespace trnsim
