// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/job_pool.hpp"
#include "app/sweep/point_job.hpp"
#include "app/sweep/runner.hpp"

namespace trnsim::app {

/// Points that one job looks at before they are simulated.
inline constexpr std::size_t kLookAhead = 64;
/// Only against a hang: what such a job finds must not depend on the speed of the machine.
inline constexpr JobLimits kLookAheadLimits{600, 0};

/// For a forked job: what is known of these points, as `known_points` reads it.
std::string look_ahead(const PointSource& source, const std::vector<std::size_t>& points);

}  // namespace trnsim::app
