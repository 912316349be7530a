// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trnsim::app {

/// Path and value as JSON text, in the order of the file.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

enum class FactGroup : std::uint8_t {
  EngineTime,  ///< ns of an engine under one heading, mean of the cores used.
  Traffic,     ///< Bytes and counts.
  Energy,      ///< pJ.
};

/// One number that a comparison ranks.
struct Fact {
  FactGroup group = FactGroup::EngineTime;
  std::string name;  ///< "tensor wait_dma", "HBM read_bytes", "energy hbm".
  double value = 0;
};

/// What comparisons need of a result file.
struct ResultFacts {
  std::string file;
  NamedValues tool;      ///< version, commit.
  NamedValues config;    ///< Resolved chip description.
  NamedValues workload;  ///< Name, parameters, counts, hash.
  NamedValues rest;      ///< All values but these and what may differ between two equal runs.
  std::string chip;
  std::string command;
  std::string truncated;
  std::uint64_t cycles = 0;
  std::uint64_t cores = 0;
  double time_ns = 0, launch_ns = 0;
  double cycle_clock_ghz = 0;  ///< Of `cycles`.
  std::vector<Fact> facts;
};

/// InputError if it is not a complete result file.
ResultFacts parse_facts(std::string_view text, const std::string& file);
ResultFacts read_facts(const std::string& path);  ///< "-" is stdin.

}  // namespace trnsim::app
