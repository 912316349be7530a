// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
// The reader of layer lists on arbitrary bytes: only input errors may leave it, and what it accepts
// survives being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "trnsim/error.hpp"
#include "trnsim/layers.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool strict = size > 0 && data[0] % 2 == 1;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const trnsim::LayerList list = trnsim::parse_layers(text, "fuzz.csv", strict);
    require(!list.layers.empty());
    const std::string written = trnsim::to_csv(list.layers);
    const trnsim::LayerList again = trnsim::parse_layers(written, "again.csv");
    require(trnsim::to_csv(again.layers) == written);
    for (const trnsim::Layer& layer : list.layers) require(layer.m >= layer.batch && layer.n > 0 && layer.k > 0);
  } catch (const trnsim::InputError& error) {
    require(!error.problems().empty());
  }
  return 0;
}
