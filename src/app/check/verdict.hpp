// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/check/golden.hpp"
#include "app/job_pool.hpp"

namespace trnsim::app {

enum class Verdict : std::uint8_t {
  Ok,           ///< As expected, or within the tolerance.
  Slower,       ///< More cycles.
  Improvement,  ///< Fewer cycles.
  Energy,       ///< Same cycles, other energy.
  Traffic,      ///< Same cycles, other DMA bytes.
  New,          ///< Nothing is expected yet.
  Zero,         ///< A run without a cycle.
  Truncated,    ///< Stopped by --max-time: not the cycles of the kernel.
  Refused,
  Crashed,
  TimedOut,
  OutOfMemory,
};
std::string_view name_of(Verdict verdict);  ///< One or two words for tables and files.

/// What the run of a case ended with.
struct CaseRun {
  JobEnd end = JobEnd::Done;
  std::string error;   ///< One line unless Done.
  std::string result;  ///< The result file's text.
  GoldenValues values;
  std::string truncated;
};

/// A case of a golden file with its run and the verdict on it.
struct CheckedCase {
  const GoldenFile* file = nullptr;
  const GoldenCase* golden = nullptr;
  Tolerance tolerance;
  CaseRun run;
  Verdict verdict = Verdict::Ok;
  std::string reason;                    ///< One sentence; empty when the values are the expected ones.
  std::vector<std::string> explanation;  ///< What moved, from an accepted result.

  [[nodiscard]] bool has_values() const { return run.end == JobEnd::Done; }
};

/// Sets verdict and reason.
void judge(CheckedCase& checked);

/// Signed change in percent, "+2.1 %", "0 %".
std::string percent_change(double before, double after);

struct CheckPolicy {
  bool improvements_fail = true;
};
bool fails(Verdict verdict, const CheckPolicy& policy);

struct CheckReport {
  std::vector<CheckedCase> cases;  ///< In the order of the files.
  CheckPolicy policy;
  bool warn_only = false;

  [[nodiscard]] bool failed(const CheckedCase& checked) const { return fails(checked.verdict, policy); }
  [[nodiscard]] std::size_t failures() const;
  [[nodiscard]] std::size_t notes() const;  ///< Improvements that do not fail.
};

}  // namespace trnsim::app
