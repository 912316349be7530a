// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "trnsim/units.hpp"

namespace trnsim {

class RunObserver;

/// What the modules of one simulation share. Nothing of it is global.
struct Context {
  Time limit = kForever;                    ///< No instruction starts after it.
  const std::atomic<bool>* stop = nullptr;  ///< Set from outside to end the run early.
  std::function<void(Time now)> heartbeat;  ///< Called every few thousand activations.

  RunObserver* observer = nullptr;  ///< Null for none.

  std::exception_ptr failure;  ///< First error of a process; SystemC would lose its type.
  bool stopped = false;        ///< The run was ended by `stop`.
  std::uint64_t activations = 0;
};

}  // namespace trnsim
