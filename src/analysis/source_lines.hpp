// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trnsim/result.hpp"

namespace trnsim {

/// Lines of the kernel's source and what they cost, summed over the cores; by exposed time, the rest last.
/// Empty when no program names its sources.
std::vector<SourceLineResult> source_lines_of(const ChipConfig& chip, const Snapshot& snapshot, const ResultContext& context);

/// Lines of a kernel's Python file, if it can be read. A name that is not found from here is looked for
/// beside `beside`.
class SourceText {
 public:
  SourceText(const std::string& file, const std::string& beside);
  /// Without the space around it; nothing past the end.
  [[nodiscard]] std::optional<std::string> line(std::uint32_t number) const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace trnsim
