// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>

#include "app/check/verdict.hpp"

namespace trnsim::app {

/// All cases, or those that are not as expected: case, expected, got, change, verdict; then a line per reason and a total.
std::string check_table(const CheckReport& report, bool only_unexpected);
std::string check_markdown(const CheckReport& report);
/// JUnit XML: a test suite per file, no times, so that equal results are equal bytes.
std::string check_junit(const CheckReport& report);
/// "trnsim_check_report": docs/schemas/check-report.schema.json.
std::string check_json(const CheckReport& report);
/// `::error file=…,line=…` per failure, warnings where failures are only told, notices for improvements that do not fail.
/// `workspace` is the repository's folder, to which names are relative; empty = as named.
std::string check_annotations(const CheckReport& report, const std::string& workspace);

}  // namespace trnsim::app
