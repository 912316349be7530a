// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/execute.hpp"
#include "app/job_process.hpp"
#include "app/uncertainty/samples.hpp"

namespace trnsim::app {

/// What `--uncertainty` asks for.
struct StudyRequest {
  std::size_t samples = 0;  ///< 0 = none.
  std::uint64_t seed = 1;
  unsigned workers = 1;
  JobLimits limits;
};
inline constexpr std::size_t kLeastSamples = 2, kMostSamples = 100'000;

/// Values of the numbers and the time of one sample.
struct SampleTime {
  std::vector<double> values;
  double ns = 0;
};

/// What the samples that have a time say, by arithmetic alone: percentiles, rank correlations, straight lines.
Uncertainty summarize(const std::vector<Drawn>& numbers, const std::vector<SampleTime>& samples);

/// Simulates the work of a result once per sample, in forked processes. What fails is named in the study; with no time
/// at all it throws InternalError.
Uncertainty study(const RunRequest& request, const Result& result, const StudyRequest& wanted, ProgressMode mode, Console& console);

}  // namespace trnsim::app
