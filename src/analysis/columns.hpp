// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trnsim/result.hpp"

namespace trnsim {

struct Totals;

/// One column of `run --csv`.
struct Column {
  std::string name;
  std::string unit;
  std::string meaning;
  std::string (*text)(const Result&, const Totals&) = nullptr;
};

const std::vector<Column>& columns();

/// A CSV field: quoted when it holds a comma, a quote or a line end (RFC 4180).
std::string csv_field(std::string_view text);

}  // namespace trnsim
