// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/bound.hpp"

#include <utility>

#include "app/execute.hpp"
#include "app/execute_layers.hpp"
#include "app/stop_signal.hpp"

namespace trnsim::app {

BoundReport bound_of(const RunRequest& request, const ChipConfig& chip, std::vector<std::string> warnings, Console& console) {
  BoundReport report;
  if (!request.gemm_list.empty()) {
    report = bound_layers(request, chip);
  } else {
    const StopSignal stop;
    Workload work = open_workload(request, chip, {{}, &console.err, &stop.flag()});
    report.workload_name = work.name;
    report.workload_source = work.source;
    if (!work.programs.empty()) report.params = work.programs.front()->info().params;
    BoundOptions options;
    if (request.kernel.empty()) options.most_records = ~std::uint64_t{0};  // a trace has been read once already
    report.bound = lower_bound(chip, work, options);
  }
  report.chip = chip;
  report.command = command_line(request) + " --bound";
  report.warnings.insert(report.warnings.begin(), warnings.begin(), warnings.end());
  return report;
}

}  // namespace trnsim::app
