// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/trace_check.hpp"

#include <fmt/format.h>

#include "app/execute.hpp"
#include "app/json.hpp"
#include "app/output.hpp"
#include "app/whole_number.hpp"
#include "trnsim/races.hpp"
#include "trnsim/trace.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::app {
namespace {

constexpr const char* kDefaultChip = "trn2";
constexpr std::uint64_t kMostRaces = 1'000'000;

Options check_options() {
  Options spec(
      "trace check", "FILE [--chip NAME|FILE] [--explicit]",
      "Checks every line of a trace for a chip (default trn2): format, operands, sizes, buffers, dependencies; then looks for races: "
      "places that are read before they are written, or reused too early.");
  add_chip_options(spec);
  spec.flag("explicit", "Only `after` orders the engines: report every pair of accesses that it leaves open, with the missing wait")
      .value("most", "N", "Races to list (default 20); all are counted")
      .value("json", "FILE", "Write the races as JSON; - is stdout")
      .positional(1, 1, "the name of a trace file")
      .note("Exit codes: 0 nothing found, 1 races, 2 the trace cannot be used (4 when it cannot be read).")
      .example("trnsim trace check k.jsonl --chip trn2");
  return spec;
}

/// "kernel.py:12" of an instruction, if it is known.
std::string source_of(const RaceAccess& access, const ProgramInfo& info) {
  if (!access.at.known() || access.at.file >= info.files.size()) return {};
  return fmt::format("{}:{}", info.files[access.at.file], access.at.line);
}

std::string access_text(const RaceAccess& access, const ProgramInfo& info) {
  const std::string source = source_of(access, info);
  return fmt::format("{} on {}{}", trnsim::info(access.op).name, name_of(access.engine), source.empty() ? "" : " (" + source + ")");
}

/// What to do about a race, as the end of a sentence.
std::string advice(const Race& race) {
  const std::uint32_t line = race.second.line;
  switch (race.kind) {
    case RaceKind::NeverWritten: return "write it first, or read less";
    case RaceKind::Overwritten: return "move one of the two tiles, or read before it is overwritten";
    default: break;
  }
  const std::string later = race.wait_line == race.first.line ? "" : fmt::format(", which comes after line {},", race.first.line);
  std::string text = fmt::format("add the id of line {}{} to 'after' of line {}", race.wait_line, later, line);
  if (race.after_full) text += ", which has room for four: give the rest to an earlier instruction of its engine";
  return text;
}

std::string race_text(const std::string& file, const Race& race, const ProgramInfo& info) {
  const std::string start = fmt::format("{}:{}: {}: {}", file, race.second.line, name_of(race.kind), access_text(race.second, info));
  const std::string by = fmt::format("line {}, {}", race.first.line, access_text(race.first, info));
  std::string what;
  switch (race.kind) {
    case RaceKind::NeverWritten:
      what = fmt::format(" reads {}, of which bytes were never written, {}", race.second.operand, race.detail);
      break;
    case RaceKind::Overwritten:
      what = fmt::format(" reads {}, which {}, has overwritten as {}", race.second.operand, by, race.first.operand);
      break;
    case RaceKind::ReadBeforeWrite:
      what = fmt::format(" reads {} and does not wait for {}, which writes {}", race.second.operand, by, race.first.operand);
      break;
    case RaceKind::WriteAfterRead:
      what = fmt::format(" writes {} and does not wait for {}, which reads {}", race.second.operand, by, race.first.operand);
      break;
    case RaceKind::OverlappingWrites:
      what = fmt::format(" writes {} and does not wait for {}, which writes {}", race.second.operand, by, race.first.operand);
      break;
  }
  return fmt::format("{}{}; {}", start, what, advice(race));
}

Json access_json(const RaceAccess& access, const ProgramInfo& info) {
  Json json{{"line", access.line}, {"op", trnsim::info(access.op).name}, {"engine", name_of(access.engine)}, {"region", access.operand}};
  if (const std::string source = source_of(access, info); !source.empty()) json["source"] = source;
  return json;
}

std::string races_json(const std::string& file, const std::string& chip, bool explicit_waits, const RaceReport& report,
                       const ProgramInfo& info) {
  Json json{{"trnsim_races", "1.0"},       {"trace", file},         {"chip", chip}, {"explicit", explicit_waits}, {"found", report.found},
            {"complete", report.complete}, {"races", Json::array()}};
  for (const Race& race : report.races) {
    Json item{{"kind", name_of(race.kind)}};
    if (race.first.line != 0) item["first"] = access_json(race.first, info);
    item["second"] = access_json(race.second, info);
    if (!race.detail.empty()) item["unwritten"] = race.detail;
    if (race.wait_line != 0) item["wait"] = {{"line", race.second.line}, {"after_line", race.wait_line}};
    item["advice"] = advice(race);
    json["races"].push_back(std::move(item));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string races_text(const std::string& file, const ChipConfig& chip, const RaceReport& report, const ProgramInfo& info) {
  std::string text;
  for (const Race& race : report.races) text += race_text(file, race, info) + "\n";
  if (report.found > report.races.size()) text += fmt::format("{}: {} more\n", file, report.found - report.races.size());
  if (report.found != 0) text += fmt::format("{}: {} race{}\n", file, report.found, report.found == 1 ? "" : "s");
  if (!report.complete) text += fmt::format("{}: some accesses were too many and too scattered to be held against all later ones\n", file);
  if (report.found == 0) text += fmt::format("{}: no problems on {}\n", file, chip.name);
  return text;
}

/// Names the file in what is wrong with the order of a trace.
RaceReport races_of(Program& program, const ChipConfig& chip, const RaceOptions& options, const std::string& file) {
  try {
    return find_races(program, chip, options);
  } catch (const ProgramError& error) {
    const std::string what = error.what();
    throw ProgramError(what.starts_with(file) ? what : file + ": " + what);
  }
}

}  // namespace

ChipConfig trace_chip(const ParsedOptions& options, Console& console) {
  std::vector<std::string> warnings;
  ChipConfig chip = load(options, kDefaultChip, warnings);
  print_warnings(warnings, console);
  return chip;
}

ExitCode trace_check_command(const Args& args, Console& console) {
  const Options spec = check_options();
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  RaceOptions races;
  races.explicit_waits = options.has("explicit");
  if (options.has("most")) races.most = whole_number(options.value("most"), "--most", 0, kMostRaces);
  const std::string& path = options.positional.front();
  check_places({options.value("json")}, {path});
  if (options.has("json")) check_writable(options.value("json"));

  const ChipConfig chip = trace_chip(options, console);
  const Workload workload = open_trace(path, chip);
  Program& program = *workload.programs.front();
  const std::string name = path == "-" ? "stdin" : path;
  const RaceReport report = races_of(program, chip, races, name);
  if (options.has("json"))
    write_file(options.value("json"), races_json(name, chip.name, races.explicit_waits, report, program.info()), console);
  if (options.value("json") != "-") console.out << races_text(name, chip, report, program.info());
  return report.found == 0 ? ExitCode::Done : ExitCode::CheckFailed;
}

}  // namespace trnsim::app
