// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "app/json.hpp"
#include "app/sweep/description.hpp"
#include "app/sweep/range.hpp"
#include "trnsim/error.hpp"
#include "trnsim/nearest.hpp"
#include "trnsim/version.hpp"

namespace trnsim::app {
namespace {

using Names = std::vector<std::string_view>;

/// A value in a message: what it is, or what it says.
std::string shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return value.dump();
}

std::string at(const std::string& place, std::size_t index) { return fmt::format("{}[{}]", place, index); }

class DescriptionReader {
 public:
  explicit DescriptionReader(Problems& problems) : problems_(problems) {}

  SweepDescription read(const Json& json);

 private:
  bool is_object(const Json& value, const std::string& place);
  void check_keys(const Json& object, const std::string& place, const Names& known);
  std::optional<std::string> text(const Json& value, const std::string& place);
  std::optional<std::string> value_text(const Json& value, const Target& target, const std::string& place);
  std::optional<double> number(const Json& object, const char* key, const std::string& place);
  std::uint64_t count(const Json& value, const std::string& place, std::uint64_t least, std::uint64_t most);

  void read_base(const Json& base);
  void read_group(const Json& group, const std::string& prefix, const std::string& place);
  void read_base_value(const std::string& path, const Json& value, const std::string& place);
  void read_combine(const Json& json);
  void read_samples(const Json& from, const std::string& place);
  void read_axes(const Json& json);
  void read_axis(const Json& json, const std::string& place);
  void read_values(const Json& values, Axis& axis, const std::string& place);
  void read_range(const Json& json, Axis& axis, const std::string& place);
  void read_filters(const Json& json);
  void read_limits(const Json& json);
  bool has_room(double values, const std::string& place);
  void check_lengths();

  Problems& problems_;
  SweepDescription sweep_;
  std::map<std::string, std::size_t> seen_;  ///< Place of each axis.
  double values_ = 0;                        ///< Of the axes so far.
};

bool DescriptionReader::is_object(const Json& value, const std::string& place) {
  if (!value.is_object()) problems_.add(place, "want an object, not " + shown(value));
  return value.is_object();
}

void DescriptionReader::check_keys(const Json& object, const std::string& place, const Names& known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    problems_.add(place, fmt::format("unknown key {}{}; allowed: {}", Json(key).dump(), nearest_hint(key, known), fmt::join(known, ", ")));
  }
}

std::optional<std::string> DescriptionReader::text(const Json& value, const std::string& place) {
  if (!value.is_string()) {
    problems_.add(place, "want text, not " + shown(value));
    return std::nullopt;
  }
  auto found = value.get<std::string>();
  const bool control = std::any_of(found.begin(), found.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (!found.empty() && !control) return found;
  problems_.add(place, found.empty() ? "the text is empty" : shown(value) + " has a control character");
  return std::nullopt;
}

/// The value as --param and --set write it, if it is of the target's type.
std::optional<std::string> DescriptionReader::value_text(const Json& value, const Target& target, const std::string& place) {
  const bool simple = value.is_string() || value.is_number() || value.is_boolean();
  if (target.type == ValueType::Text) return text(value, place);
  if (target.type == ValueType::Flag && !value.is_boolean()) {
    problems_.add(place, "want true or false, not " + shown(value));
  } else if ((target.type == ValueType::Number || target.type == ValueType::Whole) && !value.is_number()) {
    problems_.add(place, "want a number, not " + shown(value));
  } else if (!simple) {
    problems_.add(place, "want a number, text, true or false, not " + shown(value));
  } else if (value.is_string()) {
    std::optional<std::string> found = text(value, place);
    if (target.type == ValueType::Argument || !found || found->find_first_of(", \t") == std::string::npos) return found;
    problems_.add(place, shown(value) + " has a comma or a space");
  } else {
    return value.is_number_float() ? plain_number(value.get<double>()) : value.dump();
  }
  return std::nullopt;
}

std::optional<double> DescriptionReader::number(const Json& object, const char* key, const std::string& place) {
  if (!object.contains(key)) return std::nullopt;
  const Json& value = object.at(key);
  if (value.is_number()) return value.get<double>();
  problems_.add(place + "." + key, "want a number, not " + shown(value));
  return std::nullopt;
}

std::uint64_t DescriptionReader::count(const Json& value, const std::string& place, std::uint64_t least, std::uint64_t most) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() >= least && value.get<std::uint64_t>() <= most) {
    return value.get<std::uint64_t>();
  }
  problems_.add(place, fmt::format("want a whole number from {} to {}, not {}", least, most, shown(value)));
  return least;
}

void DescriptionReader::read_base_value(const std::string& path, const Json& value, const std::string& place) {
  const std::optional<Target> target = target_of(path);
  if (!target) return problems_.add(place, unknown_path(path));
  if (auto found = value_text(value, *target, place)) sweep_.base[path] = std::move(*found);
}

void DescriptionReader::read_group(const Json& group, const std::string& prefix, const std::string& place) {
  if (!is_object(group, place)) return;
  for (const auto& [key, value] : group.items()) read_base_value(prefix + key, value, place + "." + key);
}

void DescriptionReader::read_base(const Json& base) {
  if (!is_object(base, "base")) return;
  static const Names kGroups{"params", "args", "policy", "set"};
  Names known = kGroups;
  known.insert(known.begin(), plain_paths().begin(), plain_paths().end());
  check_keys(base, "base", known);
  for (const auto& [key, value] : base.items()) {
    if (std::find(kGroups.begin(), kGroups.end(), key) != kGroups.end()) {
      read_group(value, key + ".", "base." + key);
    } else if (std::find(known.begin(), known.end(), key) != known.end()) {
      read_base_value(key, value, "base." + key);
    }
  }
}

/// samples and seed beside "combine": "random", or inside {"random": {…}}.
void DescriptionReader::read_samples(const Json& from, const std::string& place) {
  const std::string dot = place.empty() ? "" : place + ".";
  if (from.contains("samples")) {
    sweep_.samples = count(from.at("samples"), dot + "samples", 1, kMostPoints);
  } else {
    problems_.add(place, "no key samples: the number of points to draw");
  }
  if (from.contains("seed")) sweep_.seed = count(from.at("seed"), dot + "seed", 0, ~std::uint64_t{0});
}

void DescriptionReader::read_combine(const Json& json) {
  static const Names kNames{"grid", "zip", "random", "latin_hypercube"};
  const Json none = "grid";
  const Json& combine = json.contains("combine") ? json.at("combine") : none;
  const bool written_out = combine.is_object() && combine.size() == 1;
  const std::string name = written_out ? combine.begin().key() : combine.is_string() ? combine.get<std::string>() : "";
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end() || (written_out && found < kNames.begin() + 2)) {
    return problems_.add("combine", fmt::format("{}{}; allowed: \"grid\", \"zip\", {{\"random\": {{\"samples\": N, \"seed\": S}}}}, "
                                                "{{\"latin_hypercube\": {{\"samples\": N, \"seed\": S}}}}",
                                                name.empty() ? shown(combine) : Json(name).dump(), nearest_hint(name, kNames)));
  }
  sweep_.combine = static_cast<Combine>(found - kNames.begin());
  const bool drawn = sweep_.combine == Combine::Random || sweep_.combine == Combine::LatinHypercube;
  if (written_out) {
    const std::string place = "combine." + name;
    if (!is_object(combine.begin().value(), place)) return;
    check_keys(combine.begin().value(), place, {"samples", "seed"});
    read_samples(combine.begin().value(), place);
  } else if (drawn) {
    read_samples(json, "");
  }
  for (const char* key : {"samples", "seed"}) {
    if (json.contains(key) && (written_out || !drawn)) problems_.add(key, "stands beside \"random\" or \"latin_hypercube\" only");
  }
}

bool DescriptionReader::has_room(double values, const std::string& place) {
  values_ += values;
  if (values_ <= static_cast<double>(kMostValues)) return true;
  problems_.add(place, fmt::format("{:.0f} values with those of the axes before; at most {} are allowed", values_, kMostValues));
  values_ -= values;
  return false;
}

void DescriptionReader::read_values(const Json& values, Axis& axis, const std::string& place) {
  if (!values.is_array()) return problems_.add(place, "want an array, not " + shown(values));
  if (values.empty()) return problems_.add(place, "the axis has no values");
  if (!has_room(static_cast<double>(values.size()), place)) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (auto value = value_text(values[i], axis.target, at(place, i))) axis.values.push_back(std::move(*value));
  }
  if (axis.values.size() != values.size()) axis.values.clear();  // so that places stay true
}

void DescriptionReader::read_range(const Json& json, Axis& axis, const std::string& place) {
  if (!is_object(json, place)) return;
  check_keys(json, place, {"from", "to", "steps", "step", "scale"});
  const std::size_t before = problems_.list().size();
  AxisRange range;
  for (const char* key : {"from", "to"}) {
    if (!json.contains(key)) problems_.add(place, fmt::format("no key {}", key));
  }
  range.from = number(json, "from", place).value_or(0);
  range.to = number(json, "to", place).value_or(0);
  if (json.contains("steps")) range.steps = count(json.at("steps"), place + ".steps", 1, kMostValues);
  if (const auto step = number(json, "step", place)) {
    range.step = *step;
    if (*step == 0) problems_.add(place + ".step", "0 leads nowhere");
  }
  if (json.contains("scale")) {
    range.log = json.at("scale") == "log";
    if (!range.log && json.at("scale") != "linear") {
      problems_.add(place + ".scale", fmt::format("{} is not allowed; allowed: linear, log", shown(json.at("scale"))));
    }
  }
  if (problems_.list().size() != before) return;
  const bool sampled = sweep_.combine == Combine::Random || sweep_.combine == Combine::LatinHypercube;
  if (const std::string problem = range_problem(range, axis.target, sampled); !problem.empty()) return problems_.add(place, problem);
  if (!range.continuous() && !has_room(range_count(range), place)) return;
  axis.range = range;
  if (!range.continuous()) axis.values = range_values(range, axis.target);
}

void DescriptionReader::read_axis(const Json& json, const std::string& place) {
  if (!is_object(json, place)) return;
  check_keys(json, place, {"path", "values", "range"});
  if (!json.contains("path")) return problems_.add(place, "no key path");
  const auto path = text(json.at("path"), place + ".path");
  if (!path) return;
  const std::optional<Target> target = target_of(*path);
  if (!target) return problems_.add(place + ".path", unknown_path(*path));
  if (const auto [other, fresh] = seen_.emplace(*path, seen_.size()); !fresh) {
    problems_.add(place + ".path", fmt::format("\"{}\" is the path of axes[{}] already", *path, other->second));
  }
  if (json.contains("values") == json.contains("range")) {
    return problems_.add(place, json.contains("values") ? "values and range exclude each other" : "want values or range");
  }
  Axis axis{*path, *target, {}, {}};
  if (json.contains("values")) read_values(json.at("values"), axis, place + ".values");
  if (json.contains("range")) read_range(json.at("range"), axis, place + ".range");
  sweep_.axes.push_back(std::move(axis));
}

void DescriptionReader::read_axes(const Json& json) {
  if (!json.contains("axes")) return problems_.add("", "no key axes");
  const Json& axes = json.at("axes");
  if (!axes.is_array()) return problems_.add("axes", "want an array, not " + shown(axes));
  if (axes.empty()) return problems_.add("axes", "there is nothing to sweep");
  for (std::size_t i = 0; i < axes.size(); ++i) read_axis(axes[i], at("axes", i));
}

void DescriptionReader::read_filters(const Json& json) {
  if (!json.contains("filters")) return;
  const Json& filters = json.at("filters");
  if (!filters.is_array()) return problems_.add("filters", "want an array of expressions, not " + shown(filters));
  for (std::size_t i = 0; i < filters.size(); ++i) sweep_.filters.push_back(text(filters[i], at("filters", i)).value_or(""));
}

void DescriptionReader::read_limits(const Json& json) {
  if (!json.contains("limits") || !is_object(json.at("limits"), "limits")) return;
  const Json& limits = json.at("limits");
  check_keys(limits, "limits", {"seconds", "memory_mib"});
  constexpr double kMostSeconds = 1e7, kMostMib = 1e9;
  const auto limit = [&](const char* key, double most) {
    const auto value = number(limits, key, "limits");
    if (value && !(*value > 0 && *value <= most)) {
      problems_.add(std::string("limits.") + key, fmt::format("{} is not allowed; allowed: > 0 and <= {}", plain_number(*value), most));
      return 0.0;
    }
    return value.value_or(0);
  };
  sweep_.limits.seconds = limit("seconds", kMostSeconds);
  sweep_.limits.memory_bytes = static_cast<std::uint64_t>(limit("memory_mib", kMostMib) * 1048576);
}

/// Sizes of the whole: zip needs equal ones, a grid must not be too large.
void DescriptionReader::check_lengths() {
  const std::vector<Axis>& axes = sweep_.axes;
  if (sweep_.combine == Combine::LatinHypercube && sweep_.samples * axes.size() > kMostStrata) {
    problems_.add("combine", fmt::format("{} samples of {} axes; at most {} values are allowed", sweep_.samples, axes.size(), kMostStrata));
  }
  const bool complete = std::all_of(axes.begin(), axes.end(), [](const Axis& axis) { return !axis.values.empty(); });
  if (!complete || axes.empty()) return;
  if (sweep_.combine == Combine::Grid) {
    double points = 1;
    std::vector<std::size_t> sizes;
    for (const Axis& axis : axes) points *= static_cast<double>(sizes.emplace_back(axis.values.size()));
    if (points > static_cast<double>(kMostPoints)) {
      problems_.add("axes",
                    fmt::format("a grid of {} = {:.0f} points; at most {} are allowed", fmt::join(sizes, " x "), points, kMostPoints));
    }
  }
  if (sweep_.combine != Combine::Zip) return;
  for (const Axis& axis : axes) {
    if (axis.values.size() == axes.front().values.size()) continue;
    problems_.add("axes", fmt::format("zip wants equal lengths: {} has {} values, {} has {}", axes.front().path, axes.front().values.size(),
                                      axis.path, axis.values.size()));
  }
}

SweepDescription DescriptionReader::read(const Json& json) {
  const Names known{kSweepFormat.key, "$schema", "about", "base", "axes", "combine", "samples", "seed", "filters", "limits"};
  check_keys(json, "", known);
  if (json.contains("about")) text(json.at("about"), "about");
  if (json.contains("base")) read_base(json.at("base"));
  read_combine(json);
  read_axes(json);
  read_filters(json);
  read_limits(json);
  check_lengths();
  return std::move(sweep_);
}

}  // namespace

SweepDescription read_description(std::string_view text, const std::string& file, Problems& problems) {
  const Json json = parse_json(text, file);
  if (!json.is_object()) throw InputError(fmt::format("{}: want an object, not {}", file, shown(json)));
  const std::string key(kSweepFormat.key);
  if (!json.contains(key)) throw InputError(fmt::format("{}: no key {}; want \"{}\": \"1.0\"", file, key, key));
  if (!json.at(key).is_string()) throw InputError(fmt::format("{}: {}: want text, not {}", file, key, shown(json.at(key))));
  if (const std::string problem = format_problem(kSweepFormat, json.at(key).get<std::string>()); !problem.empty()) {
    throw InputError(file + ": " + problem);
  }
  return DescriptionReader(problems).read(json);
}

}  // namespace trnsim::app
