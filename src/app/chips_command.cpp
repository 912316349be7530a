// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "app/command.hpp"
#include "app/execute.hpp"
#include "app/json.hpp"
#include "app/request.hpp"
#include "trnsim/config/show.hpp"

namespace trnsim::app {
namespace {

ExitCode list_command(const Args& args, Console& console) {
  Options spec("chips list", "", "Lists the chip presets.");
  spec.example("trnsim chips list");
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  console.out << list_chips();
  return ExitCode::Done;
}

std::string derived_json(const ChipConfig& chip) {
  Json json{{"trnsim_derived", "1.0"}, {"chip", chip.name}, {"figures", Json::array()}};
  for (const DerivedFigure& f : derived_figures(chip))
    json["figures"].push_back({{"group", f.group}, {"name", f.name}, {"value", f.value}, {"unit", f.unit}, {"formula", f.formula}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

ExitCode show_command(const Args& args, Console& console) {
  Options spec("chips show", "NAME|FILE [--sources] [--derived] [--json]", "Prints a resolved chip description.");
  spec.list("set", "PATH=VALUE", "Change one number first")
      .flag("allow-unknown", "Unknown keys of a chip file are warnings, not errors")
      .flag("sources", "Where every number comes from, how sure it is, and sources that disagree")
      .flag("derived", "What follows from the numbers: capacities, peaks, bandwidths, ridge points")
      .flag("json", "As a chip file for --chip; --sources adds the sources; with --derived these figures instead")
      .positional(1, 1, "the name of a chip");
  spec.example("trnsim chips show trn2 --derived").example("trnsim chips show trn3 --sources");
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  std::vector<std::string> warnings;
  const ChipConfig chip = load_chip(options.positional.front(), {options.list("set"), options.has("allow-unknown")}, warnings);
  print_warnings(warnings, console);
  if (options.has("json")) {
    if (options.has("derived") && options.has("sources"))
      throw UsageError("--json writes --sources or --derived, not both; see trnsim chips show --help");
    const std::string text = options.has("derived") ? derived_json(chip) : to_json(chip, options.has("sources"));
    console.out << text << (text.ends_with('\n') ? "" : "\n");
    return ExitCode::Done;
  }
  const bool sources = options.has("sources"), derived = options.has("derived");
  if (sources) console.out << show_sources(chip);
  if (derived) console.out << (sources ? "\n" : "") << show_derived(chip);
  if (!sources && !derived) console.out << show_chip(chip);
  return ExitCode::Done;
}

ExitCode diff_command(const Args& args, Console& console) {
  Options spec("chips diff", "A B", "Prints the numbers, derived quantities and features in which two chips differ.");
  spec.positional(2, 2, "the names of two chips").example("trnsim chips diff trn2 trn3");
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  std::vector<std::string> warnings;
  const ChipConfig a = load_chip(options.positional[0], {}, warnings), b = load_chip(options.positional[1], {}, warnings);
  print_warnings(warnings, console);
  console.out << diff_chips(a, b);
  return ExitCode::Done;
}

}  // namespace

ExitCode chips_command(const Args& args, Console& console) {
  return run_subcommand("chips", "Lists, shows and compares chip descriptions.",
                        {{"list", "List the presets", list_command},
                         {"show", "Print a description, its sources or what follows from it", show_command},
                         {"diff", "Print in what two chips differ", diff_command}},
                        args, console);
}

}  // namespace trnsim::app
