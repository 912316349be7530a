// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/duration.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 7> kUnits{{{"fs", 1},
                                                                            {"ps", kFsPerPs},
                                                                            {"ns", kFsPerNs},
                                                                            {"us", kFsPerUs},
                                                                            {"µs", kFsPerUs},
                                                                            {"ms", 1000 * kFsPerUs},
                                                                            {"s", 1'000'000 * kFsPerUs}}};

/// Decimal number × scale, exactly; nothing when it is malformed, has parts of a femtosecond or is too large.
std::optional<std::uint64_t> scaled(std::string_view number, std::uint64_t scale) {
  const std::size_t point = number.find('.');
  const std::string_view whole = number.substr(0, point);
  std::string_view fraction = point == std::string_view::npos ? std::string_view{} : number.substr(point + 1);
  if (whole.empty() || fraction.find('.') != std::string_view::npos) return std::nullopt;
  while (fraction.ends_with('0')) fraction.remove_suffix(1);

  std::uint64_t units = 0;
  if (std::from_chars(whole.data(), whole.data() + whole.size(), units).ec != std::errc{}) return std::nullopt;
  if (units > kForever.value / scale - 1) return std::nullopt;
  std::uint64_t value = units * scale;
  for (const char digit : fraction) {
    if (scale % 10 != 0) return std::nullopt;
    scale /= 10;
    value += static_cast<std::uint64_t>(digit - '0') * scale;
  }
  return value;
}

}  // namespace

Time parse_duration(std::string_view text, const std::string& option) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  for (const auto& [unit, scale] : kUnits) {
    if (text.substr(end) != unit) continue;
    if (const auto value = scaled(text.substr(0, end), scale); value && *value > 0) return Time{*value};
  }
  throw InputError(option + " \"" + std::string(text) +
                   "\": want a positive time of at most 5 h with its unit (fs, ps, ns, us, ms, s), as in 10us");
}

}  // namespace trnsim::app
