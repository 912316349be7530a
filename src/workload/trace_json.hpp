// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <simdjson.h>

#include <bit>
#include <concepts>
#include <limits>
#include <string>

#include "error/nearest.hpp"
#include "workload/trace_problems.hpp"
#include "workload/trace_words.hpp"

namespace trnsim {

/// Key path of a value, put together only for a message: "moving.dt".
struct KeyPath {
  std::string_view outer, inner;
  [[nodiscard]] std::string text() const { return inner.empty() ? std::string(outer) : std::string(outer) + "." + std::string(inner); }
};

/// Reads values of one line of JSON; what does not fit is a problem with key, value and what is allowed.
class LineReader {
 public:
  using Value = simdjson::dom::element;

  LineReader(Problems& problems, std::uint32_t number) : problems_(&problems), number_(number) {}
  [[nodiscard]] bool good() const { return good_; }

  void problem(std::string_view text) {
    problems_->add(number_, text);
    good_ = false;
  }
  void bad(KeyPath key, Value value, std::string_view allowed) {
    problem("key '" + key.text() + "': value " + shown(value) + "; allowed: " + std::string(allowed));
  }
  void unknown(KeyPath key, const std::vector<std::string_view>& known) {
    const std::string_view word = key.inner.empty() ? key.outer : key.inner;
    problem("unknown key '" + key.text() + "'" + nearest_hint(word, known) + "; allowed: " + listed(known));
  }
  void repeated(KeyPath key) { problem("key '" + key.text() + "' stands twice"); }
  void missing(KeyPath key, std::string_view what) { problem("key '" + key.text() + "' is missing: " + std::string(what)); }

  template <std::integral Int>
  bool integer(KeyPath key, Value value, Int& to, Int least = 0, Int most = std::numeric_limits<Int>::max()) {
    if constexpr (std::unsigned_integral<Int>) {
      std::uint64_t n = 0;
      if (value.get(n) == simdjson::SUCCESS && n >= least && n <= most) return to = static_cast<Int>(n), true;
    } else {
      std::int64_t n = 0;
      if (value.get(n) == simdjson::SUCCESS && n >= least && n <= most) return to = static_cast<Int>(n), true;
    }
    bad(key, value, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
    return false;
  }

  bool boolean(KeyPath key, Value value, bool& to) {
    if (value.get(to) == simdjson::SUCCESS) return true;
    bad(key, value, "true, false");
    return false;
  }

  bool text(KeyPath key, Value value, std::string_view& to, std::string_view allowed = "a text that is not empty") {
    if (value.get(to) == simdjson::SUCCESS && !to.empty()) return true;
    bad(key, value, allowed);
    return false;
  }

  /// A word of a fixed list; `names` is called only for a message.
  template <class Enum, class From, class Names>
  bool word(KeyPath key, Value value, Enum& to, From from, Names names) {
    std::string_view name;
    if (value.get(name) == simdjson::SUCCESS) {
      if (const auto found = from(name)) return to = *found, true;
    }
    const auto known = names();
    bad(key, value, listed(known) + nearest_hint(name, known));
    return false;
  }

  /// Exactly two integers.
  template <class A, class B>
  bool pair(KeyPath key, Value value, A& first, B& second, std::string_view allowed) {
    simdjson::dom::array list;
    if (value.get(list) == simdjson::SUCCESS && list.size() == 2 && fits(list.at(0), first) && fits(list.at(1), second)) return true;
    bad(key, value, allowed);
    return false;
  }

  /// Two integers, or three.
  template <class A, class B, class C>
  bool pair_or_triple(KeyPath key, Value value, A& first, B& second, C& third, std::string_view allowed) {
    simdjson::dom::array list;
    if (value.get(list) == simdjson::SUCCESS && (list.size() == 2 || list.size() == 3) && fits(list.at(0), first) &&
        fits(list.at(1), second) && (list.size() == 2 || fits(list.at(2), third))) {
      return true;
    }
    bad(key, value, allowed);
    return false;
  }

  /// Integers of a list, at most `most`.
  template <class Int>
  bool integers(KeyPath key, Value value, std::vector<Int>& to, std::size_t most, std::string_view allowed) {
    simdjson::dom::array list;
    if (value.get(list) != simdjson::SUCCESS || list.size() > most) return bad(key, value, allowed), false;
    for (const Value item : list) {
      if (!fits(simdjson::simdjson_result<Value>(Value(item)), to.emplace_back())) return bad(key, value, allowed), false;
    }
    return true;
  }

  static std::string shown(Value value) {
    constexpr std::size_t kMost = 60;
    std::string text = simdjson::minify(value);
    if (text.size() > kMost) {
      std::size_t cut = kMost;
      while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0U) == 0x80U) --cut;
      text = text.substr(0, cut) + "…";
    }
    return text;
  }

 private:
  template <class Int>
  static bool fits(simdjson::simdjson_result<Value> value, Int& to) {
    std::int64_t n = 0;
    if (value.get(n) != simdjson::SUCCESS || !std::in_range<Int>(n)) return false;
    to = static_cast<Int>(n);
    return true;
  }

  Problems* problems_;
  std::uint32_t number_;
  bool good_ = true;
};

}  // namespace trnsim
