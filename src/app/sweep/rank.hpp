// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trnsim::app {

/// How well the order of one column tells the order of another. Numbers: Spearman's rank correlation, −1 to
/// 1, equal values sharing the mean of their ranks. Texts: the correlation ratio of the ranks, 0 to 1. Nothing
/// when one of the columns has one value only.
std::optional<double> rank_relation(const std::vector<std::string>& axis, const std::vector<double>& objective);

}  // namespace trnsim::app
