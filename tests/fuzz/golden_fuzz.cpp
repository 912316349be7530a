// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
// The golden reader on arbitrary bytes: only the project's own errors may leave it; what it accepts is left byte for byte by an
// update that changes nothing, and holds the new values after one that does.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "app/check/golden.hpp"
#include "trnsim/error.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_update(const trnsim::app::GoldenFile& file) {
  std::vector<std::optional<trnsim::app::GoldenValues>> same(file.cases.size()), next(file.cases.size());
  for (std::size_t i = 0; i < file.cases.size(); ++i) {
    const trnsim::app::GoldenCase& one = file.cases[i];
    if (one.cycles) same[i] = {*one.cycles, one.energy_pj.value_or(0), one.dma_bytes.value_or(0)};
    next[i] = {one.cycles.value_or(0) / 2 + 1, 12345.5, i};
  }
  require(trnsim::app::updated_golden(file, same) == file.text);
  const trnsim::app::GoldenFile updated = trnsim::app::parse_golden(trnsim::app::updated_golden(file, next), "updated.json");
  require(updated.cases.size() == file.cases.size());
  for (std::size_t i = 0; i < file.cases.size(); ++i) {
    require(updated.cases[i].name == file.cases[i].name && updated.cases[i].args == file.cases[i].args);
    require(updated.cases[i].cycles == next[i]->cycles);
    require(updated.cases[i].dma_bytes.has_value() == file.cases[i].dma_bytes.has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check_update(trnsim::app::parse_golden(std::string(reinterpret_cast<const char*>(data), size), "fuzz.json"));
  } catch (const trnsim::InputError& error) {
    require(!error.problems().empty());
  }
  return 0;
}
