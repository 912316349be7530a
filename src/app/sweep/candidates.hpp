// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "app/sweep/description.hpp"

namespace trnsim::app {

/// A value of a sweep file and where it stands.
struct Candidate {
  std::string value;
  std::string place;  ///< "base.chip", "axes[1].values[2]"
};

/// All values that a path takes in a sweep: the one of base, unless an axis replaces it, and those of its
/// axis. Of a range only the ends, between which its other values lie.
std::vector<Candidate> candidates(const SweepDescription& sweep, const std::string& path);

/// Paths of one kind that base or axes name, each once.
std::vector<std::string> paths_of(const SweepDescription& sweep, TargetKind kind);

/// The first value of every path, base and axes together.
std::map<std::string, std::string> first_values(const SweepDescription& sweep);

}  // namespace trnsim::app
