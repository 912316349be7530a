// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/config/show.hpp"

#include <fmt/format.h>

#include "config/field_table.hpp"
#include "config/files.hpp"
#include "config/text_table.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kWidth = 100;

std::string_view help_of(std::string_view section) {
  for (const Section& candidate : sections()) {
    if (candidate.path == section) return candidate.help;
  }
  return "";
}

std::string heading(const ChipConfig& config) {
  std::string text = fmt::format("{}  {}, NeuronCore-{}{}\n", config.name, config.marketing_name, config.generation,
                                 config.projected ? "  PROJECTED" : "");
  if (config.energy_calibrated_for != config.name)
    text += wrapped("Energy coefficients made for " + config.energy_calibrated_for, "  ", kWidth);
  if (!config.carried_over.empty()) text += wrapped(config.carried_over, "  ", kWidth);
  return text;
}

std::string value_with_unit(const FieldEntry& entry) {
  return print(entry.value) + (entry.field.unit.empty() ? "" : " " + std::string(entry.field.unit));
}

/// One preset of the list; a file that cannot be used is named, not hidden.
std::vector<std::string> list_row(const std::string& name) {
  std::vector<std::string> ignored;
  try {
    const ChipConfig c = load_chip(name, {}, ignored);
    const double tflops = peak_flops(c.tensor, DType::Bf16, false) * c.chip.cores / 1e12;
    return {c.name,
            c.marketing_name,
            c.generation,
            fmt::format("{}", c.chip.cores),
            fmt::format("{:.0f}", tflops),
            fmt::format("{}", c.hbm.gib_per_stack * c.hbm.stacks),
            fmt::format("{}", c.hbm.stack_gb_per_s * c.hbm.stacks),
            c.projected ? "PROJECTED" : ""};
  } catch (const Error& error) {
    return {name, fmt::format("cannot be used: {}", std::string(error.what()).substr(0, kWidth))};
  }
}

std::string source_text(const FieldEntry& entry, const ValueSource& source) {
  std::string text = fmt::format("  {} = {}  [{}]\n", entry.path, value_with_unit(entry), source.confidence);
  if (source.value != print(entry.value)) text += wrapped("printed as " + source.value, "      ", kWidth);
  text += wrapped(source.source, "      ", kWidth);
  if (!source.note.empty()) text += wrapped(source.note, "      ", kWidth);
  for (const std::string& alternative : source.alternatives) text += wrapped("or " + alternative, "        ", kWidth);
  if (source.range) {
    const std::string ends = source.range->lo == source.range->hi
                                 ? fmt::format("not varied: {}", source.range->reason)
                                 : fmt::format("between {} and {}: {}", print(FieldValue{source.range->lo}),
                                               print(FieldValue{source.range->hi}), source.range->reason);
    text += wrapped(ends, "      ", kWidth);
  }
  return text;
}

}  // namespace

std::string list_chips() {
  const std::vector<std::string> names = preset_names();
  if (names.empty()) throw IoError(no_presets());
  TextTable table;
  table.row({"chip", "product", "core", "cores", "bf16 TFLOPS", "HBM GiB", "HBM GB/s", ""});
  for (const std::string& name : names) table.row(list_row(name));
  return table.text();
}

std::string show_chip(const ChipConfig& config) {
  std::string text = heading(config);
  TextTable table("  ");
  std::string section;
  for (const FieldEntry& entry : entries_of(config)) {
    if (section_of(entry.path).empty()) continue;  // in the heading
    if (section_of(entry.path) != section) {
      section = section_of(entry.path);
      table.row({""});
      table.row({fmt::format("# {}", help_of(section))});
    }
    table.row({entry.path, print(entry.value), std::string(entry.field.unit), std::string(entry.field.help)});
  }
  return text + table.text();
}

std::string show_sources(const ChipConfig& config) {
  std::string text = heading(config);
  std::string section;
  for (const FieldEntry& entry : entries_of(config)) {
    const auto source = config.sources.find(entry.path);
    if (section_of(entry.path).empty()) continue;
    if (section_of(entry.path) != section) {
      section = section_of(entry.path);
      text += fmt::format("\n# {}\n", help_of(section));
    }
    if (source == config.sources.end()) {
      text += fmt::format("  {} = {}  [no source]\n", entry.path, value_with_unit(entry));
    } else {
      text += source_text(entry, source->second);
    }
  }
  return text;
}

}  // namespace trnsim
