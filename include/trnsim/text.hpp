// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trnsim {

/// Numbers as a person reads them; the same input gives the same text everywhere.

std::string percent(double share);         ///< 0.9764 → "97.6 %"
std::string time_text(double ns);          ///< 1772412.3 → "1.772 ms", at least three digits.
std::string bytes_text(double bytes);      ///< Powers of 1024: "96.0 MiB".
std::string energy_text(double pj);        ///< "93.7 mJ"
std::string with_commas(std::uint64_t n);  ///< "4,253,790"
std::string number_text(double value);     ///< Three significant digits: "77.5"
std::string or_dash(const std::optional<double>& value, std::string (*text)(double));

/// Columns a UTF-8 text takes on a terminal (one per code point).
std::size_t text_width(std::string_view text);
std::string pad_right(std::string text, std::size_t width);
std::string pad_left(const std::string& text, std::size_t width);
/// Breaks at spaces; continuation lines start with `indent` spaces.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);
/// Replaces the few non-ASCII characters of reports: "·" → "|", "×" → "x", "µ" → "u", "…" → "...".
std::string to_ascii(std::string_view text);

}  // namespace trnsim
