// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <limits>
#include <string_view>

namespace trnsim {

/// What a `describe` line says of one field besides its member: everything that reading, checking,
/// printing, `--set`, the JSON Schema and the parameter document need.
///
/// Each configuration struct has
///   template <class V> static void describe(V& v, auto& c) { v("clock_ghz", c.clock_ghz, {"GHz", "help", 0.1, 10}); }
/// A visitor is called as `v(name, member, Field)` for numbers, booleans and strings (enumerations are
/// strings with `choices`) and as `v(name, member, Group)` for a nested struct.
struct Field {
  std::string_view unit;  ///< "GHz", "ns", "bytes", "" for a pure number.
  std::string_view help;  ///< One line.
  double min = 0;         ///< Smallest allowed value.
  double max = std::numeric_limits<double>::max();
  bool positive = false;          ///< The minimum itself is not allowed.
  std::string_view choices = {};  ///< For strings: "static|software|hardware".
};

struct Group {
  std::string_view help;
};

}  // namespace trnsim
