// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>

#include "trnsim/result.hpp"

namespace trnsim {

struct ReportStyle {
  unsigned width = 100;  ///< Columns of the terminal; at least 60 is used.
  bool color = false;
  bool utf8 = true;
};

/// One screen for a person: headline, engines, memories, energy, verdict.
std::string terminal_report(const Result& result, const ReportStyle& style = {});

}  // namespace trnsim
