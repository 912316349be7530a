// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/check_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "app/duration.hpp"
#include "app/fnv.hpp"
#include "app/nki/options.hpp"
#include "app/read_file.hpp"
#include "app/sweep/candidates.hpp"
#include "app/sweep/check_kernels.hpp"
#include "trnsim/error.hpp"
#include "trnsim/layers.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::app {
namespace {

/// Runs a check and files what it throws under a place.
template <class Check>
bool holds(Problems& problems, const std::string& place, Check check) {
  try {
    check();
    return true;
  } catch (const InputError& error) {
    for (const std::string& problem : error.problems()) problems.add(place, problem);
  } catch (const IoError& error) {
    problems.add(place, error.what());
  }
  return false;
}

/// A file that can be read again for each point.
void want_regular_file(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_regular_file(path, failed)) return;
  if (!std::filesystem::exists(path, failed)) throw IoError(fmt::format("cannot read {}: No such file or directory", path));
  throw IoError(fmt::format("cannot read {}: not a regular file", path));
}

class ValueCheck {
 public:
  ValueCheck(const SweepDescription& sweep, Resolver& resolver, Problems& problems)
      : sweep_(sweep), resolver_(resolver), problems_(problems) {}

  NamedContent run() {
    check_chips();
    check_overrides();
    check_kind_of_work();
    check_workloads();
    check_kernels(sweep_, resolver_, chips_, problems_);
    check_plain_values();
    check_files("trace");
    check_files("gemm_list");
    check_nki_files();
    check_traces();
    return std::move(content_);
  }

 private:
  [[nodiscard]] bool has(const std::string& path) const { return !candidates(sweep_, path).empty(); }
  /// Base overrides of keys that no axis sweeps.
  [[nodiscard]] std::vector<std::string> fixed_overrides() const;

  void check_chips();
  std::vector<std::string> chip_problems(const std::string& name, bool with_overrides);
  void check_overrides();
  void check_override(const std::string& path, const std::string& chip);
  void check_kind_of_work();
  void check_workloads();
  void check_plain_values();
  void check_files(const std::string& path);
  void check_nki_files();
  void check_traces();
  void refuse_group(TargetKind group, const std::string& why);

  const SweepDescription& sweep_;
  Resolver& resolver_;
  Problems& problems_;
  std::vector<ChipConfig> chips_;  ///< Those that could be loaded.
  NamedContent content_;
};

std::vector<std::string> ValueCheck::fixed_overrides() const {
  std::vector<std::string> overrides;
  for (const std::string& path : paths_of(sweep_, TargetKind::Set)) {
    if (sweep_.base.contains(path)) overrides.push_back(target_of(path)->name + "=" + sweep_.base.at(path));
  }
  return overrides;
}

/// Rules across keys count only when no axis can mend them.
void ValueCheck::check_chips() {
  const std::vector<Candidate> all = candidates(sweep_, "chip");
  const bool swept_keys =
      std::any_of(sweep_.axes.begin(), sweep_.axes.end(), [](const Axis& a) { return a.target.kind == TargetKind::Set; });
  if (all.empty() && std::none_of(sweep_.axes.begin(), sweep_.axes.end(), [](const Axis& a) { return a.path == "chip"; })) {
    problems_.add("base", fmt::format("no key chip: want a file or one of {}", fmt::join(preset_names(), ", ")));
  }
  std::map<std::string, std::vector<std::string>> known;  // a name that stands often is read once
  for (const Candidate& candidate : all) {
    const auto [found, fresh] = known.try_emplace(candidate.value);
    if (fresh) found->second = chip_problems(candidate.value, !swept_keys);
    for (const std::string& problem : found->second) problems_.add(candidate.place, problem);
  }
}

std::vector<std::string> ValueCheck::chip_problems(const std::string& name, bool with_overrides) {
  std::vector<std::string> warnings;
  const std::string chip = resolver_.chip(name);
  try {
    if (chip.find('/') != std::string::npos) want_regular_file(chip);
    chips_.push_back(load_chip(chip, {}, warnings));
    content_.push_back(to_json(chips_.back()));
    if (with_overrides) load_chip(chip, {fixed_overrides(), false}, warnings);
  } catch (const InputError& error) {
    std::vector<std::string> problems = error.problems();
    std::erase_if(problems, [](const std::string& problem) { return problem.starts_with("--set "); });  // found by check_overrides
    return problems;
  } catch (const IoError& error) {
    return {error.what()};
  }
  return {};
}

/// All values of a key in one reading of a chip, which names each it refuses.
void ValueCheck::check_override(const std::string& path, const std::string& chip) {
  const std::string key = target_of(path)->name;
  const std::vector<Candidate> all = candidates(sweep_, path);
  std::vector<std::string> overrides, warnings;
  for (const Candidate& candidate : all) overrides.push_back(key + "=" + candidate.value);
  try {
    load_chip(chip, {overrides, false}, warnings);
  } catch (const InputError& error) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string prefix = fmt::format("--set {}: {}: ", overrides[i], key);
      const auto& list = error.problems();
      const auto found = std::find_if(list.begin(), list.end(), [&](const std::string& p) { return p.starts_with(prefix); });
      if (found == list.end()) continue;
      const bool again = i > 0 && all[i].place == all[i - 1].place && all[i].value == all[i - 1].value;  // a range of one value
      if (!again) problems_.add(all[i].place, key + ": " + found->substr(prefix.size()));
    }
  }
}

void ValueCheck::check_overrides() {
  const std::vector<std::string> presets = preset_names();
  const std::vector<Candidate> chips = candidates(sweep_, "chip");
  if (presets.empty() && chips_.empty()) return;
  const std::string chip = presets.empty() ? resolver_.chip(chips.front().value) : presets.front();
  for (const std::string& path : paths_of(sweep_, TargetKind::Set)) check_override(path, chip);
}

void ValueCheck::check_kind_of_work() {
  std::vector<std::string> kinds;
  for (const char* kind : {"kernel", "nki", "workload", "trace", "gemm_list"}) {
    const bool swept = std::any_of(sweep_.axes.begin(), sweep_.axes.end(), [&](const Axis& axis) { return axis.path == kind; });
    if (swept || sweep_.base.contains(kind)) kinds.emplace_back(kind);
  }
  if (kinds.empty()) problems_.add("", "nothing to simulate: want kernel, nki, workload, trace or gemm_list in base or as an axis");
  if (kinds.size() > 1) problems_.add("", fmt::format("{} exclude each other", fmt::join(kinds, " and ")));
  if (kinds.size() != 1) return;
  if (kinds.front() == "trace" || kinds.front() == "nki") {
    const bool trace = kinds.front() == "trace";
    refuse_group(TargetKind::Param, trace ? "belongs to a kernel; a trace has no parameters" : "belongs to kernel; want args.NAME for nki");
    if (has("cores"))
      problems_.add("cores", trace ? "belongs to a kernel; a trace is the work of one core" : "an NKI kernel is recorded for one core");
  }
  if (kinds.front() != "nki" && kinds.front() != "workload") {
    for (const TargetKind group : {TargetKind::Arg, TargetKind::Policy}) refuse_group(group, "belongs to nki");
    if (has("grid")) problems_.add("grid", "belongs to nki");
  }
  if (kinds.front() == "gemm_list" && has("max_time"))
    problems_.add("max_time", "belongs to kernels and traces; layers are simulated one by one");
}

void ValueCheck::refuse_group(TargetKind group, const std::string& why) {
  for (const std::string& path : paths_of(sweep_, group)) problems_.add(path, why);
}

void ValueCheck::check_nki_files() {
  for (const Candidate& candidate : candidates(sweep_, "nki")) {
    holds(problems_, candidate.place, [&] {
      NkiCall call;
      call.kernel = resolver_.file(candidate.value);
      check_call(call);
      want_regular_file(kernel_file(call));
      content_.push_back(fmt::format("{:016x}", fnv1a(read_file(kernel_file(call)))));
    });
  }
}

void ValueCheck::check_workloads() {
  for (const Candidate& candidate : candidates(sweep_, "workload")) {
    holds(problems_, candidate.place, [&] {
      want_regular_file(resolver_.file(candidate.value));
      const WorkloadFile& file = resolver_.read_workload(candidate.value);
      content_.push_back(fmt::format("{} {} {}", file.kernel, fmt::join(file.params, ","), file.cores));
      if (file.nki.kernel.empty()) return;
      content_.push_back(fmt::format("{} {} {} {}", fmt::join(file.nki.args, ";"), file.nki.grid, fmt::join(file.nki.policy, ";"),
                                     fnv1a(read_file(kernel_file(file.nki)))));
    });
  }
}

void ValueCheck::check_plain_values() {
  for (const Candidate& candidate : candidates(sweep_, "cores")) {
    holds(problems_, candidate.place, [&] { (void)parse_cores(candidate.value); });
  }
  for (const Candidate& candidate : candidates(sweep_, "max_time")) {
    holds(problems_, candidate.place, [&] { (void)parse_duration(candidate.value, "max_time"); });
  }
}

void ValueCheck::check_files(const std::string& path) {
  for (const Candidate& candidate : candidates(sweep_, path)) {
    holds(problems_, candidate.place, [&] {
      const std::string file = resolver_.file(candidate.value);
      want_regular_file(file);
      const std::string text = read_file(file);
      content_.push_back(fmt::format("{:016x}", fnv1a(text)));
      if (path == "gemm_list") (void)parse_layers(text, file);
    });
  }
}

/// A trace is at fault when no chip of the sweep can run it; which one says why does not matter.
void ValueCheck::check_traces() {
  for (const Candidate& candidate : candidates(sweep_, "trace")) {
    const std::string file = resolver_.file(candidate.value);
    std::error_code failed;
    std::optional<InputError> refusal;
    for (const ChipConfig& chip : chips_) {
      if (!std::filesystem::is_regular_file(file, failed)) break;
      try {
        (void)open_trace(file, chip);
        refusal.reset();
        break;
      } catch (const InputError& error) {
        if (!refusal) refusal.emplace(error);
      }
    }
    if (!refusal) continue;
    for (const std::string& problem : refusal->problems()) problems_.add(candidate.place, problem);
  }
}

}  // namespace

NamedContent check_values(const SweepDescription& sweep, Resolver& resolver, Problems& problems) {
  return ValueCheck(sweep, resolver, problems).run();
}

}  // namespace trnsim::app
