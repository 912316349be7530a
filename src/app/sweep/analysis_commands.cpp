// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/command.hpp"
#include "app/output.hpp"
#include "app/sweep/analysis.hpp"
#include "app/sweep/store.hpp"
#include "app/sweep/table_view.hpp"

namespace trnsim::app {
namespace {

constexpr double kTellingCycles = 1000;  ///< Cycles, which are rounded up, from which they tell the clock.

struct Form {
  const char* option;
  std::string (*write)(const SweepAnalysis&);
};
constexpr Form kForms[] = {{"csv", analysis_csv}, {"json", analysis_json}, {"markdown", analysis_markdown}};

Options sweep_options(const std::string& name, const std::string& arguments, const std::string& summary) {
  Options spec(name, "DIR" + arguments, summary);
  spec.positional(1, 1, "the folder of a sweep");
  return spec;
}

void add_forms(Options& spec) {
  spec.value("csv", "FILE", "Write the rows as CSV; - is stdout")
      .value("json", "FILE", "Write settings, counts, rows and notes as JSON; - is stdout")
      .value("markdown", "FILE", "Write them as a Markdown table; - is stdout");
}

/// Refuses places that cannot be written, before any work.
void check_forms(const ParsedOptions& options) {
  const std::string folder = options.positional.front() + "/results.";
  check_places({options.value("csv"), options.value("json"), options.value("markdown")},
               {folder + "sqlite", folder + "csv", folder + "json", folder + "md"});
  for (const Form& form : kForms) {
    if (options.has(form.option)) check_writable(options.value(form.option));
  }
}

/// Every form that is asked for; a table for a person unless one of them takes stdout.
ExitCode show(const SweepAnalysis& analysis, const ParsedOptions& options, Console& console) {
  bool to_stdout = false;
  for (const Form& form : kForms) {
    if (!options.has(form.option)) continue;
    write_file(options.value(form.option), form.write(analysis), console);
    to_stdout |= options.value(form.option) == "-";
  }
  if (!to_stdout) console.out << analysis_text(analysis, console.report_style());
  return analysis.rows.empty() ? ExitCode::CheckFailed : ExitCode::Done;
}

std::vector<std::string> comma_list(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::size_t parse_count(const std::string& text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count < 1) {
    throw UsageError(fmt::format("--count \"{}\": want a whole number from 1", text));
  }
  return count;
}

/// The table of a sweep, and what its reader should know if it does not hold all points.
struct Points {
  SweepTable table;
  std::vector<std::string> notes;
};

Points read_points(const std::string& folder) {
  Points points{read_sweep(folder), {}};
  const SweepInfo info = SweepStore::open(database_file(folder)).info();
  if (points.table.rows.size() < info.points) {
    const std::string part = info.shard.count > 1 ? fmt::format("shard {}/{}", info.shard.index, info.shard.count) : "not finished";
    points.notes.push_back(
        fmt::format("Only {} of the {} points of the sweep are here ({}).", points.table.rows.size(), info.points, part));
  }
  return points;
}

/// Tensor clocks of the points, as cycles over time tell them: the slowest and the fastest.
std::pair<double, double> clocks_of(const SweepTable& table) {
  const TableView view(table);
  const std::size_t cycles = view.column("cycles"), time = view.column("time_ns");
  std::pair<double, double> clocks{0, 0};
  for (const SweepRow& row : table.rows) {
    const auto n = view.number(row, cycles), ns = view.number(row, time);
    if (!view.complete(row) || !n || !ns || *n < kTellingCycles) continue;
    const double ghz = *n / *ns;
    clocks.first = clocks.second == 0 ? ghz : std::min(clocks.first, ghz);
    clocks.second = std::max(clocks.second, ghz);
  }
  return clocks;
}

/// Says so when a column of cycles is judged over points with different clocks.
void note_clocks(SweepAnalysis& analysis, const SweepTable& table, const std::vector<std::string>& judged) {
  for (const std::string& column : judged) {
    if (!column.ends_with("cycles")) continue;
    const auto [slowest, fastest] = clocks_of(table);
    if (slowest == 0 || fastest / slowest < 1 + 2 / kTellingCycles) return;
    analysis.notes.push_back(
        fmt::format("{} of points with different Tensor clocks, {:.4g} to {:.4g} GHz, do not compare: use a time, such as time_ns.", column,
                    slowest, fastest));
    return;
  }
}

SweepAnalysis noted(SweepAnalysis analysis, const Points& points, const std::vector<std::string>& judged) {
  note_clocks(analysis, points.table, judged);
  analysis.notes.insert(analysis.notes.begin(), points.notes.begin(), points.notes.end());
  return analysis;
}

bool helped(const Options& spec, const ParsedOptions& options, Console& console) {
  if (options.help()) console.out << spec.help();
  return options.help();
}

}  // namespace

ExitCode best_command(const Args& args, Console& console) {
  Options spec =
      sweep_options("best", " [--by COLUMN] [--under CONDITION]…", "Names the best points of a sweep, under conditions if given.");
  spec.value("by", "COLUMN", "Column to judge by, smallest first (default time_ns)")
      .flag("max", "Largest first")
      .list("under", "CONDITION", "Only points with this: average_w=400 (at most), mfu>=0.5, chip=trn2 (equal, for texts), <, >, ==, !=")
      .value("count,n", "N", "So many points (default 10)")
      .value("columns", "NAME[,NAME…]", "Show these columns as well");
  add_forms(spec);
  spec.note("Exits with 1 when no point is left.");
  spec.example("trnsim best results --by time_ns --under 'average_w=400' -n 5");
  const ParsedOptions options = spec.parse(args);
  if (helped(spec, options, console)) return ExitCode::Done;
  check_forms(options);
  BestQuery query;
  query.by = options.value("by", "time_ns");
  query.largest = options.has("max");
  for (const std::string& condition : options.list("under")) query.under.push_back(parse_condition(condition));
  query.count = parse_count(options.value("count", "10"));
  query.also = comma_list(options.value("columns"));
  const Points points = read_points(options.positional.front());
  return show(noted(best_points(points.table, query), points, {query.by}), options, console);
}

ExitCode pareto_command(const Args& args, Console& console) {
  Options spec =
      sweep_options("pareto", " --x COLUMN --y COLUMN", "Names the points of a sweep that no other point beats in both of two columns.");
  spec.value("x", "COLUMN", "First column, smaller is better")
      .value("y", "COLUMN", "Second column, smaller is better")
      .flag("max-x", "Larger is better in the first")
      .flag("max-y", "Larger is better in the second");
  add_forms(spec);
  spec.note("Points with equal values in both columns are all named. Exits with 1 when no point is left.");
  spec.example("trnsim pareto results --x time_ns --y energy_total_pj");
  const ParsedOptions options = spec.parse(args);
  if (helped(spec, options, console)) return ExitCode::Done;
  if (!options.has("x") || !options.has("y")) throw UsageError("trnsim pareto needs --x COLUMN and --y COLUMN; see trnsim pareto --help");
  check_forms(options);
  const ParetoQuery query{options.value("x"), options.value("y"), options.has("max-x"), options.has("max-y")};
  const Points points = read_points(options.positional.front());
  return show(noted(pareto_points(points.table, query), points, {query.x, query.y}), options, console);
}

ExitCode sensitivity_command(const Args& args, Console& console) {
  Options spec = sweep_options("sensitivity", " [--by COLUMN]",
                               "Shows how much each axis of a sweep changes a column, and names axes that change nothing.");
  spec.value("by", "COLUMN", "Column to look at (default time_ns)");
  add_forms(spec);
  spec.example("trnsim sensitivity results --by time_ns");
  const ParsedOptions options = spec.parse(args);
  if (helped(spec, options, console)) return ExitCode::Done;
  check_forms(options);
  const Points points = read_points(options.positional.front());
  return show(noted(axis_effects(points.table, options.value("by", "time_ns")), points, {options.value("by", "time_ns")}), options,
              console);
}

}  // namespace trnsim::app
