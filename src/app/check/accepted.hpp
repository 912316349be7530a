// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "app/check/verdict.hpp"
#include "app/console.hpp"

namespace trnsim::app {

/// Result files of an accepted state, one per case: FOLDER/<golden file's stem>/<case>.json.
std::string accepted_name(const std::string& folder, const CheckedCase& checked);

/// Makes the folders, before anything is simulated. IoError if it cannot; InputError if two cases would share a file.
void prepare_results(const std::string& folder, const std::vector<CheckedCase>& cases);

/// Writes the results of the runs that have one.
void save_results(const std::string& folder, const std::vector<CheckedCase>& cases, Console& console);

/// Explains each unexpected case that has a result by comparing it with the accepted one.
void explain(const std::string& folder, std::vector<CheckedCase>& cases);

}  // namespace trnsim::app
