// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/sweep/table.hpp"

namespace trnsim::app {

/// A row that is done, with these values of result columns; the others are "1", and it was not truncated.
SweepRow done_row(std::size_t point, std::vector<std::string> axes, const std::map<std::string, std::string>& values);
/// A row without a result.
SweepRow failed_row(std::size_t point, std::vector<std::string> axes, PointStatus status = PointStatus::Refused);

}  // namespace trnsim::app
