// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/golden.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "app/check/golden_places.hpp"
#include "app/json.hpp"
#include "app/read_file.hpp"
#include "app/request.hpp"
#include "trnsim/error.hpp"
#include "trnsim/nearest.hpp"
#include "trnsim/version.hpp"

namespace trnsim::app {
namespace {

const std::vector<std::string_view> kCaseKeys{"name",      "about",     "args", "cycles",    "clock_ghz",
                                              "energy_pj", "dma_bytes", "rel",  "min_cycles"};

/// Reads cases and collects what is wrong with them.
class CaseReader {
 public:
  explicit CaseReader(const std::string& path) : path_(path) {}

  GoldenCase read(const Json& json, unsigned line) {
    GoldenCase golden;
    golden.line = line;
    place_ = fmt::format("{}: line {}", path_, line);
    if (!json.is_object()) {
      problem("a case is an object, not " + json.dump());
      return golden;
    }
    read_name(json, golden);
    for (const auto& [key, value] : json.items()) read_key(key, value, golden);
    if (!json.contains("args")) problem("no key args, the arguments of trnsim run");
    return golden;
  }

  void problem(const std::string& text) { problems_.push_back(fmt::format("{}: {}", place_, text)); }
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  void read_name(const Json& json, GoldenCase& golden) {
    if (!json.contains("name") || !json["name"].is_string() || json["name"].get<std::string>().empty()) {
      problem(fmt::format("name: want text, not {}", json.contains("name") ? json["name"].dump() : "nothing"));
      return;
    }
    golden.name = json["name"].get<std::string>();
    place_ += fmt::format(", case '{}'", golden.name);
    const auto [first, is_new] = lines_.emplace(golden.name, golden.line);
    if (!is_new) problem(fmt::format("duplicate name, first on line {}", first->second));
  }

  void read_key(const std::string& key, const Json& value, GoldenCase& golden) {
    if (key == "args") {
      read_args(value, golden);
    } else if (key == "cycles") {
      golden.cycles = count(key, value, 1);
    } else if (key == "dma_bytes") {
      golden.dma_bytes = count(key, value, 0);
    } else if (key == "min_cycles") {
      golden.min_cycles = count(key, value, 0);
    } else if (key == "energy_pj") {
      if (!value.is_number() || !(value.get<double>() > 0))
        return problem(fmt::format("energy_pj: want a number above 0, not {}", value.dump()));
      golden.energy_pj = value.get<double>();
    } else if (key == "clock_ghz") {
      if (!value.is_number() || !(value.get<double>() > 0))
        return problem(fmt::format("clock_ghz: want a number above 0, not {}", value.dump()));
      golden.clock_ghz = value.get<double>();
    } else if (key == "rel") {
      golden.rel_ppb = parse_rel(value.is_string() ? value.get<std::string>() : value.dump());
      if (!golden.rel_ppb) problem(fmt::format("rel: want \"2%\" or 0.02, from 0 to 100 %, not {}", value.dump()));
    } else if (key == "about") {
      if (!value.is_string()) problem(fmt::format("about: want text, not {}", value.dump()));
    } else if (key != "name") {
      problem(fmt::format("unknown key '{}'{}", key, nearest_hint(key, kCaseKeys)));
    }
  }

  std::optional<std::uint64_t> count(const std::string& key, const Json& value, std::uint64_t least) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
    if (value.is_number_unsigned() && value.get<std::uint64_t>() >= least && value.get<std::uint64_t>() <= kMost)
      return value.get<std::uint64_t>();
    problem(fmt::format("{}: want a whole number from {} to 2^53, not {}", key, least, value.dump()));
    return std::nullopt;
  }

  void read_args(const Json& value, GoldenCase& golden) {
    if (!value.is_array() || value.empty())
      return problem(fmt::format("args: want a list of arguments of trnsim run, not {}", value.dump()));
    for (const Json& arg : value) {
      if (!arg.is_string()) return problem(fmt::format("args: want texts, not {}", arg.dump()));
      golden.args.push_back(arg.get<std::string>());
    }
    try {
      Options options("run", "", "");
      add_run_options(options);
      const ParsedOptions parsed = options.parse(golden.args);
      if (parsed.help()) problem("args: --help is no run");
      for (const char* file : {"chip", "trace", "workload", "gemm-list"}) {
        if (parsed.value(file) == "-") problem(fmt::format("args: --{} -: a case cannot read stdin", file));
      }
    } catch (const InputError& error) {
      problem(std::string("args: ") + error.what());
    }
  }

  const std::string& path_;
  std::string place_;
  std::map<std::string, unsigned> lines_;
  std::vector<std::string> problems_;
};

void check_top_keys(const Json& json, const std::string& path, std::vector<std::string>& problems) {
  const std::string version(kGoldenFormat.key);
  for (const auto& [key, value] : json.items()) {
    if (key != version && key != "about" && key != "cases") {
      problems.push_back(fmt::format("{}: unknown key '{}'{}", path, key, nearest_hint(key, {version, "about", "cases"})));
    }
  }
  if (!json.contains("cases") || !json["cases"].is_array()) {
    problems.push_back(
        fmt::format("{}: cases: want a list of cases, not {}", path, json.contains("cases") ? json["cases"].dump() : "nothing"));
  } else if (json["cases"].empty()) {
    problems.push_back(fmt::format("{}: cases: empty, which checks nothing", path));
  }
}

}  // namespace

Tolerance GoldenCase::tolerance(const Tolerance& general) const {
  return {rel_ppb.value_or(general.rel_ppb), min_cycles.value_or(general.min_cycles)};
}

GoldenFile parse_golden(std::string text, const std::string& path) {
  const Json json = parse_json(text, path, kGoldenFormat);
  std::vector<std::string> problems;
  check_top_keys(json, path, problems);
  GoldenFile file{path, "", std::move(text), {}};
  CaseReader reader(path);
  if (problems.empty()) {
    for (const MemberPlace& member : members_at(file.text, json_begin(file.text))) {
      if (member.key != "cases") continue;
      std::size_t index = 0;
      for (const std::size_t place : elements_at(file.text, member.value_begin)) {
        file.cases.push_back(reader.read(json["cases"][index++], line_of(file.text, place)));
      }
    }
  }
  problems.insert(problems.end(), reader.problems().begin(), reader.problems().end());
  if (!problems.empty()) throw InputError(problems);
  return file;
}

GoldenFile read_golden(const std::string& path) {
  namespace fs = std::filesystem;
  GoldenFile file = parse_golden(read_file(path), path == "-" ? "stdin" : path);
  file.path = path;
  file.folder = (path == "-" ? fs::current_path() : fs::absolute(path).parent_path()).string();
  return file;
}

}  // namespace trnsim::app
