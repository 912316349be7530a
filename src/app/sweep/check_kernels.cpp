// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/check_kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "app/sweep/candidates.hpp"
#include "trnsim/error.hpp"
#include "trnsim/nearest.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::app {
namespace {

/// A kernel of the sweep, and the parameters that its workload file gives.
struct KernelUse {
  const KernelInfo* info;
  std::string place;
  KernelParams given;
};

/// Why a kernel cannot be made; nothing when it can.
std::vector<std::string> refusals(const std::string& kernel, const KernelParams& params, const ChipConfig& chip, unsigned cores) {
  try {
    (void)make_kernel(kernel, params, chip, cores);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

bool knows(const KernelUse& use, const std::string& name) {
  return std::any_of(use.info->params.begin(), use.info->params.end(), [&](const KernelParam& param) { return param.name == name; });
}

void keep_common(std::vector<std::string>& lines, const std::vector<std::string>& others) {
  std::erase_if(lines, [&](const std::string& line) { return std::find(others.begin(), others.end(), line) == others.end(); });
}

class KernelCheck {
 public:
  KernelCheck(const SweepDescription& sweep, const Resolver& resolver, const std::vector<ChipConfig>& chips, Problems& problems)
      : sweep_(sweep), resolver_(resolver), problems_(problems), chips_(chips), params_(paths_of(sweep, TargetKind::Param)) {
    for (const std::string& name : preset_names()) {
      std::vector<std::string> warnings;
      chips_.push_back(load_chip(name, {}, warnings));
    }
  }

  void run() {
    collect("kernel");
    collect("workload");
    for (const KernelUse& use : uses_) check_names(use);
    if (uses_.empty() || chips_.empty()) return;
    for (const std::string& path : params_) {
      for (const Candidate& candidate : candidates(sweep_, path)) check_value(path.substr(path.find('.') + 1), candidate);
    }
    for (const KernelUse& use : uses_) check_workload_values(use);
  }

 private:
  void collect(const std::string& path);
  void add_use(const std::string& kernel, const std::string& place, const std::vector<std::string>& params);
  void check_names(const KernelUse& use);
  void check_value(const std::string& name, const Candidate& candidate);
  void check_workload_values(const KernelUse& use);
  [[nodiscard]] std::vector<std::string> refusals_alone(const KernelUse& use, const std::string& name, const std::string& value) const;

  const SweepDescription& sweep_;
  const Resolver& resolver_;
  Problems& problems_;
  std::vector<ChipConfig> chips_;  ///< Of the sweep, then the presets.
  std::vector<std::string> params_;
  std::vector<KernelUse> uses_;
};

void KernelCheck::collect(const std::string& path) {
  for (const Candidate& candidate : candidates(sweep_, path)) {
    if (path == "kernel") {
      add_use(candidate.value, candidate.place, {});
    } else if (const WorkloadFile* file = resolver_.workload(candidate.value); file != nullptr && !file->kernel.empty()) {
      add_use(file->kernel, candidate.place, file->params);
    }
  }
}

void KernelCheck::add_use(const std::string& kernel, const std::string& place, const std::vector<std::string>& params) {
  try {
    uses_.push_back({&kernel_info(kernel), place, parse_params(params)});
  } catch (const InputError& error) {
    for (const std::string& problem : error.problems()) problems_.add(place, problem);
  }
}

/// Every parameter of the sweep is given to every kernel, so each must know all of them.
void KernelCheck::check_names(const KernelUse& use) {
  std::vector<std::string_view> known;
  for (const KernelParam& param : use.info->params) known.push_back(param.name);
  const auto unknown = [&](const std::string& name, const std::string& place) {
    if (knows(use, name)) return;
    problems_.add(place, fmt::format("kernel {} has no parameter '{}'{}; known: {}", use.info->name, name, nearest_hint(name, known),
                                     fmt::join(known, " ")));
  };
  std::set<std::string> given;
  for (const std::string& path : params_) {
    const std::string name = path.substr(path.find('.') + 1);
    const auto axis = std::find_if(sweep_.axes.begin(), sweep_.axes.end(), [&](const Axis& a) { return a.path == path; });
    unknown(name, axis == sweep_.axes.end() ? "base." + path : fmt::format("axes[{}].path", axis - sweep_.axes.begin()));
    given.insert(name);
  }
  for (const auto& [name, value] : use.given) {
    unknown(name, use.place);
    given.insert(name);
  }
  for (const KernelParam& param : use.info->params) {
    if (!param.default_value.empty() || given.contains(param.name)) continue;
    problems_.add(use.place, fmt::format("kernel {} needs params.{}, in base or as an axis", use.info->name, param.name));
  }
}

/// Refusals that this value alone causes: the same line on every chip of the sweep and of the presets, all
/// other required parameters 1.
std::vector<std::string> KernelCheck::refusals_alone(const KernelUse& use, const std::string& name, const std::string& value) const {
  KernelParams params;
  for (const KernelParam& param : use.info->params) {
    if (param.default_value.empty()) params[param.name] = "1";
  }
  params[name] = value;
  std::vector<std::string> lines = refusals(use.info->name, params, chips_.front(), 1);
  for (std::size_t i = 1; i < chips_.size() && !lines.empty(); ++i) keep_common(lines, refusals(use.info->name, params, chips_[i], 1));
  return lines;
}

void KernelCheck::check_value(const std::string& name, const Candidate& candidate) {
  std::vector<std::string> first;
  std::set<const KernelInfo*> tried;
  for (const KernelUse& use : uses_) {
    if (!tried.insert(use.info).second || !knows(use, name)) continue;
    const std::vector<std::string> lines = refusals_alone(use, name, candidate.value);
    if (lines.empty()) return;
    if (first.empty()) first = lines;
  }
  for (const std::string& line : first) problems_.add(candidate.place, line);
}

void KernelCheck::check_workload_values(const KernelUse& use) {
  for (const auto& [name, value] : use.given) {
    if (!knows(use, name) || std::find(params_.begin(), params_.end(), "params." + name) != params_.end()) continue;
    for (const std::string& line : refusals_alone(use, name, value)) problems_.add(use.place, line);
  }
}

}  // namespace

void check_kernels(const SweepDescription& sweep, const Resolver& resolver, const std::vector<ChipConfig>& chips, Problems& problems) {
  KernelCheck(sweep, resolver, chips, problems).run();
}

}  // namespace trnsim::app
