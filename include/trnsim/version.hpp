// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trnsim {

std::string_view tool_version();     ///< "0.1.0"
std::string_view tool_commit();      ///< Abbreviated git commit, "-dirty" with local changes, "unknown" outside a clone.
std::string_view systemc_version();  ///< "2.3.4"

/// Kind of file and the newest version of its format that this tool reads and writes.
struct FileFormat {
  std::string_view key;    ///< First key of the file: "trnsim_result".
  std::string_view name;   ///< For a person: "result".
  unsigned major = 1;      ///< Files of another major version are refused.
  unsigned minor = 0;      ///< So are files of a newer minor version.
  std::string_view since;  ///< First version of the tool that reads major.minor.
};

inline constexpr FileFormat kTraceFormat{"trnsim_trace", "trace", 1, 1, "0.1.0"};
inline constexpr FileFormat kWorkloadFormat{"trnsim_workload", "workload", 1, 0, "0.1.0"};
inline constexpr FileFormat kSweepFormat{"trnsim_sweep", "sweep", 1, 0, "0.1.0"};
inline constexpr FileFormat kResultFormat{"trnsim_result", "result", 1, 0, "0.1.0"};

inline constexpr FileFormat kComparisonFormat{"trnsim_compare", "comparison", 1, 0, "0.1.0"};
inline constexpr FileFormat kGoldenFormat{"trnsim_golden", "golden", 1, 0, "0.1.0"};
inline constexpr FileFormat kCheckReportFormat{"trnsim_check_report", "check report", 1, 0, "0.1.0"};
inline constexpr FileFormat kDiffFormat{"trnsim_diff", "difference", 1, 0, "0.1.0"};
inline constexpr FileFormat kProfileFormat{"trnsim_profile", "profile", 1, 0, "0.1.0"};
inline constexpr FileFormat kHardwareFormat{"trnsim_hardware_comparison", "hardware comparison", 1, 0, "0.1.0"};
inline constexpr FileFormat kValidationFormat{"trnsim_validation", "validation", 1, 0, "0.1.0"};
inline constexpr FileFormat kValidationReportFormat{"trnsim_validation_report", "validation report", 1, 0, "0.1.0"};
inline constexpr FileFormat kSweepAnalysisFormat{"trnsim_sweep_analysis", "sweep analysis", 1, 0, "0.1.0"};
inline constexpr FileFormat kSweepResultsFormat{"trnsim_sweep_results", "sweep results", 1, 0, "0.1.0"};
inline constexpr FileFormat kSweepStatusFormat{"trnsim_sweep_status", "sweep status", 1, 0, "0.1.0"};

std::vector<FileFormat> file_formats();  ///< All of them, for `trnsim --version`.

/// Empty if a file with this version text can be read, else one line without the file's name: its
/// version, this tool's version, the range it reads, and which version of the tool the file needs.
std::string format_problem(const FileFormat& format, std::string_view version);

}  // namespace trnsim
