// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>

#include "app/check/result_diff.hpp"
#include "app/check/text_table.hpp"
#include "app/check/verdict.hpp"
#include "app/json.hpp"
#include "trnsim/version.hpp"

namespace trnsim::app {
namespace {

std::string text_or_absent(const std::string& value) { return value.empty() ? "absent" : value; }

std::string section(const std::string& title, const std::vector<ChangedText>& changed, const std::string& same) {
  if (changed.empty()) return fmt::format("{}: same{}\n", title, same);
  std::vector<std::vector<std::string>> rows;
  for (const ChangedText& one : changed) rows.push_back({one.path, text_or_absent(one.before), "->", text_or_absent(one.after)});
  return title + "\n" + text_table(rows, {true, false, true, true});
}

std::string number(double value, FactGroup group) {
  return group == FactGroup::Traffic ? fmt::format("{:.0f}", value) : fmt::format("{:.3f}", value);
}

std::string signed_number(double value, FactGroup group) {
  return group == FactGroup::Traffic ? fmt::format("{:+.0f}", value) : fmt::format("{:+.3f}", value);
}

std::string totals(const ResultDiff& diff) {
  const ResultFacts &a = diff.a, &b = diff.b;
  std::vector<std::vector<std::string>> rows{{"total", "A", "B", "change", ""}};
  const auto add = [&rows](const std::string& name, double before, double after) {
    rows.push_back({name, fmt::format("{:.3f}", before), fmt::format("{:.3f}", after), fmt::format("{:+.3f}", after - before),
                    percent_change(before, after)});
  };
  add("time_ns", a.time_ns, b.time_ns);
  if (a.launch_ns != b.launch_ns) add("launch_ns", a.launch_ns, b.launch_ns);
  const bool comparable = diff.same_clock;
  rows.push_back({"cycles", std::to_string(a.cycles), std::to_string(b.cycles),
                  comparable ? fmt::format("{:+}", static_cast<std::int64_t>(b.cycles) - static_cast<std::int64_t>(a.cycles)) : "-",
                  comparable ? percent_change(static_cast<double>(a.cycles), static_cast<double>(b.cycles)) : ""});
  std::string text = text_table(rows, {true, false, false, false, false});
  if (!comparable) {
    text += fmt::format("  cycles are of different clocks, {} and {} GHz: compare the time\n", a.cycle_clock_ghz, b.cycle_clock_ghz);
  }
  if (a.cores != b.cores) text += fmt::format("  cores: {} -> {}\n", a.cores, b.cores);
  for (const ResultFacts* one : {&a, &b}) {
    if (!one->truncated.empty()) text += fmt::format("  {} is of a run that was stopped early: {}\n", one->file, one->truncated);
  }
  return text;
}

std::string group_table(const ResultDiff& diff, FactGroup group, const std::string& title, bool all) {
  std::vector<std::vector<std::string>> rows{{title, "A", "B", "change", ""}};
  for (const ChangedFact& fact : diff.facts) {
    if (fact.group != group || (!all && fact.change() == 0)) continue;
    rows.push_back({fact.name, number(fact.before, group), number(fact.after, group), signed_number(fact.change(), group),
                    percent_change(fact.before, fact.after)});
  }
  if (rows.size() == 1) return fmt::format("{}: same\n", title);
  return text_table(rows, {true, false, false, false, false});
}

Json changed_json(const std::vector<ChangedText>& changed) {
  Json list = Json::array();
  for (const ChangedText& one : changed) {
    const auto value = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    list.push_back({{"path", one.path}, {"a", value(one.before)}, {"b", value(one.after)}});
  }
  return list;
}

}  // namespace

std::string diff_report(const ResultDiff& diff, bool all) {
  std::string text = fmt::format("A  {}\nB  {}\n", diff.a.file, diff.b.file);
  if (diff.identical()) text += diff.tool.empty() ? "identical\n" : "identical numbers from different tools\n";
  if (diff.identical() && !all) return text + (diff.tool.empty() ? "" : section("tool", diff.tool, ""));
  text += "\n" + section("tool", diff.tool, fmt::format(", {} ({})", diff.a.tool[0].second, diff.a.tool[1].second));
  text += section("chip", diff.config, ", " + diff.a.chip) + section("workload", diff.workload, "");
  text += "\n" + totals(diff);
  text += "\n" + group_table(diff, FactGroup::EngineTime, "engine time, ns per core", all);
  text += "\n" + group_table(diff, FactGroup::Traffic, "traffic", all);
  text += "\n" + group_table(diff, FactGroup::Energy, "energy, pJ", all);
  const bool nothing_above = std::all_of(diff.facts.begin(), diff.facts.end(), [](const ChangedFact& fact) { return fact.change() == 0; });
  if (all || nothing_above) text += "\n" + section("all values", diff.values, "");
  return text + "\n" + diff_sentence(diff) + "\n";
}

std::string diff_json(const ResultDiff& diff) {
  Json json;
  json[std::string(kDiffFormat.key)] = fmt::format("{}.{}", kDiffFormat.major, kDiffFormat.minor);
  json["a"] = diff.a.file;
  json["b"] = diff.b.file;
  json["identical"] = diff.identical();
  json["tool"] = changed_json(diff.tool);
  json["chip"] = changed_json(diff.config);
  json["workload"] = changed_json(diff.workload);
  json["values"] = changed_json(diff.values);
  json["time_ns"] = {{"a", diff.a.time_ns}, {"b", diff.b.time_ns}};
  json["cycles"] = {{"a", diff.a.cycles}, {"b", diff.b.cycles}, {"comparable", diff.same_clock}};
  json["components"] = Json::array();
  for (const ChangedFact& fact : diff.facts) {
    const char* unit = fact.group == FactGroup::EngineTime ? "ns"
                       : fact.group == FactGroup::Energy   ? "pJ"
                       : fact.name.ends_with("bytes")      ? "bytes"
                                                           : "count";
    json["components"].push_back({{"name", fact.name}, {"unit", unit}, {"a", fact.before}, {"b", fact.after}, {"change", fact.change()}});
  }
  const ChangedFact* most = diff.largest();
  json["largest"] = most == nullptr ? Json() : Json(most->name);
  json["sentence"] = diff_sentence(diff);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace trnsim::app
