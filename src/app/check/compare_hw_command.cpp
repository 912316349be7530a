// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "app/check/profile.hpp"
#include "app/command.hpp"
#include "app/output.hpp"
#include "app/read_file.hpp"
#include "app/request.hpp"

namespace trnsim::app {
namespace {

Options compare_hw_options() {
  Options options(
      "compare-hw", "RESULT.json PROFILE.json [OPTIONS]",
      "Compares a result with figures measured on hardware, metric by metric, in one unit each. Another chip, another number of\n"
      "cores or a run that was stopped early is refused.");
  options.value("chip,c", "NAME", "Chip that was measured, if the profile does not say")
      .value("cores", "N", "Physical cores that were used, if the profile does not say")
      .value("json", "FILE", "Write the comparison as JSON; - is stdout")
      .flag("list", "List metrics, their units and definitions")
      .positional(0, 2, "a result file and a profile")
      .note(
          "PROFILE.json: {\"trnsim_profile\": \"1.0\", \"chip\": …, \"cores\": …, \"metrics\": [{\"metric\": …, \"value\": …, \"unit\": "
          "…}]}, or the\n"
          "summary that the vendor's profiler writes as JSON, with --chip and --cores.")
      .example("trnsim compare-hw --list");
  return options;
}

std::string metric_list() {
  std::string text;
  for (const Metric& metric : metrics()) {
    std::string units, definitions;
    for (const std::string_view unit : unit_names(metric.dimension)) units += fmt::format(" {}", unit);
    for (const std::string_view definition : metric.definitions) definitions += fmt::format(" {}", definition);
    text += fmt::format("{}: {}\n  units:{}\n  definitions, the first is the simulator's:{}\n", metric.name, metric.meaning, units,
                        definitions);
  }
  return text;
}

/// What the profile leaves open comes from the command line; what it says must not be contradicted.
void complete(Profile& profile, const ParsedOptions& options) {
  const std::string chip = options.value("chip", profile.chip);
  const std::uint64_t cores = options.has("cores") ? parse_cores(options.value("cores")) : profile.cores;
  if (chip.empty() || cores == 0) throw UsageError("the profile names no chip and no cores: want --chip NAME and --cores N");
  if (!profile.chip.empty() && chip != profile.chip) throw UsageError(fmt::format("--chip {}: the profile says {}", chip, profile.chip));
  if (profile.cores != 0 && cores != profile.cores) throw UsageError(fmt::format("--cores {}: the profile says {}", cores, profile.cores));
  profile.chip = chip;
  profile.cores = cores;
}

}  // namespace

ExitCode compare_hw_command(const Args& args, Console& console) {
  const Options spec = compare_hw_options();
  const ParsedOptions options = spec.parse(args);
  if (options.help() || options.has("list")) {
    console.out << (options.help() ? spec.help() : metric_list());
    return ExitCode::Done;
  }
  if (options.positional.size() != 2) throw UsageError("trnsim compare-hw needs a result file and a profile; see trnsim compare-hw --help");
  const std::string &result = options.positional[0], &measured = options.positional[1];
  if (result == "-" && measured == "-") throw UsageError("only one of result and profile can be stdin");
  check_places({options.value("json")}, options.positional);
  if (options.has("json")) check_writable(options.value("json"));
  const SimulatedFigures figures = parse_figures(read_file(result), result == "-" ? "stdin" : result);
  Profile profile = parse_profile(read_file(measured), measured == "-" ? "stdin" : measured);
  complete(profile, options);
  const auto rows = compare_figures(figures, profile);
  if (options.has("json")) write_file(options.value("json"), hardware_json(rows, profile), console);
  if (options.value("json") == "-") return ExitCode::Done;
  console.out << fmt::format("{} on {}, {} {}\n", figures.workload, figures.chip, figures.cores, figures.cores == 1 ? "core" : "cores");
  if (figures.overrides > 0) console.out << fmt::format("note: {} keys of the chip were changed by --set\n", figures.overrides);
  if (!profile.source.empty()) console.out << fmt::format("measured: {}\n", profile.source);
  console.out << hardware_table(rows);
  return ExitCode::Done;
}

}  // namespace trnsim::app
