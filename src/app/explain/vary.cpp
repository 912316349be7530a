// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/explain/vary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "app/execute_observed.hpp"
#include "app/explain/explanation.hpp"
#include "app/job_pool.hpp"
#include "trnsim/run_recorder.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::app {
namespace {

constexpr std::size_t kMostValues = 64;

/// The request with the parameter set; of several settings the last one counts.
RunRequest with(const RunRequest& request, const std::string& parameter, const std::string& value) {
  RunRequest changed = request;
  KernelParams params = parse_params(request.params);
  params[parameter] = value;
  changed.params.clear();
  for (const auto& [name, text] : params) changed.params.push_back(name + "=" + text);
  return changed;
}

std::string simulate_one(const RunRequest& request, const ChipConfig& chip) {
  std::ostringstream nowhere;
  Console silent{nowhere, nowhere};
  RunRecorder recorder;
  const Result result = execute_observed(request, chip, {}, ProgressMode::Off, silent, &recorder);
  const Overlap overlap = overlap_of(recorder.record());
  return fmt::format("{} {} {} {} {} {}", result.time_ns, overlap.compute_fs, overlap.dma_fs, overlap.both_fs, compute_bound_ns(result),
                     dma_bound_ns(result));
}

}  // namespace

std::optional<double> overlap_share(const Overlap& overlap) {
  const std::uint64_t shorter = std::min(overlap.compute_fs, overlap.dma_fs);
  if (shorter == 0) return std::nullopt;
  return static_cast<double>(overlap.both_fs) / static_cast<double>(shorter);
}

Variants parse_variants(const std::string& text, const RunRequest& request) {
  if (request.kernel.empty()) throw UsageError("--vary changes a parameter of a built-in kernel; want --kernel or a workload with one");
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || text.back() == '=' || text.back() == ',')
    throw UsageError(fmt::format("--vary {}: want PARAMETER=VALUE,VALUE…", text));
  Variants variants{text.substr(0, equals), {}};
  std::istringstream values(text.substr(equals + 1));
  for (std::string value; std::getline(values, value, ',');) variants.list.push_back({value, {}, {}});
  if (variants.list.size() > kMostValues) throw UsageError(fmt::format("--vary takes at most {} values", kMostValues));
  return variants;
}

void simulate_variants(Variants& variants, const RunRequest& request, const ChipConfig& chip, unsigned workers) {
  const auto one = [&](std::size_t i) { return simulate_one(with(request, variants.parameter, variants.list[i].value), chip); };
  for (const JobOutcome& outcome : run_jobs(variants.list.size(), one, workers)) {
    Variant& variant = variants.list[outcome.id];
    if (outcome.end != JobEnd::Done) {
      variant.reason = outcome.text;
      continue;
    }
    Variant::Times times;
    std::istringstream numbers(outcome.text);
    numbers >> times.time_ns >> times.overlap.compute_fs >> times.overlap.dma_fs >> times.overlap.both_fs >> times.compute_bound_ns >>
        times.dma_bound_ns;
    variant.times = times;
  }
  if (std::ranges::none_of(variants.list, [](const Variant& v) { return v.times.has_value(); }))
    throw InputError(fmt::format("no value of {} can be simulated: {}", variants.parameter, variants.list.front().reason));
}

}  // namespace trnsim::app
