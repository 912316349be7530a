// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "page/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace trnsim {

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::uint64_t tenths_of_ns(Time time) { return (time.value + kFsPerNs / 20) / (kFsPerNs / 10); }

void add_tenths(std::string& text, std::uint64_t tenths) {
  fmt::format_to(std::back_inserter(text), "{}", tenths / 10);
  if (tenths % 10 == 0) return;
  text += '.';
  text += static_cast<char>('0' + tenths % 10);
}

void add_exact_ns(std::string& text, Time time) {
  const std::uint64_t ps = (time.value + kFsPerPs / 2) / kFsPerPs, ps_per_ns = kFsPerNs / kFsPerPs;
  fmt::format_to(std::back_inserter(text), "{}.{:03}", ps / ps_per_ns, ps % ps_per_ns);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
}

void add_share(std::string& text, double share) {
  const auto thousandths = static_cast<unsigned>(std::lround(1000 * std::clamp(share, 0.0, 1.0)));
  if (thousandths == 0 || thousandths == 1000) {
    text += thousandths == 0 ? '0' : '1';
    return;
  }
  fmt::format_to(std::back_inserter(text), "0.{:03}", thousandths);
  while (text.back() == '0') text.pop_back();
}

void add_number(std::string& text, double value) { fmt::format_to(std::back_inserter(text), "{:.7g}", value == 0 ? 0.0 : value); }

void add_whole(std::string& text, double value) { fmt::format_to(std::back_inserter(text), "{}", std::llround(value)); }

}  // namespace trnsim
