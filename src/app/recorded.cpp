// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/recorded.hpp"

#include <fmt/format.h>

#include <cmath>

#include "app/json.hpp"
#include "app/options.hpp"
#include "app/read_file.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/version.hpp"

namespace trnsim::app {

namespace {

std::string name_for_messages(const std::string& path) { return path == "-" ? "stdin" : path; }

}  // namespace

std::string read_result_text(const std::string& path) { return parse_json(read_file(path), name_for_messages(path), kResultFormat).dump(); }

Recorded recorded_in(const std::string& path, const std::string& text) {
  Recorded recorded;
  recorded.file = name_for_messages(path);
  recorded.json = text;
  const Json json = Json::parse(text);
  Options options("run", "", "");
  add_run_options(options);
  recorded.request = run_request(options.parse(split_command_line(text_at(json, "/command", recorded.file))));
  recorded.config_hash = text_at(json, "/chip/config_hash", recorded.file);
  if (json.contains("/workload/hash"_json_pointer) && json.at("/workload/hash"_json_pointer).is_string())
    recorded.workload_hash = json.at("/workload/hash"_json_pointer);
  if (json.contains("time_ns") && json["time_ns"].is_number()) recorded.time_ns = json["time_ns"];
  const bool truncated = json.contains("truncated") && json["truncated"].is_string();
  if (truncated && recorded.request.max_time.empty())
    throw InputError(fmt::format("{}: this run was stopped by hand, which cannot be repeated", recorded.file));
  return recorded;
}

Recorded read_result(const std::string& path) { return recorded_in(path, read_result_text(path)); }

RecordedChip chip_of(const Recorded& recorded, std::vector<std::string>& warnings, Console& console) {
  std::string reason;
  try {
    ChipConfig chip = load(recorded.request, warnings);
    if (config_hash(chip) == recorded.config_hash) return {std::move(chip), false};
    reason = "has changed since";
  } catch (const Error& error) {
    reason = fmt::format("cannot be loaded ({})", error.what());
  }
  warnings.clear();
  console.err << fmt::format("trnsim: warning: chip {} {}; using the description in {}\n", recorded.request.chip, reason, recorded.file);
  return {parse_chip(Json::parse(recorded.json).at("chip").at("config").dump(), recorded.file, {}, warnings), true};
}

void check_same(const Recorded& recorded, const Result& result) {
  if (!recorded.workload_hash.empty() && recorded.workload_hash != result.context.workload_hash) {
    throw InputError(fmt::format("{}: its workload has changed since: hash {} there, {} now", recorded.file, recorded.workload_hash,
                                 result.context.workload_hash));
  }
  if (std::abs(recorded.time_ns - result.time_ns) > 0.0005) {
    throw InputError(fmt::format("{}: the run takes {} ns now, {} ns there: made by another version of trnsim?", recorded.file,
                                 result.time_ns, recorded.time_ns));
  }
}

}  // namespace trnsim::app
