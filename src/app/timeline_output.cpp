// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/timeline_output.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <utility>

#include "app/execute.hpp"
#include "app/whole_number.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

TimelineFormat format_of(std::string path) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (path.ends_with(packed)) path.resize(path.size() - packed.size());
  }
  if (path.ends_with(".json")) return TimelineFormat::Chrome;
  if (path.ends_with(".pftrace") || path.ends_with(".perfetto-trace")) return TimelineFormat::Perfetto;
  throw UsageError(fmt::format("--timeline {}: want a name that ends in .pftrace or .json, both also with .gz or .zst", path));
}

/// "200MB": a whole number of B, kB, MB, GB, KiB, MiB or GiB.
std::uint64_t bytes_of(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 8> kUnits{
      {{"KiB", kKiB}, {"MiB", kMiB}, {"GiB", kGiB}, {"kB", 1000}, {"KB", 1000}, {"MB", 1'000'000}, {"GB", kGB}, {"B", 1}}};
  for (const auto& [unit, factor] : kUnits) {
    if (!text.ends_with(unit)) continue;
    return whole_number(text.substr(0, text.size() - unit.size()), "--timeline-limit", 1, (std::uint64_t{1} << 50) / factor) * factor;
  }
  throw UsageError(fmt::format("--timeline-limit {}: want a whole number and a unit, such as 200MB or 64MiB", text));
}

}  // namespace

void add_timeline_options(Options& options) {
  options
      .value("timeline", "FILE",
             "Write what happened when, for a trace viewer: .pftrace (Perfetto) or .json (Chrome), packed by .gz or .zst")
      .value("timeline-limit", "SIZE", "Most bytes of that file (default 200MB); it gets coarser before and ends there, valid")
      .value("timeline-sample", "N", "N instructions of an engine share a slice of the timeline (default 1)");
}

TimelineOutput::TimelineOutput(const ParsedOptions& options) : path_(options.value("timeline")) {
  if (!options.has("timeline")) {
    for (const char* option : {"timeline-limit", "timeline-sample"}) {
      if (options.has(option)) throw UsageError(fmt::format("--{} belongs to --timeline", option));
    }
    return;
  }
  if (path_ == "-") throw UsageError("--timeline -: want the name of a file");
  options_.format = format_of(path_);
  if (options.has("timeline-limit")) options_.limit_bytes = bytes_of(options.value("timeline-limit"));
  if (options_.limit_bytes < kLeastTimelineBytes) throw UsageError("--timeline-limit: want at least 1MB");
  if (options.has("timeline-sample")) options_.merge = whole_number(options.value("timeline-sample"), "--timeline-sample", 1, 1'000'000);
  check_writable(path_);
}

RunObserver* TimelineOutput::open(const RunRequest& request) {
  if (path_.empty()) return nullptr;
  if (!is_special(path_)) temporary_.emplace(path_);
  options_.path = temporary_ ? temporary_->name() : path_;
  if (request.gemm_list.empty()) timeline_ = std::make_unique<Timeline>(options_);
  return timeline_.get();
}

void TimelineOutput::finish(Result& result, bool quiet, Console& console) {
  if (path_.empty()) return;
  const TimelineSummary summary = timeline_ ? timeline_->finish(result) : write_layers_timeline(options_, result);
  if (temporary_) temporary_->keep();
  const std::string warning = timeline_warning(summary, path_);
  if (!warning.empty()) {
    result.context.warnings.push_back(warning);
    if (!quiet) print_warnings({warning}, console);
  }
  if (!quiet)
    console.err << fmt::format("trnsim: timeline {}: {} slices, {} arrows, {} counter values, {} bytes\n", path_, summary.slices,
                               summary.flows, summary.counter_values, summary.bytes);
}

}  // namespace trnsim::app
