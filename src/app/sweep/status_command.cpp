// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/command.hpp"
#include "app/output.hpp"
#include "app/sweep/status.hpp"

namespace trnsim::app {

ExitCode status_command(const Args& args, Console& console) {
  Options spec("status", "DIR [OPTIONS]", "Tells how far a sweep is: points by status, rate, what is left; per shard for a Slurm sweep.");
  spec.value("json", "FILE", "Write the same as JSON; - is stdout").positional(1, 1, "folder of results").example("trnsim status results");
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  const SweepStatus status = read_status(options.positional.front());
  if (options.has("json")) write_file(options.value("json"), status_json(status), console);
  if (options.value("json") != "-") console.out << status_text(status);
  return ExitCode::Done;
}

}  // namespace trnsim::app
