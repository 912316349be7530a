// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "trnsim/isa/opcode.hpp"
#include "trnsim/isa/source_line.hpp"
#include "trnsim/snapshot.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// What the device time is spent on along the critical path.
enum class PathPart : std::uint8_t {
  TensorMultiply,
  TensorLoad,
  TensorLatency,
  VectorWork,
  VectorLatency,
  ScalarWork,
  ScalarLatency,
  TableLoad,
  GpSimdWork,
  GpSimdLatency,
  SyncWork,
  DmaIssue,
  DmaStart,
  DmaTransfer,
  Hbm,
  DmaCompletion,
  Synchronisation,
  Other,
};
inline constexpr std::size_t kPathPartCount = 18;
std::string_view name_of(PathPart part);     ///< "dma_issue"
std::string_view meaning_of(PathPart part);  ///< One line for a person.
/// The resource that a part belongs to: "tensor", "vector", "scalar", "gpsimd", "sync", "dma", "hbm", "synchronisation", "other".
std::string_view group_of(PathPart part);

/// An executed instruction or copy: an actor (engine or DMA ring) and the number of what it did, from 1. Number 0 is none.
struct PathRef {
  std::uint64_t number : 48 = 0;
  std::uint64_t actor : 8 = 0;
  constexpr PathRef() = default;
  constexpr PathRef(std::uint64_t n, std::uint64_t a) : number(n & 0xffff'ffff'ffff), actor(a & 0xff) {}
};
static_assert(sizeof(PathRef) == 8);

/// What happened at the head of an engine between its operands being there and the start.
enum class Ahead : std::uint8_t {
  None,
  TensorLoad,
  TableLoad,
  RingFull,  ///< Takes no time of its own: the cause is the copy that left the ring, with its last byte.
};

/// An instruction as it ran. What is before `ahead` waited for `cause`.
struct PathInstruction {
  std::uint64_t ahead_fs = 0;  ///< Begin of what `ahead` names; equal to the start if that is nothing.
  std::uint64_t start_fs = 0;
  std::uint64_t free_fs = 0;     ///< The next instruction may start.
  std::uint64_t visible_fs = 0;  ///< The result is there.
  PathRef cause;                 ///< Whose end, or start, determined `ahead_fs`.
  std::uint32_t source = 0;      ///< Number of its line in the kernel's source, 0 = none.
  Opcode op = Opcode::TensorCopy;
  Ahead ahead = Ahead::None;
};

/// A copy as it ran. Times never decrease from one to the next.
struct PathCopy {
  std::uint64_t front_fs = 0;      ///< The front end of the ring takes it.
  std::uint64_t available_fs = 0;  ///< The DMA engines have its descriptors.
  std::uint64_t begun_fs = 0;      ///< The DMA engine that ends last begins.
  std::uint64_t data_fs = 0;       ///< Last byte.
  std::uint64_t usable_fs = 0;
  std::uint64_t held_fs = 0;    ///< Of the time from `begun_fs` to `data_fs`: that HBM held the engine back.
  PathRef trigger;              ///< The instruction that rang the doorbell.
  PathRef served_before;        ///< The copy that the engine moved before this one.
  bool behind_another = false;  ///< The front end was busy with the copy before it.
};

/// Part of the critical path, summed over what has the same opcode and line.
struct PathSegment {
  PathPart part = PathPart::Other;
  std::string opcode;  ///< Of the instruction, or of the one that triggered the copy; "" for none.
  std::string file;    ///< "" when the line is not known.
  std::uint32_t line = 0;
  std::uint64_t fs = 0;
  std::uint64_t count = 0;
};

/// The chain of instructions and copies, each started by the one before it, that ends with the run.
struct CriticalPath {
  std::uint64_t length_fs = 0;                     ///< Equal to the device time.
  std::array<std::uint64_t, kPathPartCount> fs{};  ///< By PathPart; the sum is the length.
  std::uint64_t steps = 0;                         ///< Instructions and copies on it.
  std::vector<PathSegment> segments;               ///< The longest first; their sum is the length.
};

/// Time that compute engines and DMA were at work, separately and at once.
struct Overlap {
  std::uint64_t compute_fs = 0;  ///< An engine other than Sync executes.
  std::uint64_t dma_fs = 0;      ///< A copy is under way between its front end and its last byte.
  std::uint64_t both_fs = 0;
};

/// What ran on one core and what each start waited for: 48 bytes per instruction, 80 per copy.
class CoreRecord {
 public:
  /// The next instruction of an engine.
  void add(EngineKind engine, const PathInstruction& instruction) { engines_[static_cast<std::size_t>(engine)].push_back(instruction); }
  /// The copy of that number of a ring, to be filled in as it goes.
  PathCopy& copy_at(std::uint8_t ring, std::uint64_t number);

  [[nodiscard]] const std::array<std::deque<PathInstruction>, kEngineCount>& engines() const { return engines_; }
  [[nodiscard]] const std::vector<std::deque<PathCopy>>& rings() const { return rings_; }  ///< By ring number.
  /// Null when there is none: an earlier time than the record's begin.
  [[nodiscard]] const PathInstruction* instruction(PathRef ref) const;
  [[nodiscard]] const PathCopy* copy(PathRef ref) const;
  [[nodiscard]] PathRef last() const;  ///< Whose end is the latest.

  std::vector<SourceLine> sources;  ///< By PathInstruction::source.
  std::vector<std::string> files;

 private:
  std::array<std::deque<PathInstruction>, kEngineCount> engines_;
  std::vector<std::deque<PathCopy>> rings_;
};

/// Filled by a simulation that is asked for it.
struct RunRecord {
  std::deque<CoreRecord> cores;
};

/// Walks from the end of the run back to its begin. Throws InternalError unless the parts add up to `end_fs`.
CriticalPath critical_path(const RunRecord& record, std::uint64_t end_fs);

Overlap overlap_of(const RunRecord& record);

}  // namespace trnsim
