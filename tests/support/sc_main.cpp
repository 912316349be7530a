// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <systemc>

/// The SystemC library refers to it; tests that do not link the simulator have to bring one.
int sc_main(int, char**) { return 0; }
