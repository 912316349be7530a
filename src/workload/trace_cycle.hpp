// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace trnsim {

/// An edge from an instruction to one it waits for, both numbered from 1.
using WaitEdge = std::pair<std::uint32_t, std::uint32_t>;

/// One shortest cycle in the order of waiting, its smallest number first; empty if there is none.
/// Shortest among those searched: in a tangle of more than some thousand instructions the search
/// stops after a fixed amount of work and gives the best cycle seen.
std::vector<std::uint32_t> shortest_cycle(const std::vector<WaitEdge>& edges, std::uint32_t count);

}  // namespace trnsim
