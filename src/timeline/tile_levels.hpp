// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "timeline/time_bins.hpp"
#include "trnsim/isa/instruction.hpp"

namespace trnsim {

/// Bytes of SBUF and PSUM in use over time on one core: a tile counts from the start of the first to the
/// end of the last instruction or copy that touches it.
class TileLevels {
 public:
  struct Tile {
    std::string name;
    bool psum = false, released = false, touched = false;
    double bytes = 0;
    std::size_t users = 0;  ///< Planned and not done.
    Time first, last;
  };
  using Use = std::shared_ptr<Tile>;

  void place(TensorId id, const TensorInfo& info);
  void release(TensorId id);
  /// Null for a tensor in HBM.
  [[nodiscard]] Use use(TensorId id);
  [[nodiscard]] std::string_view name(TensorId id) const;
  void done(Tile& tile, Time from, Time until);
  /// Changes of the level: SBUF, PSUM. Tiles that are alive still count from their start.
  [[nodiscard]] const std::array<TimeBins, 2>& changes();

 private:
  void count(Tile& tile);

  std::vector<Use> tiles_;
  std::array<TimeBins, 2> changes_;
};

}  // namespace trnsim
