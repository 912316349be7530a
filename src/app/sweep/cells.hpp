// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/sweep/table.hpp"

namespace trnsim::app {

// The parts that all forms of a table are made of, so that a table need not be held to be written.

std::vector<std::string> column_names(const std::vector<std::string>& axes);
PointStatus parse_status(std::string_view name);
/// Columns whose values are text even if they look like numbers.
bool is_text_column(std::string_view name);

std::string csv_line(const std::vector<std::string>& cells);

std::string json_head(const std::vector<std::string>& axes, std::size_t points);
/// An object; between two of them stands ",\n", before the first "\n".
std::string json_line(const std::vector<std::string>& names, const std::vector<std::string>& values);
inline constexpr std::string_view kJsonTail = "\n]\n}\n";

std::string markdown_head(const std::vector<std::string>& names);
std::string markdown_line(const std::vector<std::string>& cells);

/// Places of the wanted columns, all if none is named; InputError for an unknown one.
std::vector<std::size_t> chosen_columns(const std::vector<std::string>& names, const std::vector<std::string>& wanted);
std::vector<std::string> picked(const std::vector<std::string>& cells, const std::vector<std::size_t>& columns);

}  // namespace trnsim::app
