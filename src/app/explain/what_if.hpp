// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <functional>
#include <vector>

#include "app/explain/explanation.hpp"
#include "app/request.hpp"

namespace trnsim::app {

/// A faster chip to try: what `WhatIf` says without the time.
struct FasterChip {
  WhatIf what_if;
  ChipConfig chip;
};

/// Chips with one part faster or free, for the parts that the run used.
std::vector<FasterChip> faster_chips(const Result& base);

/// Device time of the request's program, made and ordered for `base`, on another chip. In a process of its own.
double time_on(const RunRequest& request, const ChipConfig& base, const ChipConfig& chip);

/// Simulates all of them in forked processes, `workers` at a time; the largest gain first. Error with ExitCode::Stopped on a signal.
std::vector<WhatIf> what_if(const RunRequest& request, const Result& base, unsigned workers,
                            const std::function<void(std::size_t done, std::size_t count)>& progress);

}  // namespace trnsim::app
