// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/spilling.hpp"

#include <fmt/format.h>

#include <utility>

#include "trnsim/error.hpp"
#include "trnsim/units.hpp"

namespace trnsim {
namespace {

constexpr std::uint64_t kSpillSpace = 64;  ///< Size of the spill tensor, in times of SBUF.
constexpr std::uint64_t kSlotAlign = 64;   ///< A burst of HBM.

std::uint64_t bytes_of_tile(const TensorInfo& tile) { return std::uint64_t{tile.bytes_per_partition} * tile.partitions; }

TensorInfo spill_tensor(const ChipConfig& config, std::size_t core) {
  TensorInfo tensor;
  tensor.name = fmt::format("spilled tiles of core {}", core);
  tensor.dtype = DType::Uint8;
  tensor.shape = {kSpillSpace * config.sbuf_bytes_per_partition() * config.sbuf.partitions};
  return tensor;
}

}  // namespace

SpillingProgram::SpillingProgram(const ChipConfig& config, std::size_t core, std::unique_ptr<Program> program)
    : program_(std::move(program)),
      info_(program_->info()),
      spill_tensor_(static_cast<TensorId>(info_.tensors.size())),
      dma_(config.dma),
      descriptor_bytes_(config.sbuf.swdge_reserve_bytes),
      sbuf_(Buffer::Sbuf, config.sbuf_bytes_per_partition(), 0, config.sbuf.partitions) {
  info_.tensors.push_back(spill_tensor(config, core));
}

const Record* SpillingProgram::next() {
  for (;;) {
    if (!ready_.empty()) {
      current_ = std::move(ready_.front());
      ready_.pop_front();
      return &current_;
    }
    const Record* record = program_->next();
    if (record == nullptr) return nullptr;
    switch (record->kind) {
      case Record::Kind::Tile:
        if (record->tensor.buffer != Buffer::Sbuf) return record;
        declare(*record);
        break;
      case Record::Kind::Release:
        if (release(record->tile)) return record;
        break;
      case Record::Kind::Instruction:
        use(record->instruction);
        if (ready_.empty()) return record;
        ready_.push_back(*record);
        break;
    }
  }
}

void SpillingProgram::declare(const Record& record) {
  if (record.tile >= tiles_.size()) tiles_.resize(record.tile + 1);
  tiles_[record.tile] = {record.tensor, 0, -1, true, false, false};
  place(record.tile, record.instruction);
}

/// False for a tile that the planner does not have.
bool SpillingProgram::release(TensorId id) {
  if (id >= tiles_.size() || !tiles_[id].alive) return true;  // in PSUM, or a mistake that the planner names
  Tile& tile = tiles_[id];
  tile.alive = false;
  by_use_.erase(tile.used);
  if (tile.slot >= 0) free_slots_[bytes_of_tile(tile.info)].push_back(tile.slot);
  if (tile.resident) sbuf_.release(id);
  return std::exchange(tile.resident, false);
}

void SpillingProgram::use(const Instruction& instruction) {
  if (is_dma(instruction.op) && !software_descriptors_ && dma_.resolve(instruction.dge) == DgeMode::Software) {
    software_descriptors_ = true;
    sbuf_.reserve_top(descriptor_bytes_, instruction.line);
  }
  pinned_.clear();
  instruction.for_each([this](const Operand& operand, bool) {
    if (operand.buffer == Buffer::Sbuf) pinned_.insert(operand.tensor);
  });
  instruction.for_each([&](const Operand& operand, bool written) {
    if (operand.buffer != Buffer::Sbuf) return;
    if (operand.tensor >= tiles_.size() || !tiles_[operand.tensor].alive) return;  // a mistake that the planner names
    if (!tiles_[operand.tensor].resident) reload(operand.tensor, instruction);
    touch(operand.tensor, written);
  });
  pinned_.clear();
}

void SpillingProgram::touch(TensorId id, bool writes) {
  Tile& tile = tiles_[id];
  tile.changed = tile.changed || writes;
  if (!movable(tile)) return;
  by_use_.erase(tile.used);
  tile.used = ++clock_;
  by_use_.emplace(tile.used, id);
}

/// Evicts until the tile fits or nothing is left that may go; the allocator has the words for that.
void SpillingProgram::make_room(const TensorInfo& tile, const Instruction& cause) {
  for (auto oldest = by_use_.begin(); oldest != by_use_.end() && !sbuf_.fits(tile);) {
    const TensorId id = oldest->second;
    ++oldest;
    const TensorInfo& other = tiles_[id].info;
    const bool elsewhere = !sbuf_.share_partitions(tile, other);
    if (!elsewhere && !pinned_.contains(id)) evict(id, cause);
  }
}

void SpillingProgram::place(TensorId id, const Instruction& cause) {
  Tile& tile = tiles_[id];
  if (movable(tile)) make_room(tile.info, cause);
  Record& record = ready_.emplace_back();
  record.kind = Record::Kind::Tile;
  record.tile = id;
  record.tensor = tile.info;
  record.instruction.line = cause.line;
  record.instruction.at = cause.at;
  record.tensor.address = sbuf_.place(id, tile.info, cause.line);
  tile.resident = true;
  touch(id, false);
}

void SpillingProgram::evict(TensorId id, const Instruction& cause) {
  Tile& tile = tiles_[id];
  if (tile.changed) {
    if (tile.slot < 0) tile.slot = take_slot(tile, cause);
    copy(tile, id, true, cause);
    counts_.stored_bytes += bytes_of_tile(tile.info);
    tile.changed = false;
  }
  Record& record = ready_.emplace_back();
  record.kind = Record::Kind::Release;
  record.tile = id;
  sbuf_.release(id);
  by_use_.erase(tile.used);
  tile.resident = false;
}

void SpillingProgram::reload(TensorId id, const Instruction& cause) {
  place(id, cause);
  const Tile& tile = tiles_[id];
  if (tile.slot < 0) return;  // nothing was written into it so far
  copy(tile, id, false, cause);
  counts_.reloaded_bytes += bytes_of_tile(tile.info);
}

/// A copy of a whole tile, out to its slot or back.
void SpillingProgram::copy(const Tile& tile, TensorId id, bool out, const Instruction& cause) {
  Record& record = ready_.emplace_back();
  Instruction& instruction = record.instruction;
  instruction.op = Opcode::DmaCopy;
  instruction.engine = EngineKind::Sync;
  instruction.line = cause.line;
  instruction.at = cause.at;
  Operand chip;
  chip.tensor = id;
  chip.buffer = Buffer::Sbuf;
  chip.dtype = DType::Uint8;
  chip.partitions = tile.info.partitions;
  chip.free[0] = {1, tile.info.bytes_per_partition};
  Operand hbm = chip;
  hbm.tensor = spill_tensor_;
  hbm.buffer = Buffer::Hbm;
  hbm.offset = static_cast<std::uint64_t>(tile.slot);
  hbm.row_stride = tile.info.bytes_per_partition;
  instruction.operands[0] = out ? hbm : chip;
  instruction.operands[1] = out ? chip : hbm;
}

std::int64_t SpillingProgram::take_slot(const Tile& tile, const Instruction& cause) {
  const std::uint64_t bytes = bytes_of_tile(tile.info);
  if (const auto known = free_slots_.find(bytes); known != free_slots_.end() && !known->second.empty()) {
    const std::int64_t slot = known->second.back();
    known->second.pop_back();
    return slot;
  }
  const std::uint64_t slot = slots_end_, space = bytes_of(info_.tensors.back());
  slots_end_ += ceil_div(bytes, kSlotAlign) * kSlotAlign;
  if (slots_end_ > space) {
    throw ProgramError(fmt::format("{}tile '{}' cannot be spilled: the {} bytes of HBM for spilled tiles are full",
                                   cause.line == 0 ? std::string{} : fmt::format("line {}: ", cause.line), tile.info.name, space));
  }
  return static_cast<std::int64_t>(slot);
}

std::function<SpillCounts()> allow_spills(const ChipConfig& config, Workload& workload) {
  std::vector<const SpillingProgram*> spilling;
  for (std::size_t core = 0; core < workload.programs.size(); ++core) {
    auto program = std::make_unique<SpillingProgram>(config, core, std::move(workload.programs[core]));
    spilling.push_back(program.get());
    workload.programs[core] = std::move(program);
  }
  return [spilling] {
    SpillCounts sum;
    for (const SpillingProgram* program : spilling) {
      sum.stored_bytes += program->counts().stored_bytes;
      sum.reloaded_bytes += program->counts().reloaded_bytes;
    }
    return sum;
  };
}

}  // namespace trnsim
