// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "config/files.hpp"
#include "trnsim/error.hpp"
#include "trnsim/nearest.hpp"
#include "trnsim/validate.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::json;

/// Reads the keys of one object; collects a line per problem and reports keys nobody asked for.
class ObjectReader {
 public:
  ObjectReader(const Json& json, std::string place, std::vector<std::string>& problems)
      : json_(json), place_(std::move(place)), problems_(problems) {
    if (!json.is_object()) problems.push_back(place_ + ": an object is expected");
  }
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;
  ~ObjectReader() {
    if (!json_.is_object()) return;
    for (const auto& [key, value] : json_.items()) {
      if (known_.contains(key)) continue;
      const std::vector<std::string_view> known(known_.begin(), known_.end());
      problems_.push_back(fmt::format("{}: unknown key '{}'{}", place_, key, nearest_hint(key, known)));
    }
  }

  const Json* find(const char* key) {
    known_.insert(key);
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }
  void problem(const std::string& text) { problems_.push_back(place_ + ": " + text); }
  [[nodiscard]] const std::string& place() const { return place_; }
  std::vector<std::string>& problems() { return problems_; }

  void text(const char* key, std::string& value, bool required = true) {
    const Json* json = find(key);
    if (json == nullptr) {
      if (required) problem(fmt::format("'{}' is missing", key));
    } else if (!json->is_string()) {
      problem(fmt::format("'{}' = {} is not a text", key, json->dump()));
    } else {
      value = json->get<std::string>();
    }
  }
  void number(const char* key, double& value, double min, double max, bool required = false) {
    const Json* json = find(key);
    if (json == nullptr) {
      if (required) problem(fmt::format("'{}' is missing", key));
    } else if (!json->is_number() || !(json->get<double>() >= min) || json->get<double>() > max) {
      problem(fmt::format("'{}' = {} is not a number from {} to {}", key, json->dump(), min, max));
    } else {
      value = json->get<double>();
    }
  }
  void count(const char* key, std::uint32_t& value, std::uint32_t min, std::uint32_t max) {
    double number_value = value;
    number(key, number_value, min, max);
    value = static_cast<std::uint32_t>(number_value);
    if (value != number_value) problem(fmt::format("'{}' = {} is not a whole number", key, number_value));
  }
  void flag(const char* key, bool& value) {
    const Json* json = find(key);
    if (json == nullptr) return;
    if (json->is_boolean()) value = json->get<bool>();
    else problem(fmt::format("'{}' = {} is neither true nor false", key, json->dump()));
  }
  /// A name of an enumeration, through its parser.
  template <class Enum, class Parse>
  void name(const char* key, Enum& value, Parse parse, bool required = false) {
    std::string word;
    text(key, word, required);
    if (word.empty()) return;
    if (const std::optional<Enum> parsed = parse(word)) value = *parsed;
    else problem(fmt::format("'{}' = '{}' is not known", key, word));
  }
  void params(const char* key, KernelParams& values) {
    const Json* json = find(key);
    if (json == nullptr) return;
    if (!json->is_object()) return problem(fmt::format("'{}' is not an object", key));
    for (const auto& [name, value] : json->items()) values[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }

 private:
  const Json& json_;
  std::string place_;
  std::vector<std::string>& problems_;
  std::set<std::string, std::less<>> known_;
};

std::optional<Metric> metric_from(std::string_view name) {
  for (const Metric m :
       {Metric::TimeUs, Metric::GbPerS, Metric::RelativeGbPerS, Metric::Mfu, Metric::Tflops, Metric::IntervalNs, Metric::LatencyNs}) {
    if (name_of(m) == name) return m;
  }
  return std::nullopt;
}

std::string_view unit_of(Metric m) {
  switch (m) {
    case Metric::TimeUs: return "us";
    case Metric::GbPerS: return "GB/s";
    case Metric::Tflops: return "TFLOP/s";
    case Metric::IntervalNs:
    case Metric::LatencyNs: return "ns";
    case Metric::RelativeGbPerS:
    case Metric::Mfu: break;
  }
  return "1";
}

InstructionProbe probe_of(const Json& json, const std::string& place, std::vector<std::string>& problems) {
  ObjectReader in(json, place, problems);
  InstructionProbe probe;
  in.name("op", probe.op, opcode_from, true);
  probe.engine = info(probe.op).default_engine;
  in.name("engine", probe.engine, engine_from);
  in.name("function", probe.function, act_fn_from);
  in.name("alu", probe.alu, alu_op_from);
  in.name("in", probe.in, dtype_from);
  probe.in2 = probe.out = probe.in;
  in.name("in2", probe.in2, dtype_from);
  in.name("out", probe.out, dtype_from);
  in.name("from", probe.from, buffer_from);
  in.name("from2", probe.from2, buffer_from);
  in.name("to", probe.to, buffer_from);
  in.count("partitions", probe.partitions, 1, 128);
  in.count("columns", probe.columns, 1, 65536);
  in.count("stationary", probe.stationary, 1, 128);
  in.count("count", probe.count, 1, 1 << 20);
  in.flag("vector_operand", probe.vector_operand);
  in.flag("chain", probe.chain);
  return probe;
}

void read_quality(ObjectReader& in, ValidationPoint& point) {
  std::string quality;
  in.text("quality", quality);
  if (quality == "A" || quality == "B" || quality == "C") point.quality = quality[0];
  else in.problem(fmt::format("'quality' = '{}' is not A, B or C", quality));
}

void check_workload(ObjectReader& in, const ValidationPoint& point) {
  if (point.kernel.empty() == !point.probe) in.problem("exactly one of 'kernel' and 'probe' is expected");
  const bool slope = point.metric == Metric::IntervalNs || point.metric == Metric::LatencyNs || point.metric == Metric::Tflops;
  if (slope != point.probe.has_value())
    in.problem(fmt::format("'metric' = '{}' needs a {}", name_of(point.metric), slope ? "probe" : "kernel"));
  if ((point.metric == Metric::RelativeGbPerS) == point.reference.empty())
    in.problem("'reference' goes with 'metric' = 'relative_gb_per_s'");
}

ValidationPoint point_of(const Json& json, const std::string& place, std::vector<std::string>& problems) {
  ValidationPoint point;
  const Json* const id = json.is_object() && json.contains("id") && json["id"].is_string() ? &json["id"] : nullptr;
  ObjectReader in(json, id != nullptr ? fmt::format("{} ({})", place, id->get<std::string>()) : place, problems);
  in.text("id", point.id);
  in.text("group", point.group);
  in.text("chip", point.chip);
  in.count("cores", point.cores, 1, 1024);
  in.text("kernel", point.kernel, false);
  in.params("params", point.params);
  in.params("reference", point.reference);
  if (const Json* probe = in.find("probe")) point.probe = probe_of(*probe, in.place() + " probe", problems);
  in.name("metric", point.metric, metric_from, true);
  in.number("measured", point.measured, 1e-9, 1e12, true);
  point.unit = unit_of(point.metric);
  read_quality(in, point);
  in.flag("includes_launch", point.includes_launch);
  in.text("source", point.source);
  in.text("note", point.note, false);
  check_workload(in, point);
  return point;
}

}  // namespace

std::vector<ValidationPoint> parse_validation(std::string_view text, const std::string& file) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw ConfigError(file + ": not valid JSON");
  std::vector<std::string> problems;
  std::vector<ValidationPoint> points;
  std::set<std::string> ids;
  {
    ObjectReader in(json, file, problems);
    std::string version;
    in.text("trnsim_validation", version);
    if (version != "1.0") in.problem(fmt::format("'trnsim_validation' = '{}'; this version reads '1.0'", version));
    const Json* list = in.find("points");
    if (list == nullptr || !list->is_array()) in.problem("'points' is not a list");
    for (std::size_t i = 0; list != nullptr && list->is_array() && i < list->size(); ++i) {
      points.push_back(point_of((*list)[i], fmt::format("{}: points[{}]", file, i), problems));
      if (!ids.insert(points.back().id).second) in.problem(fmt::format("points[{}]: 'id' = '{}' is there twice", i, points.back().id));
    }
  }
  if (!problems.empty()) throw ConfigError(problems);
  return points;
}

std::vector<ValidationPoint> load_validation(const std::string& path) { return parse_validation(read_text(path), path); }

}  // namespace trnsim
