// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/config/causes.hpp"

#include <algorithm>

#include "config/field_table.hpp"

namespace trnsim {
namespace {

struct Rule {
  std::string_view prefix;  ///< A key, or a section with its dot.
  Cause cause;
};

/// The first rule that fits decides.
constexpr Rule kRules[]{
    {"tensor.clock_ghz", Cause::Clock},
    {"vector.clock_ghz", Cause::Clock},
    {"scalar.clock_ghz", Cause::Clock},
    {"gpsimd.clock_ghz", Cause::Clock},
    {"sequencer.base_clock_ghz", Cause::Clock},
    // What the array can multiply follows the generation, and so does the energy of its operations.
    {"generation", Cause::Array},
    {"tensor.", Cause::Array},
    {"energy.mac_pj.", Cause::Array},
    {"psum.bf16_output", Cause::Array},
    // A core without a stack is no chip.
    {"chip.cores", Cause::Cores},
    {"chip.cores_per_stack", Cause::Cores},
    {"hbm.stacks", Cause::Cores},
    {"hbm.", Cause::Hbm},
    {"dma.", Cause::Dma},
    {"vector.", Cause::Vector},
    {"scalar.", Cause::Vector},
    {"gpsimd.", Cause::Vector},
    {"sequencer.fast_modes_share_gpsimd_bus", Cause::Vector},
    {"sbuf.", Cause::OnChip},
    {"psum.", Cause::OnChip},
    {"sequencer.vector_gpsimd_share_sbuf", Cause::OnChip},
    {"sequencer.vector_scalar_share_psum", Cause::OnChip},
    {"sequencer.psum_bank_exclusive", Cause::OnChip},
    {"sequencer.semaphore_hop_ns", Cause::Other},
    {"sequencer.control_ns", Cause::Other},
    {"sequencer.core_barrier_ns", Cause::Other},
    {"sequencer.register_load_ns", Cause::Other},
    {"sequencer.register_load_cycles", Cause::Other},
    {"sequencer.register_store_ns", Cause::Other},
    {"chip.launch_ns", Cause::Other},
    {"chip.launch_gap_ns", Cause::Other},
    {"chip.first_run_ns", Cause::Other},
    {"energy.", Cause::Other},
    {"name", Cause::Other},
    {"marketing_name", Cause::Other},
    {"projected", Cause::Other},
    {"carried_over", Cause::Other},
    {"energy_calibrated_for", Cause::Other},
};

struct Words {
  std::string_view name, help;
};

constexpr std::array<Words, kCauseCount> kWords{{
    {"clock", "clocks of engines and sequencers"},
    {"array", "size and rates of the Tensor engine, its power ramp, the generation and its data types"},
    {"cores", "how many cores and HBM stacks there are, and which share one"},
    {"HBM", "size, bandwidth and timing of a stack"},
    {"DMA", "DMA rings and engines"},
    {"vector", "rates, modes and latencies of Vector, Scalar and GpSimd"},
    {"SBUF/PSUM", "size and banks of SBUF and PSUM, engines that exclude each other there"},
    {"other", "semaphores, control, launch; energy and names, which take no time"},
}};

bool claims(const Rule& rule, std::string_view path) {
  return rule.prefix.ends_with('.') ? path.starts_with(rule.prefix) : path == rule.prefix;
}

}  // namespace

std::string_view name_of(Cause cause) { return kWords.at(static_cast<std::size_t>(cause)).name; }
std::string_view help_of(Cause cause) { return kWords.at(static_cast<std::size_t>(cause)).help; }

std::optional<Cause> cause_of(std::string_view path) {
  const auto* const found = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& rule) { return claims(rule, path); });
  return found == std::end(kRules) ? std::nullopt : std::optional(found->cause);
}

bool takes_time(std::string_view path) {
  constexpr std::array<std::string_view, 9> kTimeless{
      "name",           "marketing_name",     "projected",         "carried_over",     "energy_calibrated_for",
      "chip.launch_ns", "chip.launch_gap_ns", "chip.first_run_ns", "dma.wire_gb_per_s"};
  return !path.starts_with("energy.") && std::find(kTimeless.begin(), kTimeless.end(), path) == kTimeless.end();
}

std::vector<std::string> key_paths() {
  std::vector<std::string> paths;
  for (FieldEntry& entry : entries_of(ChipConfig{})) paths.push_back(std::move(entry.path));
  return paths;
}

std::array<std::vector<std::string>, kCauseCount> differences(const ChipConfig& a, const ChipConfig& b) {
  std::array<std::vector<std::string>, kCauseCount> all;
  const std::vector<FieldEntry> of_a = entries_of(a), of_b = entries_of(b);
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    if (of_a[i].value == of_b[i].value) continue;
    all.at(static_cast<std::size_t>(cause_of(of_a[i].path).value_or(Cause::Other))).push_back(of_a[i].path);
  }
  return all;
}

ChipConfig mixed(const ChipConfig& a, const ChipConfig& b, CauseSet from_b) {
  ChipConfig chip = a;
  const std::vector<FieldRef> fields = fields_of(chip);
  const std::vector<FieldEntry> of_b = entries_of(b);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& path = fields[i].path;
    if ((from_b & bit_of(cause_of(path).value_or(Cause::Other))) == 0) continue;
    fields[i].store(of_b[i].value);
    chip.sources.erase(path);
    if (const auto source = b.sources.find(path); source != b.sources.end()) chip.sources[path] = source->second;
  }
  return chip;
}

}  // namespace trnsim
