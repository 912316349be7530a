// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "config/files.hpp"
#include "trnsim/error.hpp"
#include "trnsim/nearest.hpp"
#include "trnsim/validate.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::json;

const std::map<std::string, double, std::less<>> kMicroseconds{{"s", 1e6}, {"ms", 1e3}, {"us", 1}, {"ns", 1e-3}};

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
  void texts(const char* key, std::vector<std::string>& values) {
    const Json* json = find(key);
    if (json == nullptr) return;
    if (!json->is_array()) return problem(fmt::format("'{}' is not a list", key));
    for (const Json& value : *json) {
      if (value.is_string()) values.push_back(value.get<std::string>());
      else problem(fmt::format("'{}': {} is not a text", key, value.dump()));
    }
  }
  /// Each entry of a list, with its place.
  template <class Visit>
  void each(const char* key, bool required, Visit visit) {
    const Json* json = find(key);
    if (json == nullptr && !required) return;
    if (json == nullptr || !json->is_array()) return problem(fmt::format("'{}' is not a list", key));
    for (std::size_t i = 0; i < json->size(); ++i) visit((*json)[i], fmt::format("{}: {}[{}]", place_, key, i));
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

std::optional<Follows> follows_from(std::string_view name) {
  for (const Follows f : {Follows::Exact, Follows::Close, Follows::Loose}) {
    if (name_of(f) == name) return f;
  }
  return std::nullopt;
}

/// A path of the file, which is relative to its folder.
std::string beside(const std::string& file, const std::string& path) {
  return path.empty() ? path : (std::filesystem::path(file).parent_path() / path).lexically_normal().string();
}

NkiKernel nki_of(const Json& json, const std::string& place, const std::string& file, std::vector<std::string>& problems) {
  ObjectReader in(json, place, problems);
  NkiKernel nki;
  in.text("kernel", nki.kernel);
  if (nki.kernel.find("::") == std::string::npos) in.problem(fmt::format("'kernel' = '{}' is not FILE.py::function", nki.kernel));
  nki.kernel = beside(file, nki.kernel);
  in.texts("args", nki.args);
  in.texts("policy", nki.policy);
  return nki;
}

/// A duration out of a JSON file of a profiler: {"file", "pointer", "unit"}, in µs.
double measured_from(const Json& json, const std::string& place, const std::string& file, std::vector<std::string>& problems) {
  ObjectReader in(json, place, problems);
  std::string path, pointer, unit = "s";
  in.text("file", path);
  in.text("pointer", pointer);
  in.text("unit", unit, false);
  const auto scale = kMicroseconds.find(unit);
  if (scale == kMicroseconds.end()) in.problem(fmt::format("'unit' = '{}' is not s, ms, us or ns", unit));
  if (path.empty() || pointer.empty() || scale == kMicroseconds.end()) return 0;
  const Json profile = Json::parse(read_text(beside(file, path)), nullptr, false);
  if (profile.is_discarded()) return in.problem(fmt::format("'file' = '{}' is not valid JSON", path)), 0;
  try {
    const double value = profile.at(Json::json_pointer(pointer)).get<double>() * scale->second;
    if (value > 0) return value;
  } catch (const Json::exception&) {  // no such place, or no number there: said below
  }
  return in.problem(fmt::format("'pointer' = '{}': no positive number in {}", pointer, path)), 0;
}

void read_measured(ObjectReader& in, ValidationPoint& point, const std::string& file) {
  const Json* const from = in.find("measured_from");
  in.number("measured", point.measured, 1e-9, 1e12, from == nullptr);
  if (from == nullptr) return;
  if (point.measured != 0) in.problem("'measured' and 'measured_from' exclude each other");
  if (point.metric != Metric::TimeUs) in.problem("'measured_from' needs 'metric' = 'time_us'");
  point.measured = measured_from(*from, in.place() + " measured_from", file, in.problems());
}

void read_quality(ObjectReader& in, ValidationPoint& point) {
  std::string quality;
  in.text("quality", quality);
  if (quality == "A" || quality == "B" || quality == "C") point.quality = quality[0];
  else in.problem(fmt::format("'quality' = '{}' is not A, B or C", quality));
}

void check_workload(ObjectReader& in, const ValidationPoint& point) {
  const int given = !point.kernel.empty() + point.probe.has_value() + point.nki.has_value() + !point.trace.empty();
  if (given != 1) in.problem("exactly one of 'kernel', 'probe', 'nki' and 'trace' is expected");
  if (point.cores != 1 && point.kernel.empty()) in.problem("'cores' goes with 'kernel'");
  const bool slope = point.metric == Metric::IntervalNs || point.metric == Metric::LatencyNs || point.metric == Metric::Tflops;
  if (slope != point.probe.has_value())
    in.problem(fmt::format("'metric' = '{}' needs a {}", name_of(point.metric), slope ? "probe" : "kernel"));
  if ((point.metric == Metric::RelativeGbPerS) == point.reference.empty())
    in.problem("'reference' goes with 'metric' = 'relative_gb_per_s'");
}

ValidationPoint point_of(const Json& json, const std::string& place, const std::string& file, std::vector<std::string>& problems) {
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
  if (const Json* nki = in.find("nki")) point.nki = nki_of(*nki, in.place() + " nki", file, problems);
  in.text("trace", point.trace, false);
  point.trace = beside(file, point.trace);
  in.name("follows", point.follows, follows_from);
  in.name("metric", point.metric, metric_from, true);
  read_measured(in, point, file);
  point.unit = unit_of(point.metric);
  read_quality(in, point);
  in.flag("includes_launch", point.includes_launch);
  in.text("ladder", point.ladder, false);
  in.text("source", point.source);
  in.text("note", point.note, false);
  check_workload(in, point);
  return point;
}

}  // namespace

ValidationFile parse_validation(std::string_view text, const std::string& file) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw ConfigError(file + ": not valid JSON");
  std::vector<std::string> problems;
  ValidationFile read;
  std::set<std::string> ids;
  {
    ObjectReader in(json, file, problems);
    std::string version;
    in.text("trnsim_validation", version);
    if (version != "1.0") in.problem(fmt::format("'trnsim_validation' = '{}'; this version reads '1.0'", version));
    in.each("points", true, [&](const Json& point, const std::string& place) {
      read.points.push_back(point_of(point, place, file, problems));
      if (!ids.insert(read.points.back().id).second)
        problems.push_back(fmt::format("{}: 'id' = '{}' is there twice", place, read.points.back().id));
    });
    in.each("not_run", false, [&](const Json& skipped, const std::string& place) {
      ObjectReader entry(skipped, place, problems);
      SkippedMeasurement& made = read.not_run.emplace_back();
      entry.text("id", made.id);
      entry.text("reason", made.reason);
      entry.text("source", made.source);
    });
  }
  if (!problems.empty()) throw ConfigError(problems);
  return read;
}

ValidationFile load_validation(const std::string& path) { return parse_validation(read_text(path), path); }

}  // namespace trnsim
