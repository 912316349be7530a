// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "trnsim/report.hpp"

namespace trnsim {

struct Totals;

/// Colours of the report; empty strings when colour is off.
struct Paint {
  std::string bold, dim, good, warn, off;
};
Paint paint_of(const ReportStyle& style);

/// Exactly so many columns of text, cut in the middle so that numbers at the end stay.
std::string fitted(const std::string& text, std::size_t width);

/// Each makes the lines of one table, none longer than the width of the style (colour codes apart).
std::vector<std::string> engine_table(const Result& result, const Totals& totals, const ReportStyle& style);
std::vector<std::string> layer_table(const Result& result, const ReportStyle& style);
std::vector<std::string> source_table(const Result& result, const ReportStyle& style);
std::vector<std::string> core_table(const Result& result, const ReportStyle& style);
std::vector<std::string> memory_table(const Result& result, const Totals& totals, const ReportStyle& style);
std::vector<std::string> energy_table(const Result& result, const ReportStyle& style);

/// The spread of the times of --uncertainty and what it goes with; empty without it.
std::vector<std::string> uncertainty_table(const Result& result, const ReportStyle& style);

}  // namespace trnsim
