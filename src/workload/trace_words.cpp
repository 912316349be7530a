// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/trace_words.hpp"

#include <algorithm>

#include "units/names.hpp"

namespace trnsim {
namespace {

constexpr std::array<std::string_view, 3> kUses{"input", "output", "internal"};
constexpr std::array<std::string_view, 2> kPerfModes{"none", "double_row"};
constexpr std::array<std::string_view, 3> kGenerations{"v2 (Trn1, Inf2)", "v3 (Trn2)", "v4 (Trn3)"};

}  // namespace

std::string_view name_of(TensorUse use) { return kUses[static_cast<std::size_t>(use)]; }
std::optional<TensorUse> tensor_use_from(std::string_view name) { return find_name<TensorUse>(kUses, name); }
std::string_view name_of(PerfMode mode) { return kPerfModes[static_cast<std::size_t>(mode)]; }
std::optional<PerfMode> perf_mode_from(std::string_view name) { return find_name<PerfMode>(kPerfModes, name); }

std::vector<std::string_view> opcode_names() {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kOpcodeCount; ++i) names.push_back(info(static_cast<Opcode>(i)).name);
  return names;
}

std::string_view not_modelled(std::string_view op) {
  constexpr std::array<std::string_view, 9> kCollectives{"all_reduce",
                                                         "all_gather",
                                                         "all_gather_v",
                                                         "reduce_scatter",
                                                         "all_to_all",
                                                         "all_to_all_v",
                                                         "collective_permute",
                                                         "collective_permute_implicit",
                                                         "collective_permute_implicit_reduce"};
  if (std::ranges::find(kCollectives, op) != kCollectives.end()) return "is a collective, and links between chips are not modelled yet";
  if (op == "partition_broadcast")
    return "is no instruction; the recorder's policy partition_broadcast=matmul or shuffle writes those it stands for";
  return {};
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::string thousands(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string generations_of(std::uint8_t bits) {
  std::vector<std::string_view> names;
  for (unsigned g = 0; g < kGenerations.size(); ++g) {
    if ((bits >> g & 1U) != 0) names.push_back(kGenerations[g]);
  }
  return listed(names);
}

}  // namespace trnsim
