// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/point_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <csignal>

#include "app/execute.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/result.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::app {
namespace {

/// Texts with their lengths in front, so that they may hold anything.
std::string pack(const std::vector<std::string>& texts) {
  std::string packed;
  for (const std::string& text : texts) packed += fmt::format("{}:{}", text.size(), text);
  return packed;
}

std::vector<std::string> unpack(std::string_view packed) {
  std::vector<std::string> texts;
  while (!packed.empty()) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(packed.data(), packed.data() + packed.size(), size);
    const auto head = static_cast<std::size_t>(end - packed.data()) + 1;
    if (error != std::errc{} || head > packed.size() || size > packed.size() - head) {
      throw InternalError("a point of a sweep handed over a broken text");
    }
    texts.emplace_back(packed.substr(head, size));
    packed.remove_prefix(head + size);
  }
  return texts;
}

/// JSON without the blanks between its tokens.
std::string compact(const std::string& json) {
  std::string text;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (!quoted && (c == ' ' || c == '\n')) continue;
    text += c;
    if (c == '"') quoted = !quoted;
    if (c == '\\' && i + 1 < json.size()) text += json[++i];
  }
  return text;
}

std::string digits_of(std::string_view text) {
  std::uint64_t a = 0xcbf29ce484222325ULL, b = 0x9ae16a3b2f90404fULL;
  for (const char c : text) {
    a = (a ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    b = (b + static_cast<unsigned char>(c)) * 0x9e3779b97f4a7c15ULL;
    b ^= b >> 29;
  }
  return fmt::format("{:016x}{:016x}", a, b);
}

std::string overrides_of(const ChipConfig& chip) {
  std::string text;
  for (const auto& [path, value] : chip.overrides) text += fmt::format("{}{}={}", text.empty() ? "" : ";", path, value);
  return text;
}

std::string workload_name(const RunRequest& request) {
  if (!request.nki.kernel.empty()) return request.nki.kernel.substr(request.nki.kernel.rfind(':') + 1);
  return !request.kernel.empty() ? request.kernel : request.trace.empty() ? request.gemm_list : request.trace;
}

/// Everything besides the chip that decides the result of a point.
std::string workload_key(const RunRequest& request, const ChipConfig& chip, bool with_kernel) {
  std::string params;
  if (with_kernel && !request.kernel.empty()) {
    const Workload workload = make_kernel(request.kernel, parse_params(request.params), chip, request.cores);
    for (const auto& [name, value] : workload.programs.front()->info().params) params += name + "=" + value + ";";
  } else {
    params = fmt::format("{}", fmt::join(request.params, ";"));
  }
  return pack({request.kernel, params, request.nki.kernel, pack(request.nki.args), request.nki.grid, pack(request.nki.policy),
               request.trace, request.gemm_list, request.strict ? "strict" : "", std::to_string(request.cores), request.max_time});
}

/// A signal from outside, which a simulation or a recorder takes for a request to stop, leaves no result.
Result simulated_or_ended(const RunRequest& request, const ChipConfig& chip, std::vector<std::string> warnings) {
  try {
    Result result = execute_quietly(request, chip, std::move(warnings));
    if (result.snapshot.truncated == "interrupted") ::raise(SIGKILL);
    return result;
  } catch (const Error& error) {
    if (error.code() == ExitCode::Stopped) ::raise(SIGKILL);
    throw;
  }
}

/// The name and generation of a chip whose overrides were refused.
void add_chip_without_overrides(RunRequest request, KnownPoint& known) {
  try {
    known.values[result_column("overrides")] = fmt::format("{}", fmt::join(request.set, ";"));
    request.set.clear();
    std::vector<std::string> warnings;
    const ChipConfig chip = load(request, warnings);
    known.values[result_column("preset")] = chip.name;
    known.values[result_column("generation")] = chip.generation;
  } catch (const Error&) {  // the reason stands in the row already
  }
}

}  // namespace

std::size_t result_column(std::string_view name) {
  static const std::vector<ResultColumn> kColumns = result_columns();
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    if (kColumns[i].name == name) return i;
  }
  throw InternalError(fmt::format("no result column {}", name));
}

std::string one_line(const std::string& message) {
  std::string line;
  for (const char c : message) line += c == '\n' ? std::string("; ") : std::string(1, c);
  return line;
}

std::string one_line(const Error& error) {
  const bool ours = dynamic_cast<const InternalError*>(&error) != nullptr;
  return (ours ? "internal error: " : "") + one_line(std::string(error.what()));
}

KnownPoint look_at(const SweepPoint& point, const LoadedChips& chips, bool with_kernel) {
  static const std::size_t kColumns = result_columns().size();
  const RunRequest& request = point.request;
  KnownPoint known;
  known.axes = point.values;
  known.values.resize(kColumns);
  known.values[result_column("workload")] = workload_name(request);
  known.values[result_column("cores")] = std::to_string(request.cores);
  try {
    std::vector<std::string> warnings;
    const ChipConfig chip = chips.load(request, warnings);
    known.values[result_column("preset")] = chip.name;
    known.values[result_column("generation")] = chip.generation;
    known.values[result_column("config_hash")] = config_hash(chip);
    known.values[result_column("overrides")] = overrides_of(chip);
    known.config = compact(to_json(chip));
    known.identity = digits_of(known.config + workload_key(request, chip, with_kernel));
  } catch (const Error& error) {
    known.error = one_line(error);
    if (known.config.empty()) add_chip_without_overrides(request, known);
  }
  return known;
}

std::string known_points_text(const std::vector<KnownPoint>& points) {
  std::vector<std::string> texts;
  for (const KnownPoint& point : points) {
    // The chip travels with the result of the simulation unless there will be none.
    texts.push_back(pack({pack(point.axes), pack(point.values), point.error.empty() ? "" : point.config, point.identity, point.error}));
  }
  return pack(texts);
}

std::vector<KnownPoint> known_points(std::string_view text) {
  std::vector<KnownPoint> points;
  for (const std::string& packed : unpack(text)) {
    std::vector<std::string> parts = unpack(packed);
    points.push_back({unpack(parts.at(0)), unpack(parts.at(1)), parts.at(2), parts.at(3), parts.at(4)});
  }
  return points;
}

std::string simulate_point(const SweepPoint& point, const LoadedChips& chips, std::set<std::string>& known_configs) {
  std::vector<std::string> warnings;
  const ChipConfig chip = chips.load(point.request, warnings);
  const Result result = simulated_or_ended(point.request, chip, std::move(warnings));
  const bool known = !known_configs.insert(result.config_hash).second;
  return pack({pack(point.values), pack(csv_values(result)), known ? "" : compact(to_json(result.chip))});
}

SimulatedPoint simulated_point(std::string_view text) {
  std::vector<std::string> parts = unpack(text);
  return {unpack(parts.at(0)), unpack(parts.at(1)), parts.at(2)};
}

}  // namespace trnsim::app
