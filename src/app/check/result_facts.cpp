// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/result_facts.hpp"

#include <fmt/format.h>

#include "app/json.hpp"
#include "app/read_file.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

/// "/hbm/row_bytes" → "hbm.row_bytes".
NamedValues flat(const Json& json) {
  NamedValues values;
  if (json.empty()) return values;
  const Json leaves = json.flatten();  // items() does not keep it alive
  for (const auto& [pointer, value] : leaves.items()) {
    std::string path = pointer.substr(1);
    for (char& c : path) {
      if (c == '/') c = '.';
    }
    values.emplace_back(std::move(path), value.dump());
  }
  return values;
}

void add_engines(const Json& engines, double cores, std::vector<Fact>& facts) {
  for (const auto& [engine, account] : engines.items()) {
    const double ns_per_cycle = 1 / account.at("clock_ghz").get<double>() / cores;
    const auto add = [&, name = engine](const std::string& heading, const Json& cycles) {
      facts.push_back({FactGroup::EngineTime, name + " " + heading, cycles.get<double>() * ns_per_cycle});
    };
    add("busy", account.at("busy_cycles"));
    for (const auto& [cause, cycles] : account.at("stall_cycles").items()) add(cause, cycles);
    add("idle", account.at("idle_cycles"));
  }
}

void add_traffic(const Json& json, std::vector<Fact>& facts) {
  for (const char* key : {"bytes", "descriptors", "transfers"}) {
    facts.push_back({FactGroup::Traffic, std::string("DMA ") + key, json.at("dma").at(key).get<double>()});
  }
  for (const char* key : {"read_bytes", "write_bytes", "row_hits", "row_misses", "refreshes", "back_pressure"}) {
    facts.push_back({FactGroup::Traffic, std::string("HBM ") + key, json.at("hbm").at(key).get<double>()});
  }
}

ResultFacts facts_of(const Json& json, const std::string& file) {
  ResultFacts facts;
  facts.file = file;
  for (const char* key : {"version", "commit"}) facts.tool.emplace_back(key, json.at("tool").at(key).get<std::string>());
  facts.config = flat(json.at("chip").at("config"));
  facts.workload = flat(json.at("workload"));
  Json rest = json;
  for (const char* key : {"run_info", "tool", "command", "workload"}) rest.erase(key);
  rest["chip"].erase("config");
  facts.rest = flat(rest);
  facts.chip = json.at("chip").at("name").get<std::string>();
  facts.command = json.at("command").get<std::string>();
  if (json.at("truncated").is_string()) facts.truncated = json.at("truncated").get<std::string>();
  facts.cycles = json.at("cycles").get<std::uint64_t>();
  facts.cores = json.at("cores").size();
  facts.time_ns = json.at("time_ns").get<double>();
  facts.launch_ns = json.at("launch_ns").get<double>();
  facts.cycle_clock_ghz = json.at("engines").at("tensor").at("clock_ghz").get<double>();
  if (facts.cores == 0) throw InputError(file + ": cores: the result has none");
  add_engines(json.at("engines"), static_cast<double>(facts.cores), facts.facts);
  add_traffic(json, facts.facts);
  for (const auto& [name, value] : json.at("energy").at("components").items()) {
    facts.facts.push_back({FactGroup::Energy, "energy " + name, value.get<double>()});
  }
  return facts;
}

}  // namespace

ResultFacts parse_facts(std::string_view text, const std::string& file) {
  const Json json = parse_json(text, file, kResultFormat);
  try {
    return facts_of(json, file);
  } catch (const Json::exception& error) {
    const std::string what = error.what();
    const std::size_t end = what.find("] ");
    throw InputError(fmt::format("{}: not a complete result file: {}", file, end == std::string::npos ? what : what.substr(end + 2)));
  }
}

ResultFacts read_facts(const std::string& path) { return parse_facts(read_file(path), path == "-" ? "stdin" : path); }

}  // namespace trnsim::app
