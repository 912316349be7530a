// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/request.hpp"
#include "trnsim/config/chip_config.hpp"
#include "trnsim/critical_path.hpp"

namespace trnsim::app {

/// The run with one parameter of its kernel set to another value.
struct Variant {
  struct Times {
    double time_ns = 0;
    Overlap overlap;
    double compute_bound_ns = 0, dma_bound_ns = 0;
  };
  std::string value;
  std::optional<Times> times;
  std::string reason;  ///< Why there are none.
};

struct Variants {
  std::string parameter;
  std::vector<Variant> list;  ///< In the order asked for; empty when nothing was.
};

/// Share of the shorter of computation and copies during which the other one goes on; nothing if one of them is never.
std::optional<double> overlap_share(const Overlap& overlap);

/// "buffers=1,2,3" as a parameter and its values. UsageError if it is not that, or the request has no kernel with parameters.
Variants parse_variants(const std::string& text, const RunRequest& request);

/// Simulates all of them in forked processes, `workers` at a time. Error with ExitCode::Stopped on a signal.
void simulate_variants(Variants& variants, const RunRequest& request, const ChipConfig& chip, unsigned workers);

}  // namespace trnsim::app
