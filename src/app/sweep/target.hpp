// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::app {

/// The part of a run that a path of a sweep file names.
enum class TargetKind : std::uint8_t { Chip, Kernel, Cores, MaxTime, Trace, Workload, GemmList, Nki, Grid, Param, Arg, Policy, Set };

/// What a target takes.
enum class ValueType : std::uint8_t {
  Text,
  Number,
  Whole,
  Flag,
  Param,     ///< A kernel parameter: the kernel says; its numbers are whole.
  Argument,  ///< Of an NKI kernel: the same, and anything in its texts.
};

/// "chip", "params.m", "set.hbm.stack_gb_per_s"
struct Target {
  TargetKind kind = TargetKind::Chip;
  ValueType type = ValueType::Text;
  std::string name;  ///< Of the parameter, argument, policy or configuration key; empty for the others.
};

/// Nothing for a path that names no part of a run; a key of `set` that no chip has is one of these.
std::optional<Target> target_of(std::string_view path);

/// One line on a path that `target_of` does not know: the nearest, what is allowed.
std::string unknown_path(const std::string& path);

/// Paths without a name of their own: "chip", "kernel", …
const std::vector<std::string_view>& plain_paths();

/// True where ranges give whole numbers.
inline bool takes_whole_numbers(const Target& target) {
  return target.type == ValueType::Whole || target.type == ValueType::Param || target.type == ValueType::Argument;
}
inline bool takes_numbers(const Target& target) { return target.type == ValueType::Number || takes_whole_numbers(target); }

}  // namespace trnsim::app
