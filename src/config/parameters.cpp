// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "config/field_table.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/config/show.hpp"

namespace trnsim {
namespace {

constexpr const char* kIntroduction = R"(# Parameters of a chip

Every key of a chip description: what it means, what it may be, and its value in each preset. Sources and
confidence of the values: `trnsim chips show NAME --sources`. Any key can be overridden on the command line,
`--set hbm.stack_gb_per_s=1175`, or in a file that starts with `"extends": "trn2"`.

Units are part of the key. GB is 1e9 bytes and GiB is 2^30 bytes, everywhere. Cycles are those of the engine the
section describes.

This page is generated from the descriptions of the fields; a test compares it.
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

/// A value; a remark only says that it is there.
std::string cell(const FieldEntry& entry) {
  constexpr std::size_t kLongest = 30;
  const std::string text = escaped(print(entry.value));
  return text.size() > kLongest ? "(a remark)" : text;
}

std::string table_head(const std::vector<ChipConfig>& presets) {
  std::string names;
  std::string rule;
  for (const ChipConfig& preset : presets) {
    names += fmt::format(" {} |", preset.name);
    rule += "---|";
  }
  return fmt::format("\n| Key | Meaning | Unit | Allowed |{}\n|---|---|---|---|{}\n", names, rule);
}

}  // namespace

std::string parameter_document() {
  std::vector<ChipConfig> presets;
  std::vector<std::string> ignored;
  for (const std::string& name : preset_names()) presets.push_back(load_chip(name, {}, ignored));
  std::vector<std::vector<FieldEntry>> values;
  for (const ChipConfig& preset : presets) values.push_back(entries_of(preset));

  std::string text = kIntroduction;
  std::string section = "none";
  const std::vector<FieldEntry> fields = entries_of(ChipConfig{});
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldEntry& field = fields[i];
    if (section_of(field.path) != section) {
      section = section_of(field.path);
      std::string_view title = "Identity";
      for (const Section& candidate : sections()) title = candidate.path == section ? candidate.help : title;
      text += fmt::format("\n## {}{}\n", title, section.empty() ? "" : fmt::format(" (`{}`)", section)) + table_head(presets);
    }
    Field plain = field.field;
    plain.unit = {};
    text += fmt::format("| `{}` | {} | {} | {} |", field.path, escaped(field.field.help), escaped(field.field.unit),
                        escaped(allowed_values(plain, field.value)));
    for (const auto& preset : values) text += fmt::format(" {} |", cell(preset[i]));
    text += '\n';
  }
  return text;
}

}  // namespace trnsim
