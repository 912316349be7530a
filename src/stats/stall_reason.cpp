// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <array>

#include "trnsim/snapshot.hpp"

namespace trnsim {
namespace {

constexpr std::array<std::string_view, kStallReasonCount> kNames{"wait_dma",  "wait_engine", "wait_buffer", "queue_full", "port_conflict",
                                                                 "psum_bank", "throttle",    "table_load",  "issue"};

}  // namespace

std::string_view name_of(StallReason r) { return kNames[static_cast<std::size_t>(r)]; }

}  // namespace trnsim
