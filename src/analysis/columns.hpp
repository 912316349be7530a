// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "trnsim/result.hpp"

namespace trnsim {

struct Totals;

/// One column of `run --csv`.
struct Column : ResultColumn {
  std::string (*text)(const Result&, const Totals&) = nullptr;
};

const std::vector<Column>& columns();

}  // namespace trnsim
