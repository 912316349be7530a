// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/job_pool.hpp"
#include "app/request.hpp"
#include "trnsim/config/chip_config.hpp"

namespace trnsim::app {

/// One figure of a comparison.
struct CompareFigure {
  std::string_view name;   ///< Key of JSON and CSV, with its unit: "time_ns".
  std::string_view label;  ///< For a person, with its scope: "energy, cores used".
  const char* pointer;     ///< Where the result file has it.
  std::string (*text)(double);
  std::string_view ratio;  ///< Key of its ratio to the baseline, "" without one.
  std::string_view ratio_label;
  bool inverse = false;  ///< The ratio is baseline over value: a speed-up.
};

/// All figures, in the order of the table.
const std::vector<CompareFigure>& compare_figures();

/// A workload on a chip, and what came out.
struct CompareColumn {
  std::string label;     ///< Chip, workload, or both, whichever differs.
  std::string workload;  ///< "matmul m=1024,n=1024,k=1024", or a file.
  RunRequest request;
  bool all_cores = false;  ///< Of whatever chip it runs on.
  ChipConfig chip;
  std::vector<std::string> warnings;

  JobEnd end = JobEnd::Done;
  ExitCode code = ExitCode::Done;
  std::string reason;                          ///< Why there are no figures; one line.
  std::vector<std::optional<double>> figures;  ///< As compare_figures(); all empty when it did not run.
  std::vector<std::optional<double>> ratios;   ///< The same to the baseline.
  std::string bottleneck, config_hash;
  double estimated_seconds = 0;  ///< Of host time for one simulation, by its size.

  [[nodiscard]] bool ran() const { return end == JobEnd::Done; }
  [[nodiscard]] std::optional<double> figure(std::string_view name) const;
};

struct Comparison {
  std::vector<CompareColumn> columns;
  std::optional<std::size_t> baseline;  ///< The first column that ran.
};

/// Simulates all columns in processes of their own and computes the ratios. Refusals, crashes and
/// whatever else ends a simulation become the reason of its column.
Comparison compare_columns(std::vector<CompareColumn> columns, unsigned workers);

/// Fills a column from the text of its result file.
void take_result(CompareColumn& column, const std::string& json);
/// Chooses the baseline and fills the ratios.
void add_ratios(Comparison& comparison);

}  // namespace trnsim::app
