// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/options.hpp"
#include "app/output.hpp"
#include "app/request.hpp"
#include "trnsim/timeline.hpp"

namespace trnsim::app {

void add_timeline_options(Options& options);  ///< --timeline --timeline-limit --timeline-sample

/// The timeline file of a run, as the options say; nothing without --timeline. A regular file appears when it is complete.
class TimelineOutput {
 public:
  /// UsageError for a suffix or a number that does not fit.
  explicit TimelineOutput(const ParsedOptions& options);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Makes the file; IoError if that is not possible. Null without --timeline, and for a list of layers.
  RunObserver* open(const RunRequest& request);
  /// Completes it and adds what is missing to the warnings of the result.
  void finish(Result& result, bool quiet, Console& console);

 private:
  std::string path_;
  TimelineOptions options_;
  std::optional<TemporaryBeside> temporary_;
  std::unique_ptr<Timeline> timeline_;
};

}  // namespace trnsim::app
