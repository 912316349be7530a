// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/check_run.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "app/execute.hpp"
#include "app/json.hpp"
#include "app/nki/recordings.hpp"
#include "trnsim/config/load.hpp"

namespace trnsim::app {
namespace {

/// In a forked process, whose folder can be the golden file's.
std::string simulate_case(const CheckedCase& checked, const std::filesystem::path& start) {
  const std::string configs = std::filesystem::absolute(config_directory()).string();
  ::setenv("TRNSIM_CONFIGS", configs.c_str(), 1);
  std::error_code failed;
  std::filesystem::current_path(start / checked.file->folder, failed);
  if (failed) throw IoError(fmt::format("{}: {}", checked.file->folder, failed.message()));
  Options options("run", "", "");
  add_run_options(options);
  return to_json(execute_quietly(run_request(options.parse(checked.golden->args))));
}

}  // namespace

void read_values(CaseRun& run, const std::string& name) {
  const Json json = parse_json(run.result, name, kResultFormat);
  run.values = {json.at("cycles").get<std::uint64_t>(), json.at("energy").at("total_pj").get<double>(),
                json.at("dma").at("bytes").get<std::uint64_t>(), json.at("time_ns").get<double>(),
                json.at("engines").at("tensor").at("clock_ghz").get<double>()};
  if (json.at("truncated").is_string()) run.truncated = json.at("truncated").get<std::string>();
}

void run_cases(std::vector<CheckedCase>& cases, unsigned workers, bool quiet, Console& console) {
  const bool show = !quiet && console.err_terminal.interactive;
  const auto finished = [&](std::size_t done) {
    if (show) console.err << fmt::format("\r\033[K{} of {} cases", done, cases.size()) << std::flush;
  };
  const Recordings recordings;
  const auto simulate = [&cases, start = std::filesystem::current_path()](std::size_t i) { return simulate_case(cases[i], start); };
  const std::vector<JobOutcome> outcomes = run_jobs(cases.size(), simulate, workers, {}, finished);
  if (show) console.err << "\r\033[K" << std::flush;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CaseRun& run = cases[i].run;
    run.end = outcomes[i].end;
    if (run.end != JobEnd::Done) {
      run.error = outcomes[i].text;
      continue;
    }
    run.result = outcomes[i].text;
    read_values(run, cases[i].golden->name);
  }
}

}  // namespace trnsim::app
