// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/uncertainty/options.hpp"

#include <fmt/format.h>

#include "app/job_pool.hpp"
#include "app/read_file.hpp"
#include "app/whole_number.hpp"

namespace trnsim::app {
namespace {

constexpr std::uint64_t kLargestSeed = std::uint64_t{1} << 53, kMostSeconds = 1'000'000, kMostMib = std::uint64_t{1} << 24;

/// Options that mean nothing without --uncertainty.
void check_companions(const ParsedOptions& options) {
  for (const char* name : {"seed", "sample-timeout", "sample-memory"}) {
    if (options.has(name)) throw UsageError(fmt::format("--{} belongs to --uncertainty", name));
  }
}

}  // namespace

void add_study_options(Options& options) {
  options
      .value("uncertainty", "N",
             "Simulate N more times with the assumed and derived numbers drawn from their ranges; report the spread of the time")
      .value("seed", "S", "Of these drawings (default 1): the same seed draws the same")
      .value("sample-timeout", "SECONDS", "Host time that a sample may take (default: no limit)")
      .value("sample-memory", "MIB", "Memory that a sample may take (default: no limit)");
}

StudyRequest study_request(const ParsedOptions& options, const RunRequest& request) {
  StudyRequest study;
  if (!options.has("uncertainty")) {
    check_companions(options);
    return study;
  }
  study.samples = whole_number(options.value("uncertainty"), "--uncertainty", kLeastSamples, kMostSamples);
  if (options.has("seed")) study.seed = whole_number(options.value("seed"), "--seed", 0, kLargestSeed);
  if (options.has("sample-timeout"))
    study.limits.seconds = static_cast<double>(whole_number(options.value("sample-timeout"), "--sample-timeout", 1, kMostSeconds));
  if (options.has("sample-memory"))
    study.limits.memory_bytes = whole_number(options.value("sample-memory"), "--sample-memory", 16, kMostMib) << 20;
  if (!can_be_read_again(request.trace) || !can_be_read_again(request.gemm_list))
    throw UsageError("--uncertainty reads the work once per sample, which stdin and pipes do not allow; give a file");
  if (!request.max_time.empty()) throw UsageError("--uncertainty and --max-time exclude each other: a stopped run has no time to compare");
  study.workers = request.jobs;
  return study;
}

}  // namespace trnsim::app
