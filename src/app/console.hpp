// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <ostream>

#include "trnsim/report.hpp"

namespace trnsim::app {

/// What is known of one of the program's output streams.
struct Terminal {
  bool interactive = false;  ///< A terminal that can rewrite its line.
  unsigned width = 100;
  bool color = false;
  bool utf8 = false;
};

/// Looks at a file descriptor and at COLUMNS, TERM, NO_COLOR and the locale.
Terminal terminal_of(int descriptor);

/// Where commands write. `main` connects it to the process, tests to strings.
struct Console {
  std::ostream& out;
  std::ostream& err;
  Terminal out_terminal = {};
  Terminal err_terminal = {};

  [[nodiscard]] ReportStyle report_style() const { return {out_terminal.width, out_terminal.color, out_terminal.utf8}; }
};

}  // namespace trnsim::app
