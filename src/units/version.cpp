// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/version.hpp"

#include <charconv>
#include <optional>
#include <utility>

#include "version_info.hpp"  // Made by the build: cmake/WriteVersion.cmake.

namespace trnsim {
namespace {

// Written by trnsim and never read.
constexpr FileFormat kExplanationFormat{"trnsim_explanation", "explanation", 1, 0, "0.1.0"};
constexpr FileFormat kBoundFormat{"trnsim_bound", "least time", 1, 0, "0.1.0"};
constexpr FileFormat kDerivedFormat{"trnsim_derived", "figures of a chip", 1, 0, "0.1.0"};
constexpr FileFormat kRacesFormat{"trnsim_races", "races of a trace", 1, 0, "0.1.0"};

std::string text(unsigned major, unsigned minor) { return std::to_string(major) + "." + std::to_string(minor); }

std::optional<std::pair<unsigned, unsigned>> parse(std::string_view version) {
  std::pair<unsigned, unsigned> numbers;
  const char* end = version.data() + version.size();
  const auto major = std::from_chars(version.data(), end, numbers.first);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, numbers.second);
  if (minor.ec != std::errc{} || minor.ptr != end) return std::nullopt;
  return numbers;
}

}  // namespace

std::string_view tool_version() { return version_info::kVersion; }
std::string_view tool_commit() { return version_info::kCommit; }
std::string_view systemc_version() { return version_info::kSystemC; }

std::vector<FileFormat> file_formats() {
  return {
      kWorkloadFormat,    kTraceFormat,       kSweepFormat,      kSweepResultsFormat, kSweepAnalysisFormat,
      kSweepStatusFormat, kResultFormat,      kComparisonFormat, kValidationFormat,   kValidationReportFormat,
      kGoldenFormat,      kCheckReportFormat, kDiffFormat,       kExplanationFormat,  kBoundFormat,
      kDerivedFormat,     kRacesFormat,       kProfileFormat,    kHardwareFormat,
  };
}

std::string format_problem(const FileFormat& format, std::string_view version) {
  const auto found = parse(version);
  const std::string lowest = text(format.major, 0), highest = text(format.major, format.minor);
  const std::string reads = lowest == highest ? lowest : lowest + " to " + highest;
  const std::string us = "trnsim " + std::string(tool_version());
  if (!found) {
    return std::string(format.key) + " \"" + std::string(version) + "\" is not a format version; " + us + " reads " + reads;
  }
  const auto [major, minor] = *found;
  if (major == format.major && minor <= format.minor) return {};
  std::string problem = std::string(format.name) + " format " + text(major, minor) + "; " + us + " reads " + reads;
  if (major < format.major) return problem + "; older files need an older trnsim";
  return problem + "; the file needs a trnsim newer than " + std::string(tool_version());
}

}  // namespace trnsim
