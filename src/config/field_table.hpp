// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trnsim/config/chip_config.hpp"

namespace trnsim {

/// Value of one configuration field.
using FieldValue = std::variant<double, std::uint32_t, bool, std::string>;

/// One field of a chip description that can be written.
struct FieldRef {
  std::string path;  ///< "hbm.stack_gb_per_s"
  Field field;
  std::variant<double*, std::uint32_t*, bool*, std::string*> member;

  [[nodiscard]] FieldValue value() const;
  void store(const FieldValue& value) const;
};

/// The same as a value, for printing.
struct FieldEntry {
  std::string path;
  Field field;
  FieldValue value;

  [[nodiscard]] bool is_text() const { return std::holds_alternative<std::string>(value); }
};

/// A nested struct.
struct Section {
  std::string path;  ///< "dma.static_mode"
  std::string_view help;
};

/// Every field in the order of `describe`. The references live as long as `config`.
std::vector<FieldRef> fields_of(ChipConfig& config);
std::vector<FieldEntry> entries_of(const ChipConfig& config);
const std::vector<Section>& sections();

/// "716", "0.96", "true"; reads back as the same value.
std::string print(const FieldValue& value);

/// Part of a path before the last dot: "dma.static_mode", "" for a key of the top level.
std::string_view section_of(std::string_view path);
/// Part of a path after the last dot.
std::string_view leaf_of(std::string_view path);

/// "> 0 and <= 100 GHz", "true or false", "v2, v3 or v4".
std::string allowed_values(const Field& field, const FieldValue& type);

/// What is wrong with a value, "" when the field takes it.
std::string range_problem(const Field& field, const FieldValue& value);

}  // namespace trnsim
