// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/list_scheduler.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace trnsim {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kPastKept = 32;  ///< Accesses of a tensor looked through before the old ones are dropped.
/// Share of SBUF that may be taken ahead of time: tiles of different sizes leave gaps.
constexpr std::uint64_t kRoomPercent = 85;

/// Bytes from the lowest to the highest element of a row.
std::uint64_t extent(const Operand& o, std::int64_t& lowest) {
  std::int64_t lo = 0, hi = 0;
  for (unsigned i = 0; i < o.rank; ++i) {
    const std::int64_t far = std::int64_t{o.free[i].stride} * (static_cast<std::int64_t>(o.free[i].count) - 1);
    (far < 0 ? lo : hi) += far;
  }
  const auto size = static_cast<std::int64_t>(element_bytes(o.dtype));
  lowest = lo * size;
  return static_cast<std::uint64_t>((hi - lo + 1) * size);
}

}  // namespace

ListScheduler::ListScheduler(std::unique_ptr<Program> program, const ChipConfig& config, std::size_t window)
    : program_(std::move(program)), estimate_(config), window_size_(window) {
  capacity_[0] = config.sbuf_bytes_per_partition() * kRoomPercent / 100;
  capacity_[1] = config.psum_bytes_per_partition();
  const auto& tensors = program_->info().tensors;
  for (const TensorInfo& tensor : tensors) {
    slot_of_.push_back(new_slot());
    slots_.back().declaration.tensor = tensor;
  }
}

const Record* ListScheduler::next() {
  while (ready_.empty()) {
    fill();
    if (waiting_ == 0) {
      if (holding_) {  // all before it have left: a record that keeps its place
        holding_ = false;
        take(held_);
        if (waiting_ > 0) leave(window_.size() - 1);
        continue;
      }
      if (ended_) return nullptr;
      continue;
    }
    leave(choose());
  }
  current_ = std::move(ready_.front());
  ready_.pop_front();
  return &current_;
}

/// Reads ahead until the window is full, the program ends or a record comes that keeps its place.
void ListScheduler::fill() {
  while (!ended_ && !holding_ && waiting_ < window_size_) {
    const Record* record = program_->next();
    if (record == nullptr) {
      ended_ = true;
    } else if (keeps_place(*record) && waiting_ > 0) {
      held_ = *record;
      holding_ = true;
    } else {
      take(*record);
    }
    if (as_written_ && waiting_ > 0) return;
  }
}

bool ListScheduler::keeps_place(const Record& record) const {
  if (record.kind == Record::Kind::Tile) return record.tensor.address >= 0;
  const Instruction& i = record.instruction;
  const bool sequencer = trnsim::info(i.op).executor == Executor::Sequencer;
  return record.kind == Record::Kind::Instruction &&
         (sequencer || i.id != 0 || i.after_count != 0 || i.extras || i.operands[0].tensor == kNoTensor);
}

void ListScheduler::take(const Record& record) {
  switch (record.kind) {
    case Record::Kind::Tile: {
      if (record.tensor.address >= 0) as_written_ = true;
      if (record.tile >= slot_of_.size()) slot_of_.resize(record.tile + 1, kNone);
      const std::uint32_t slot = new_slot();
      slots_[slot].chip = true;
      slots_[slot].declaration = record;
      slot_of_[record.tile] = slot;
      break;
    }
    case Record::Kind::Release: {
      const std::uint32_t slot = slot_of_[record.tile];
      slots_[slot].released = true;
      if (slots_[slot].users == 0) release(slot);
      break;
    }
    case Record::Kind::Instruction: add(record); break;
  }
}

std::uint32_t ListScheduler::new_slot() {
  if (free_slots_.empty()) {
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = Slot{};
  return slot;
}

void ListScheduler::add(const Record& record) {
  Node& node = window_.emplace_back();
  node.record = record;
  node.number = count_++;
  ++waiting_;
  const auto rename = [&](Operand& operand, bool written) {
    const std::uint32_t number = slot_of_[operand.tensor];
    Slot& slot = slots_[number];
    operand.tensor = number;
    if (!slot.chip && slot.declaration.tensor.use == TensorUse::Input) return;
    Use use{number, written, 0, 1, 0, 0};
    std::int64_t lowest = 0;
    const std::uint64_t bytes = extent(operand, lowest);
    use.lo = operand.offset + static_cast<std::uint64_t>(lowest);
    use.hi = use.lo + bytes;
    if (slot.chip) {
      use.first_partition = operand.partition;
      use.end_partition = operand.partition + operand.partition_span();
    } else if (operand.row_stride >= 0) {
      use.hi += static_cast<std::uint64_t>(operand.row_stride) * (operand.partitions - 1);
    } else {
      use.lo = 0;
      use.hi = bytes_of(slot.declaration.tensor);
    }
    node.uses.push_back(use);
  };
  Instruction& instruction = node.record.instruction;
  const auto rules = trnsim::info(instruction.op).operands;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (instruction.operands[k].present()) rename(instruction.operands[k], writes(rules[k]));
  }
  if (instruction.extras) {
    auto extras = std::make_shared<InstructionExtras>(*instruction.extras);
    for (auto& [role, operand] : extras->operands) rename(operand, writes_further(role));
    instruction.extras = std::move(extras);
  }
  for (const Use& use : node.uses) connect(node, use);
  for (const Use& use : node.uses) {
    Slot& slot = slots_[use.slot];
    slot.past.push_back({use, node.number, 0, false});
    ++slot.users;
    if (slot.chip && !slot.used) node.room[slot.psum()] += slot.declaration.tensor.bytes_per_partition;
    slot.used = true;
  }
}

/// What of the past of a tensor comes before a node.
void ListScheduler::connect(Node& node, const Use& use) {
  Slot& slot = slots_[use.slot];
  if (slot.past.size() > kPastKept) {
    std::erase_if(slot.past, [&](const Past& past) { return past.left && past.finish <= estimate_.now(); });
  }
  for (const Past& past : slot.past) {
    if (past.number == node.number || !use.conflicts(past.use)) continue;
    if (past.left) {
      node.ready = std::max(node.ready, past.finish);
    } else {
      window_[past.number - window_.front().number].followers.push_back(node.number);
      ++node.waits;
    }
  }
}

/// Index in the window of the node that leaves next.
std::size_t ListScheduler::choose() const {
  std::size_t best = 0;
  std::uint64_t best_start = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t room[2] = {live_[0], live_[1]};
  bool oldest = true;
  for (std::size_t i = 0; i < window_.size(); ++i) {
    const Node& node = window_[i];
    if (node.done) continue;
    // Whatever goes first, the tiles of all earlier nodes must find room without waiting for this one.
    room[0] += node.room[0];
    room[1] += node.room[1];
    if (!oldest && (room[0] > capacity_[0] || room[1] > capacity_[1])) break;
    if (node.waits == 0) {
      const std::uint64_t start = estimate_.start(node.record.instruction, node.ready);
      if (start < best_start) {
        best = i;
        best_start = start;
      }
    }
    oldest = false;
  }
  return best;
}

void ListScheduler::leave(std::size_t index) {
  Node& node = window_[index];
  node.done = true;
  --waiting_;
  const std::uint64_t finish = estimate_.run(node.record.instruction, node.ready);
  for (const std::uint64_t number : node.followers) {
    Node& follower = window_[number - window_.front().number];
    follower.ready = std::max(follower.ready, finish);
    --follower.waits;
  }
  for (const Use& use : node.uses) {
    if (slots_[use.slot].chip && !slots_[use.slot].declared) declare(slots_[use.slot], use.slot);
  }
  ready_.push_back(std::move(node.record));
  for (const Use& use : node.uses) settle(use.slot, node.number, finish);
  while (!window_.empty() && window_.front().done) window_.pop_front();
}

void ListScheduler::declare(Slot& slot, std::uint32_t number) {
  slot.declared = true;
  Record record = slot.declaration;
  record.tile = number;
  live_[slot.psum()] += record.tensor.bytes_per_partition;
  ready_.push_back(std::move(record));
}

/// One use of a tensor less in the window.
void ListScheduler::settle(std::uint32_t number, std::uint64_t node, std::uint64_t finish) {
  Slot& slot = slots_[number];
  for (Past& past : slot.past) {
    if (past.number != node) continue;
    past.left = true;
    past.finish = finish;
  }
  if (--slot.users == 0 && slot.released) release(number);
}

void ListScheduler::release(std::uint32_t number) {
  Slot& slot = slots_[number];
  if (slot.declared) {
    Record record;
    record.kind = Record::Kind::Release;
    record.tile = number;
    live_[slot.psum()] -= slot.declaration.tensor.bytes_per_partition;
    ready_.push_back(std::move(record));
  }
  free_slots_.push_back(number);
}

}  // namespace trnsim
