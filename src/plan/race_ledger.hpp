// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <vector>

#include "plan/footprint.hpp"
#include "plan/wait_clocks.hpp"
#include "trnsim/isa/instruction.hpp"

namespace trnsim {

/// Who touched a place.
struct Toucher {
  WaitClocks::Completion completion;
  Opcode op = Opcode::TensorCopy;
  EngineKind engine = EngineKind::Vector;
  bool write = false;
  std::uint32_t line = 0;
  SourceLine at;
};

/// The accesses to one memory, tile or HBM tensor that a later one could still collide with. One that a later write covers goes: whoever
/// comes after the write comes after both.
class RaceLedger {
 public:
  /// Granules only spare comparisons; 0 is one for all.
  RaceLedger(std::uint64_t bytes, std::uint64_t granule_bytes);

  /// Calls `f` for every earlier access that conflicts with this one, perhaps several times for the same.
  template <class F>
  void conflicts(const Footprint& footprint, bool write, F f) const {
    const auto [first, last] = granules_of(footprint);
    for (std::size_t g = first; g <= last; ++g) {
      const Granule& granule = granules_[g];
      for (std::size_t k = 0; k < granule.entries.size(); ++k) {
        if (granule.hulls[k].end <= footprint.pattern.lo || granule.hulls[k].begin >= hull_end(footprint)) continue;
        const Entry& entry = granule.entries[k];
        if ((write || entry.by.write) && overlap(entry.footprint, footprint)) f(entry.by, entry.footprint);
      }
    }
  }

  /// False if something had to be forgotten that could still collide.
  bool add(const Footprint& footprint, const Toucher& by, const WaitClocks& clocks);

 private:
  struct Entry {
    Footprint footprint;
    Toucher by;
  };
  struct Hull {
    std::uint64_t begin, end;
  };
  struct Granule {
    std::vector<Hull> hulls;
    std::vector<Entry> entries;
    std::size_t limit = 64;  ///< Size at which settled entries are dropped.
  };

  static std::uint64_t hull_end(const Footprint& footprint) { return footprint.pattern.hi(); }
  [[nodiscard]] std::pair<std::size_t, std::size_t> granules_of(const Footprint& footprint) const;
  [[nodiscard]] bool make_room(Granule& granule, const WaitClocks& clocks) const;

  std::uint64_t granule_bytes_;
  std::size_t most_;
  std::vector<Granule> granules_;
};

}  // namespace trnsim
