// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "app/compare/column.hpp"
#include "app/compare/split.hpp"
#include "trnsim/report.hpp"

namespace trnsim::app {

/// A comparison and the splits of its speed-ups as text for a terminal, in blocks of columns that fit it.
std::string compare_text(const Comparison& comparison, const std::vector<Split>& splits, const ReportStyle& style);
/// The same as Markdown tables.
std::string compare_markdown(const Comparison& comparison, const std::vector<Split>& splits);
/// docs/schemas/compare.schema.json describes it; ends with a newline.
std::string compare_json(const Comparison& comparison, const std::vector<Split>& splits);
/// A header and one row per column.
std::string compare_csv(const Comparison& comparison);

/// A line of a table: its name and one cell per column.
struct CompareRow {
  std::string label;
  std::vector<std::string> cells;
};

/// Figures and then ratios as text; rows in which no column has a value are left out.
std::vector<CompareRow> figure_rows(const Comparison& comparison);
std::vector<CompareRow> ratio_rows(const Comparison& comparison);
/// What a reader must know besides, one line each: reasons, projections, clocks, warnings.
std::vector<std::string> compare_notes(const Comparison& comparison);

/// Rows of a split; the first one names the columns.
std::vector<std::vector<std::string>> split_rows(const Split& split, bool wide);
std::string split_title(const Split& split);
std::vector<std::string> split_notes(const Split& split);

}  // namespace trnsim::app
