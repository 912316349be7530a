// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "plan/duration_estimate.hpp"
#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"

namespace trnsim {

/// A program in the order of a compiler's list scheduler: of the instructions of a window whose inputs are made, the one
/// that can start first comes next, the earlier one of two.
///
/// Results stay the same: accesses to overlapping boxes of one tensor keep their order when one of them writes. An instruction
/// goes ahead of earlier ones only while the tiles of all of them fit the memories together, so that a program that fits as
/// written still fits. Instructions with explicit ids and exchanges between cores keep their place; so does everything from
/// the first tile with an address of its own.
///
/// Estimates know the durations of the timing model, but no contention; see docs/modelling.md.
class ListScheduler final : public Program {
 public:
  static constexpr std::size_t kWindow = 256;

  ListScheduler(std::unique_ptr<Program> program, const ChipConfig& config, std::size_t window = kWindow);

  [[nodiscard]] const ProgramInfo& info() const override { return program_->info(); }
  const Record* next() override;

 private:
  /// Elements of a tensor that a node touches, as a box.
  struct Use {
    std::uint32_t slot = 0;
    bool written = false;
    std::uint32_t first_partition = 0, end_partition = 0;
    std::uint64_t lo = 0, hi = 0;  ///< Bytes: within partitions, or of the tensor.
    [[nodiscard]] bool conflicts(const Use& other) const {
      return (written || other.written) && lo < other.hi && other.lo < hi && first_partition < other.end_partition &&
             other.first_partition < end_partition;
    }
  };
  struct Node {
    Record record;
    std::uint64_t number = 0;  ///< Program order.
    std::vector<Use> uses;
    std::vector<std::uint64_t> followers;  ///< Numbers of nodes that wait for this one.
    std::uint32_t waits = 0;               ///< Nodes of the window that come first.
    std::uint64_t ready = 0;               ///< When its inputs are made, fs.
    std::uint64_t room[2] = {0, 0};        ///< Bytes per partition of the tiles it is the first to use: SBUF, PSUM.
    bool done = false;
  };
  struct Past {
    Use use;
    std::uint64_t number = 0;
    std::uint64_t finish = 0;  ///< Valid once the node has left.
    bool left = false;
  };
  /// A tensor of the program: the HBM tensors first, then tiles under numbers of our own.
  struct Slot {
    Record declaration;
    std::vector<Past> past;
    std::uint32_t users = 0;  ///< Nodes of the window.
    bool chip = false, used = false, declared = false, released = false;
    [[nodiscard]] bool psum() const { return declaration.tensor.buffer == Buffer::Psum; }
  };

  void fill();
  void take(const Record& record);
  void add(const Record& record);
  void connect(Node& node, const Use& use);
  [[nodiscard]] bool keeps_place(const Record& record) const;
  [[nodiscard]] std::size_t choose() const;
  void leave(std::size_t index);
  void declare(Slot& slot, std::uint32_t number);
  void release(std::uint32_t number);
  std::uint32_t new_slot();
  void settle(std::uint32_t number, std::uint64_t node, std::uint64_t finish);

  std::unique_ptr<Program> program_;
  DurationEstimate estimate_;
  std::size_t window_size_;
  std::uint64_t capacity_[2];
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> slot_of_;  ///< By number of the source program.
  std::deque<Node> window_;             ///< Program order; those that left are dropped from the front.
  std::size_t waiting_ = 0;             ///< Nodes of the window that have not left.
  std::deque<Record> ready_;            ///< Records on their way out.
  Record current_, held_;
  std::uint64_t live_[2] = {0, 0};
  std::uint64_t count_ = 0;
  bool ended_ = false, holding_ = false, as_written_ = false;
};

}  // namespace trnsim
