// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <systemc>

/// The SystemC library refers to it; a program with a main of its own has to bring one.
int sc_main(int, char**) { return 0; }
