// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/check/tolerance.hpp"
#include "app/options.hpp"

namespace trnsim::app {

/// One run and what it is expected to give.
struct GoldenCase {
  std::string name;
  Args args;  ///< Of `trnsim run`.
  std::optional<std::uint64_t> cycles;
  std::optional<double> clock_ghz;  ///< Tensor clock of `cycles`; nothing if the file does not say.
  std::optional<double> energy_pj;
  std::optional<std::uint64_t> dma_bytes;
  std::optional<std::uint64_t> rel_ppb, min_cycles;  ///< Instead of those of the command line.
  unsigned line = 1;                                 ///< Of the file.

  [[nodiscard]] Tolerance tolerance(const Tolerance& general) const;
};

/// A suite of cases: `{"trnsim_golden": "1.0", "cases": [...]}`. File names in `args` are relative to its folder.
struct GoldenFile {
  std::string path;    ///< As named by the user.
  std::string folder;  ///< Absolute.
  std::string text;    ///< As read.
  std::vector<GoldenCase> cases;
};

/// InputError with every problem: line, case, key, value and what is allowed.
GoldenFile parse_golden(std::string text, const std::string& path);
/// "-" is stdin, whose folder is the current one. IoError if the file cannot be read.
GoldenFile read_golden(const std::string& path);

/// What a case gave. Only what the case expects is recorded, cycles always.
struct GoldenValues {
  std::uint64_t cycles = 0;
  double energy_pj = 0;
  std::uint64_t dma_bytes = 0;
  double time_ns = 0;
  double clock_ghz = 0;  ///< Of `cycles`.
};

/// The text with the values of now: one per case, nothing for those to be left alone. Every other byte is kept; a case without
/// cycles gets them after its last key, spaced like it.
std::string updated_golden(const GoldenFile& file, const std::vector<std::optional<GoldenValues>>& values);

}  // namespace trnsim::app
