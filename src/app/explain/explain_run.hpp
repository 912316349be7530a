// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/explain/explanation.hpp"
#include "app/progress.hpp"
#include "app/recorded.hpp"
#include "app/request.hpp"

namespace trnsim {
class RunObserver;
}

namespace trnsim::app {

/// What is explained, on which chip, and what an earlier run said of it.
struct ExplainSubject {
  RunRequest request;
  ChipConfig chip;
  std::vector<std::string> warnings;
  std::optional<Recorded> recorded;
};

struct ExplainOptions {
  unsigned workers = 0;  ///< Simulations of faster chips at a time; 0 for none of them.
  ProgressMode progress = ProgressMode::Off;
  RunObserver* also = nullptr;  ///< Told of the run as well.
  std::function<void(std::size_t done, std::size_t count)> chip_done = [](std::size_t, std::size_t) {};
};

/// UsageError for work that cannot be explained: many runs, a part of one, or what can be read only once.
void check_explainable(const RunRequest& request);

/// Simulates in this process, which works once, and faster chips in others. InputError if an earlier run was another one.
Explanation explain_run(const ExplainSubject& subject, const ExplainOptions& options, Console& console);

}  // namespace trnsim::app
