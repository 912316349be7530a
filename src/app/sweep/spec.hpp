// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/job_pool.hpp"
#include "app/request.hpp"

namespace trnsim::app {

/// One point of a sweep: what to simulate, and the value of each axis as text.
struct SweepPoint {
  std::size_t index = 0;            ///< From 0, in the order of the sweep; filtered points have no number.
  std::vector<std::string> values;  ///< One per axis, as --param and --set write them.
  RunRequest request;
};

/// A sweep file: base, axes, combination, filters. Checked whole when it is read, so that a sweep that
/// starts has no mistake in its description; combinations that a chip or a kernel refuses are found by
/// their point. Points are made on demand: a sweep of a million points holds none of them.
class SweepSpec {
 public:
  /// InputError with every problem of the file (place, value, what is allowed, nearest known name);
  /// `file` is the name in messages, and file names inside are relative to its folder.
  static SweepSpec parse(std::string_view text, const std::string& file);
  static SweepSpec load(const std::string& path);  ///< "-" is stdin. IoError if it cannot be read.

  SweepSpec(SweepSpec&&) noexcept;
  SweepSpec& operator=(SweepSpec&&) noexcept;
  ~SweepSpec();

  [[nodiscard]] const std::vector<std::string>& axes() const;  ///< Paths: "chip", "params.m", "set.hbm.stack_gb_per_s".
  [[nodiscard]] std::size_t size() const;                      ///< Points that pass the filters.
  [[nodiscard]] SweepPoint point(std::size_t index) const;
  [[nodiscard]] std::vector<std::string> chips() const;  ///< All that points name, as their requests do.
  [[nodiscard]] const JobLimits& limits() const;         ///< Of each point.
  [[nodiscard]] const std::string& text() const;         ///< The file as read, to be kept beside the results.
  /// 16 hex digits over everything that decides the results: the description in canonical form, the
  /// content of the files it names, and the version of the tool.
  [[nodiscard]] const std::string& hash() const;

 private:
  struct Impl;
  explicit SweepSpec(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace trnsim::app
