// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/result_diff.hpp"
#include "app/command.hpp"
#include "app/output.hpp"

namespace trnsim::app {

ExitCode diff_results_command(const Args& args, Console& console) {
  Options spec("diff", "A.json B.json [OPTIONS]",
               "Compares two result files: differences of tool, chip and workload first, then what moved, by size. Times compare across\n"
               "clocks, cycles do not.");
  spec.value("json", "FILE", "Write the comparison as JSON; - is stdout")
      .flag("all,a", "Numbers that did not change too")
      .flag("exit-code", "Exit code 1 if anything but the tool differs; without it 0 either way")
      .positional(2, 2, "two result files")
      .example("trnsim diff before.json after.json");
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  const bool json = options.has("json");
  check_places({options.value("json")}, options.positional);
  if (json) check_writable(options.value("json"));
  if (options.positional[0] == "-" && options.positional[1] == "-") throw UsageError("only one of the two results can be stdin");
  const ResultDiff diff = diff_results(read_facts(options.positional[0]), read_facts(options.positional[1]));
  if (json) write_file(options.value("json"), diff_json(diff), console);
  if (options.value("json") != "-") console.out << diff_report(diff, options.has("all"));
  return options.has("exit-code") && !diff.identical() ? ExitCode::CheckFailed : ExitCode::Done;
}

}  // namespace trnsim::app
