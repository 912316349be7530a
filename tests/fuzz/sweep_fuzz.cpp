// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
// The reader of sweep files on arbitrary bytes: only the project's own error classes may leave it, and what
// it accepts has points of as many values as axes, and reads the same again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "app/sweep/description.hpp"
#include "app/sweep/spec.hpp"
#include "trnsim/error.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// Whether a sweep is small enough to be looked at point by point in no time.
bool is_small(std::string_view text) {
  trnsim::app::Problems problems("fuzz.json");
  const trnsim::app::SweepDescription sweep = trnsim::app::read_description(text, "fuzz.json", problems);
  constexpr std::uint64_t kMost = 5000;
  double points = 1;
  for (const trnsim::app::Axis& axis : sweep.axes) points *= static_cast<double>(axis.values.size());
  return sweep.samples <= kMost && (sweep.samples > 0 || points <= static_cast<double>(kMost));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using trnsim::app::SweepSpec;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    if (!is_small(text)) return 0;
    const SweepSpec spec = SweepSpec::parse(text, "no_such_folder/fuzz.json");
    require(spec.size() > 0);
    for (const std::size_t point : {std::size_t{0}, spec.size() / 2, spec.size() - 1}) {
      require(spec.point(point).index == point);
      require(spec.point(point).values.size() == spec.axes().size());
    }
    require(SweepSpec::parse(text, "no_such_folder/fuzz.json").hash() == spec.hash());
  } catch (const trnsim::InputError& error) {
    require(!error.problems().empty());
  } catch (const trnsim::IoError&) {
  }
  return 0;
}
