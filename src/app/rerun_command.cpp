// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "app/command.hpp"
#include "app/execute.hpp"
#include "app/json.hpp"
#include "app/output.hpp"
#include "app/recorded.hpp"

namespace trnsim::app {
namespace {

constexpr std::size_t kShownDifferences = 5;

/// Only what must be equal between two runs of one input.
Json comparable(Json json, bool with_chip) {
  json.erase("run_info");
  json.erase("tool");
  json.erase("uncertainty");  // a rerun repeats the run, not the study
  json.erase("influences");
  if (!with_chip) {
    json.erase("chip");
    json.erase("warnings");
  }
  return json;
}

std::vector<std::string> differences(const Json& before, const Json& after) {
  std::vector<std::string> lines;
  const Json a = before.flatten(), b = after.flatten();
  for (const auto& [path, value] : a.items()) {
    if (!b.contains(path)) {
      lines.push_back(fmt::format("{}: {} -> absent", path, value.dump()));
    } else if (b[path] != value) {
      lines.push_back(fmt::format("{}: {} -> {}", path, value.dump(), b[path].dump()));
    }
  }
  for (const auto& [path, value] : b.items()) {
    if (!a.contains(path)) lines.push_back(fmt::format("{}: absent -> {}", path, value.dump()));
  }
  return lines;
}

}  // namespace

ExitCode rerun_command(const Args& args, Console& console) {
  Options spec("rerun", "RESULT.json [--json FILE]",
               "Repeats the run behind a result file and compares everything but run_info and the tool's version.\n"
               "Exit code 1 if a number differs.");
  spec.value("json", "FILE", "Write the new result; - is stdout")
      .flag("quiet,q", "No progress")
      .positional(1, 1, "the name of a result file");
  spec.example("trnsim rerun result.json");
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  const std::string& file = options.positional.front();
  const Recorded recorded = read_result(file);
  if (options.has("json")) check_writable(options.value("json"));
  std::vector<std::string> warnings;
  const RecordedChip chip = chip_of(recorded, warnings, console);
  const Result result =
      execute(recorded.request, chip.config, warnings, options.has("quiet") ? ProgressMode::Off : ProgressMode::Auto, console);
  const std::string text = to_json(result);
  if (options.has("json")) write_file(options.value("json"), text, console);

  const bool with_chip = !chip.as_recorded;
  const auto lines = differences(comparable(Json::parse(recorded.json), with_chip), comparable(Json::parse(text), with_chip));
  std::ostream& report = options.value("json") == "-" ? console.err : console.out;
  if (lines.empty()) {
    report << fmt::format("{}: same result, {} cycles\n", file, result.cycles);
    return ExitCode::Done;
  }
  report << fmt::format("{}: {} fields differ\n", file, lines.size());
  for (std::size_t i = 0; i < std::min(lines.size(), kShownDifferences); ++i) report << "  " << lines[i] << '\n';
  return ExitCode::CheckFailed;
}

}  // namespace trnsim::app
