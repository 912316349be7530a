// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

namespace trnsim::app {

/// What is wrong with one file, collected so that one run shows all of it.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  /// `place` is "axes[1].values[2]"; empty for the file as a whole.
  void add(const std::string& place, const std::string& what) {
    list_.push_back(file_ + ": " + (place.empty() ? what : place + ": " + what));
  }
  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] const std::vector<std::string>& list() const { return list_; }

 private:
  std::string file_;
  std::vector<std::string> list_;
};

}  // namespace trnsim::app
