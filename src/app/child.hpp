// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <functional>
#include <string>

namespace trnsim::app {

/// Runs `work` in a forked process, since a simulation works once per process, and returns its text.
/// Throws what it threw, as the same of our classes (exit code and message); InternalError when it
/// crashed.
std::string in_child(const std::function<std::string()>& work);

}  // namespace trnsim::app
