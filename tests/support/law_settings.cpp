// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Random cases of the laws: the same ones in every run, and few, since each is a simulation in a process
// of its own. RC_PARAMS in the environment asks for others or for more.
#include <cstdlib>

namespace {

[[maybe_unused]] const int kSettings = ::setenv("RC_PARAMS", "max_success=25 seed=1", 0);

}  // namespace
