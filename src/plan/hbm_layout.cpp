// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/hbm_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trnsim/error.hpp"
#include "trnsim/units.hpp"

namespace trnsim {
namespace {

std::string identity(const TensorInfo& tensor) {
  std::string text = tensor.name + ":" + std::string(name_of(tensor.dtype));
  for (const std::uint64_t extent : tensor.shape) text += fmt::format("x{}", extent);
  return text;
}

std::uint64_t round_up(std::uint64_t n, std::uint64_t unit) { return ceil_div(n, unit) * unit; }

}  // namespace

HbmLayout::HbmLayout(const ChipConfig& config, const std::vector<const ProgramInfo*>& programs)
    : stack_bytes_(static_cast<std::uint64_t>(config.hbm.gib_per_stack * static_cast<double>(kGiB))),
      cores_per_stack_(config.chip.cores_per_stack),
      stacks_(config.hbm.stacks),
      used_(config.hbm.stacks, 0) {
  stacks_in_use_ = programs.empty() ? 1 : home_stack(programs.size() - 1) + 1;
  std::map<std::string, unsigned> users;
  for (const ProgramInfo* program : programs) {
    for (const TensorInfo& tensor : program->tensors) ++users[identity(tensor)];
  }
  std::map<std::string, std::uint64_t> shared;
  for (std::size_t core = 0; core < programs.size(); ++core) {
    auto& bases = bases_.emplace_back();
    for (const TensorInfo& tensor : programs[core]->tensors) {
      const std::string key = identity(tensor);
      if (users[key] == 1) {
        bases.push_back(place_private(core, tensor));
        continue;
      }
      auto [it, is_new] = shared.try_emplace(key, 0);
      if (is_new) it->second = place_shared(tensor);
      bases.push_back(it->second);
    }
  }
}

std::uint32_t HbmLayout::home_stack(std::size_t core) const {
  return std::min(static_cast<std::uint32_t>(core) / cores_per_stack_, stacks_ - 1);
}

std::uint64_t HbmLayout::place_private(std::size_t core, const TensorInfo& tensor) {
  const std::uint64_t size = round_up(bytes_of(tensor), kAlign);
  total_bytes_ += size;
  for (std::uint32_t i = 0; i < stacks_; ++i) {  // the own stack first
    const std::uint32_t stack = (home_stack(core) + i) % stacks_;
    if (used_[stack] + size > stack_bytes_) continue;
    const std::uint64_t address = stack * stack_bytes_ + used_[stack];
    used_[stack] += size;
    return address;
  }
  stacks_in_use_ = stacks_;
  return place_shared(tensor);  // larger than what is left of any stack
}

std::uint64_t HbmLayout::place_shared(const TensorInfo& tensor) {
  // Interleaved space is taken at one common offset of all stacks in use.
  const std::uint64_t share = round_up(ceil_div(bytes_of(tensor), stacks_in_use_), kPage) + kPage;
  const std::uint64_t offset = *std::max_element(used_.begin(), used_.begin() + stacks_in_use_);
  if (offset + share > stack_bytes_) {
    if (stacks_in_use_ == stacks_) refuse(tensor);
    stacks_in_use_ = stacks_;
    return place_shared(tensor);
  }
  std::fill(used_.begin(), used_.begin() + stacks_in_use_, offset + share);
  return kInterleaved + offset * stacks_in_use_;
}

void HbmLayout::refuse(const TensorInfo& tensor) const {
  throw WorkloadError(fmt::format("tensor '{}' of {} bytes does not fit in HBM: the chip has {} stacks of {} bytes, {} bytes are taken",
                                  tensor.name, bytes_of(tensor), stacks_, stack_bytes_, total_bytes_));
}

HbmLayout::Location HbmLayout::locate(std::uint64_t address) const {
  if (address < kInterleaved) return {static_cast<std::uint32_t>(address / stack_bytes_), address % stack_bytes_};
  const std::uint64_t linear = address - kInterleaved;
  const std::uint64_t page = linear / kPage;
  return {static_cast<std::uint32_t>(page % stacks_in_use_), page / stacks_in_use_ * kPage + linear % kPage};
}

}  // namespace trnsim
