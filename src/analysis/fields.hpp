// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim {

/// Type of a value in a result file. Counts above 2^53 are written as strings.
enum class FieldType { Text, TextOrNull, Number, NumberOrNull, Count, CountOrNull, Flag, Texts, Numbers, Map, Any };

/// Definition of one value of a result file. `{engine}`, `{cause}`, `{component}` and `{resource}`
/// stand for the names that `expand` lists, `[]` for the entries of an array.
struct ResultField {
  std::string_view path;
  FieldType type;
  std::string_view unit;
  std::string_view meaning;
};

std::span<const ResultField> result_fields();

/// Names that a placeholder such as "{engine}" stands for; empty if the part is a plain key.
std::vector<std::string> placeholder_names(std::string_view part);

/// Names of the resources of the verdict, as in bottleneck.shares.
std::vector<std::string> resource_names();

}  // namespace trnsim
