// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "plan/tile_allocator.hpp"
#include "timing/dma_timing.hpp"
#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"
#include "trnsim/spill.hpp"

namespace trnsim {

/// A program whose SBUF tiles may be larger together than SBUF.
///
/// Places the tiles as the planner does, and where there is no room copies the tile that was used longest ago to HBM; its next use
/// copies it back, perhaps to another address. These copies are ordinary instructions of the Sync engine on its ring 0, so that their
/// dependencies, traffic and time are those of any copy. A tile that has not changed since it came back is not stored again. Tiles with
/// an address of their own stay, and PSUM never spills: what does not fit then is the planner's error.
class SpillingProgram : public Program {
 public:
  SpillingProgram(const ChipConfig& config, std::size_t core, std::unique_ptr<Program> program);

  /// That of the program, with one more HBM tensor at the end, where the spilled tiles lie.
  [[nodiscard]] const ProgramInfo& info() const override { return info_; }
  const Record* next() override;
  [[nodiscard]] const SpillCounts& counts() const { return counts_; }

 private:
  struct Tile {
    TensorInfo info;
    std::uint64_t used = 0;  ///< When, on a clock of operands; key of `by_use_`.
    std::int64_t slot = -1;  ///< Its place in the spill tensor, −1 while it has none.
    bool alive = false, resident = false;
    bool changed = false;  ///< Written since it was stored.
  };

  void declare(const Record& record);
  bool release(TensorId id);
  void use(const Instruction& instruction);
  void touch(TensorId id, bool writes);
  void make_room(const TensorInfo& tile, const Instruction& cause);
  void place(TensorId id, const Instruction& cause);
  void evict(TensorId id, const Instruction& cause);
  void reload(TensorId id, const Instruction& cause);
  void copy(const Tile& tile, TensorId id, bool out, const Instruction& cause);
  [[nodiscard]] std::int64_t take_slot(const Tile& tile, const Instruction& cause);
  [[nodiscard]] bool movable(const Tile& tile) const { return tile.info.address < 0; }

  std::unique_ptr<Program> program_;
  ProgramInfo info_;
  TensorId spill_tensor_;
  DmaTiming dma_;
  std::uint64_t descriptor_bytes_;
  bool software_descriptors_ = false;
  TileAllocator sbuf_;
  std::vector<Tile> tiles_;
  std::map<std::uint64_t, TensorId> by_use_;  ///< Those that may be evicted, longest ago first.
  std::set<TensorId> pinned_;                 ///< Operands of the current instruction.
  std::uint64_t clock_ = 0;
  std::map<std::uint64_t, std::vector<std::int64_t>> free_slots_;  ///< By size.
  std::uint64_t slots_end_ = 0;
  std::deque<Record> ready_;  ///< To hand out before the next record is read.
  Record current_;
  SpillCounts counts_;
};

}  // namespace trnsim
