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

/// The number at a JSON pointer such as "/dma/bytes".
double number_at(const Json& json, const std::string& pointer, const std::string& file) {
  const Json::json_pointer at(pointer);
  if (!json.contains(at)) throw InputError(fmt::format("{}: no number at {}", file, pointer));
  if (!json.at(at).is_number()) throw InputError(fmt::format("{}: {}: want a number, not {}", file, pointer, json.at(at).dump()));
  return json.at(at).get<double>();
}

void add_engines(const Json& json, ResultFacts& facts) {
  for (const auto& [engine, account] : json.at("engines").items()) {
    const std::string place = "/engines/" + engine;
    const double ns_per_cycle = 1 / number_at(json, place + "/clock_ghz", facts.file) / static_cast<double>(facts.cores);
    const auto add = [&, name = engine](const std::string& heading, const std::string& key) {
      facts.facts.push_back({FactGroup::EngineTime, name + " " + heading, number_at(json, place + key, facts.file) * ns_per_cycle});
    };
    add("busy", "/busy_cycles");
    for (const auto& stall : account.at("stall_cycles").items()) add(stall.key(), "/stall_cycles/" + stall.key());
    add("idle", "/idle_cycles");
  }
}

void add_traffic(const Json& json, ResultFacts& facts) {
  const auto add = [&](const std::string& heading, const std::string& pointer) {
    facts.facts.push_back({FactGroup::Traffic, heading, number_at(json, pointer, facts.file)});
  };
  for (const char* key : {"bytes", "descriptors", "transfers"}) add(std::string("DMA ") + key, std::string("/dma/") + key);
  for (const char* key : {"read_bytes", "write_bytes", "row_hits", "row_misses", "refreshes", "back_pressure"}) {
    add(std::string("HBM ") + key, std::string("/hbm/") + key);
  }
}

ResultFacts facts_of(const Json& json, const std::string& file) {
  ResultFacts facts;
  facts.file = file;
  for (const char* key : {"version", "commit"}) facts.tool.emplace_back(key, text_at(json, (std::string("/tool/") + key).c_str(), file));
  facts.config = flat(json.at("chip").at("config"));
  facts.workload = flat(json.at("workload"));
  Json rest = json;
  for (const char* key : {"run_info", "tool", "command", "workload"}) rest.erase(key);
  rest["chip"].erase("config");
  facts.rest = flat(rest);
  facts.chip = text_at(json, "/chip/name", file);
  facts.command = text_at(json, "/command", file);
  if (json.at("truncated").is_string()) facts.truncated = json.at("truncated").get<std::string>();
  (void)number_at(json, "/cycles", file);
  facts.cycles = json.at("cycles").get<std::uint64_t>();
  facts.cores = json.at("cores").size();
  facts.time_ns = number_at(json, "/time_ns", file);
  facts.launch_ns = number_at(json, "/launch_ns", file);
  facts.cycle_clock_ghz = number_at(json, "/engines/tensor/clock_ghz", file);
  if (facts.cores == 0) throw InputError(file + ": cores: the result has none");
  add_engines(json, facts);
  add_traffic(json, facts);
  for (const auto& component : json.at("energy").at("components").items()) {
    facts.facts.push_back({FactGroup::Energy, "energy " + component.key(), number_at(json, "/energy/components/" + component.key(), file)});
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
