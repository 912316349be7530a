// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>

#include "app/sweep/analysis.hpp"
#include "app/sweep/cells.hpp"
#include "app/sweep/filter.hpp"
#include "app/sweep/table_view.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

using Relation = SweepCondition::Relation;

constexpr std::pair<std::string_view, Relation> kRelations[] = {
    {"<=", Relation::AtMost}, {">=", Relation::AtLeast}, {"!=", Relation::Unequal}, {"==", Relation::Equal},
    {"<", Relation::Below},   {">", Relation::Above},    {"=", Relation::Is},
};

std::string_view name_of(Relation relation) {
  return std::find_if(std::begin(kRelations), std::end(kRelations), [&](const auto& r) { return r.second == relation; })->first;
}

/// A condition with its column found and its kind known.
struct Bound {
  std::size_t column;
  Relation relation;
  std::string text;
  std::optional<double> number;  ///< Empty: texts are compared.
};

bool holds(Relation relation, double value, double limit) {
  switch (relation) {
    case Relation::Is:
    case Relation::AtMost: return value <= limit;
    case Relation::AtLeast: return value >= limit;
    case Relation::Below: return value < limit;
    case Relation::Above: return value > limit;
    case Relation::Equal: return value == limit;
    default: return value != limit;
  }
}

bool holds(const Bound& bound, const TableView& view, const SweepRow& row) {
  if (!bound.number) return (view.text(row, bound.column) == bound.text) == (bound.relation == Relation::Equal);
  const std::optional<double> value = view.number(row, bound.column);
  return value && holds(bound.relation, *value, *bound.number);
}

Bound bound_of(const SweepCondition& condition, const TableView& view, const SweepTable& table) {
  Bound bound{view.column(condition.column), condition.relation, condition.value, number_of(condition.value)};
  const bool numbers = !is_text_column(condition.column) && std::any_of(table.rows.begin(), table.rows.end(), [&](const SweepRow& r) {
    return view.number(r, bound.column).has_value();
  });
  if (numbers && !bound.number) {
    throw InputError(fmt::format("'{}{}{}': column {} holds numbers; '{}' is none", condition.column, name_of(condition.relation),
                                 condition.value, condition.column, condition.value));
  }
  if (numbers) return bound;
  bound.number.reset();
  if (bound.relation == Relation::Is) bound.relation = Relation::Equal;
  if (bound.relation != Relation::Equal && bound.relation != Relation::Unequal) {
    throw InputError(
        fmt::format("'{}{}{}': texts are only equal (=) or unequal (!=)", condition.column, name_of(condition.relation), condition.value));
  }
  return bound;
}

struct Found {
  const SweepRow* row;
  double value;
};

std::vector<std::string> shown_columns(const SweepTable& table, const BestQuery& query) {
  const std::vector<std::string> names = column_names(table);
  std::vector<std::string> columns(names.begin(), names.begin() + 1 + static_cast<std::ptrdiff_t>(table.axes.size()));
  const auto add = [&columns](const std::string& name) {
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  };
  add(query.by);
  for (const SweepCondition& condition : query.under) add(condition.column);
  for (const std::string& name : query.also) add(name);
  return columns;
}

}  // namespace

SweepCondition parse_condition(const std::string& text) {
  const std::size_t at = text.find_first_of("<>=!");
  for (const auto& [sign, relation] : kRelations) {
    if (at == std::string::npos || at == 0 || !std::string_view(text).substr(at).starts_with(sign)) continue;
    const std::string value = text.substr(at + sign.size());
    if (value.empty()) break;
    return {text.substr(0, at), relation, value};
  }
  throw InputError(fmt::format("'{}' is no condition; want NAME=VALUE, or <=, >=, <, >, ==, != in place of =", text));
}

SweepAnalysis best_points(const SweepTable& table, const BestQuery& query) {
  const TableView view(table);
  const std::size_t by = view.number_column(query.by);
  std::vector<Bound> bounds;
  for (const SweepCondition& condition : query.under) bounds.push_back(bound_of(condition, view, table));
  std::size_t missed = 0, valueless = 0;
  std::vector<Found> found;
  for (const SweepRow& row : table.rows) {
    if (!view.complete(row)) continue;
    const std::optional<double> value = view.number(row, by);
    if (!std::all_of(bounds.begin(), bounds.end(), [&](const Bound& bound) { return holds(bound, view, row); })) {
      ++missed;
    } else if (!value) {
      ++valueless;
    } else {
      found.push_back({&row, *value});
    }
  }
  std::sort(found.begin(), found.end(), [&](const Found& a, const Found& b) {
    if (a.value != b.value) return query.largest ? a.value > b.value : a.value < b.value;
    return a.row->point < b.row->point;
  });

  SweepAnalysis analysis;
  analysis.kind = "best";
  analysis.columns = shown_columns(table, query);
  std::vector<std::size_t> places;
  for (const std::string& name : analysis.columns) places.push_back(view.column(name));
  for (std::size_t i = 0; i < std::min(query.count, found.size()); ++i)
    analysis.rows.push_back(picked(column_values(*found[i].row), places));
  analysis.facts = {{"by", query.by},
                    {"order", query.largest ? "largest first" : "smallest first"},
                    {"points", std::to_string(table.rows.size())},
                    {"failed", std::to_string(view.failed())},
                    {"outside_conditions", std::to_string(missed)},
                    {"without_value", std::to_string(valueless)}};
  if (found.empty()) analysis.notes.emplace_back("No point is left.");
  return analysis;
}

}  // namespace trnsim::app
