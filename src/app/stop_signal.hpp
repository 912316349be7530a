// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <atomic>

namespace trnsim::app {

/// While it lives, the first SIGINT or SIGTERM sets a flag instead of ending the process; a second one
/// ends it at once. One within another shares its flag.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  [[nodiscard]] const std::atomic<bool>& flag() const;
};

}  // namespace trnsim::app
