// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>
#include <string>

#include "app/console.hpp"
#include "app/options.hpp"
#include "app/request.hpp"
#include "trnsim/page.hpp"

namespace trnsim::app {

void add_page_option(Options& options);  ///< --html

/// The page of a run, as --html says; nothing without it.
class PageOutput {
 public:
  /// IoError if the file cannot be made.
  explicit PageOutput(const ParsedOptions& options);

  /// Null without --html, and for a list of layers.
  RunObserver* open(const RunRequest& request);
  [[nodiscard]] bool wanted() const { return !path_.empty(); }
  /// `json` is the result as it stands in a file.
  void write(const Result& result, const std::string& json, Console& console);

 private:
  std::string path_;
  std::unique_ptr<PageObserver> observer_;
};

/// "matmul on trn2", from the JSON of a result.
std::string run_name(const std::string& result);

}  // namespace trnsim::app
