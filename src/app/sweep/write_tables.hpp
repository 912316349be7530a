// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>

#include "app/sweep/folder.hpp"

namespace trnsim::app {

/// Writes the rows of a database as a table, one at a time; the file appears complete or not at all.
/// Markdown has a selection of columns.
void write_table(SweepStore& store, TableFormat format, const std::string& file);

}  // namespace trnsim::app
