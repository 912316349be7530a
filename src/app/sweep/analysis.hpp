// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/sweep/table.hpp"
#include "trnsim/report.hpp"

namespace trnsim::app {

/// What an analysis of a sweep found. All its forms are made from these rows.
struct SweepAnalysis {
  std::string kind;                                        ///< "best", "pareto", "sensitivity"
  std::vector<std::pair<std::string, std::string>> facts;  ///< Settings and counts, e.g. ("by", "time_ns").
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes;  ///< Sentences for a person.
};

/// A condition on a column: "average_w=400" (numbers at most, texts equal), "mfu>=0.5", "chip!=trn1".
struct SweepCondition {
  enum class Relation : std::uint8_t {
    Is,  ///< Numbers at most, texts equal.
    AtMost,
    AtLeast,
    Below,
    Above,
    Equal,
    Unequal
  };
  std::string column;
  Relation relation = Relation::Is;
  std::string value;
};

/// InputError with what is wrong.
SweepCondition parse_condition(const std::string& text);

struct BestQuery {
  std::string by;
  bool largest = false;
  std::vector<SweepCondition> under = {};
  std::size_t count = 10;
  std::vector<std::string> also = {};  ///< Further columns to show.
};

/// The points with the smallest or largest value of a column, equal ones by number. Points that did not
/// end well, miss a condition or have no value are left out and counted.
SweepAnalysis best_points(const SweepTable& table, const BestQuery& query);

struct ParetoQuery {
  std::string x, y;
  bool largest_x = false, largest_y = false;
};

/// The points that no other one beats in one column without being worse in the other, best x first.
/// Points with equal values stand side by side.
SweepAnalysis pareto_points(const SweepTable& table, const ParetoQuery& query);

/// What each axis does to a column. Where points differ in this axis alone, in groups: largest over smallest value of
/// each group. Where they hardly ever do (random, latin_hypercube, zip): a rank correlation.
SweepAnalysis axis_effects(const SweepTable& table, const std::string& by);

/// Axes on which no output depends: between points that differ in nothing else, status and results are
/// the same. Only axes that enough such points can tell of.
std::vector<std::string> axes_without_effect(const SweepTable& table);

std::string analysis_csv(const SweepAnalysis& analysis);
std::string analysis_json(const SweepAnalysis& analysis);
std::string analysis_markdown(const SweepAnalysis& analysis);
std::string analysis_text(const SweepAnalysis& analysis, const ReportStyle& style);

}  // namespace trnsim::app
