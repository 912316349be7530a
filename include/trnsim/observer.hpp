// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"
#include "trnsim/snapshot.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// Cycles of an engine's time account: busy or stalled, from one clock edge to another.
struct ObservedInterval {
  bool busy = false;
  StallReason reason = StallReason::Issue;  ///< Unless busy.
  Cycles cycles;                            ///< Of the engine's clock, as the account has them.
  Time from, until;
};

/// What the start of an instruction waited for last.
enum class StartCause : std::uint8_t {
  None,        ///< Start of the run.
  EngineFree,  ///< `number` of the own engine let the next one start.
  ArrayIssue,  ///< Tensor: the shortest distance of two starts after `number`.
  LoadPath,    ///< Tensor: the load of the stationary operand, which waited for that of `number`.
  Shadow,      ///< Tensor: the load, which waited for the start of `number` on the array.
  Result,      ///< The result of `number` of engine `actor` arrived over its semaphore.
  LoadResult,  ///< Tensor: the load, which waited for that.
  Copy,        ///< Copy `number` of ring `actor` was complete.
  LoadCopy,    ///< Tensor: the load, which waited for that.
  Port,        ///< `number` of engine `actor` had a port of SBUF or PSUM.
  RingRoom,    ///< Copy `number` of ring `actor` left a full ring.
};

/// A cause with the instruction of an engine (EngineKind) or the copy of a ring that it points to.
struct StartedBy {
  StartCause kind = StartCause::None;
  std::uint8_t actor = 0;
  std::uint64_t number = 0;  ///< From 1; 0 = none.
};

/// An instruction that an engine executed. Times may lie after the end of a run that was stopped.
struct ExecutedInstruction {
  std::uint32_t core = 0;
  EngineKind engine = EngineKind::Vector;
  std::uint64_t number = 0;  ///< In the order of the engine, from 1.
  Opcode op = Opcode::TensorCopy;
  bool started = true;  ///< False: the run was stopped before; only `intervals` counts.
  bool slowed = false;  ///< A fast mode of Vector that the bus did not let it have.
  std::uint32_t line = 0;
  Time start;
  Time free;                     ///< The next independent instruction of the engine may start.
  Time visible;                  ///< Its result, which is when its completion is announced.
  Time usable;                   ///< Its dependants may start: visible, in order, and one semaphore hop.
  Time load_from, load_until;    ///< Tensor: its load of the stationary operand; equal if it had none.
  Time array_from, array_until;  ///< Tensor: streaming that no other instruction was counted for; equal if none.
  Cycles array_cycles;           ///< Of that.
  std::uint8_t ring = 0;         ///< Of the copy that it triggers.
  std::uint64_t copy = 0;        ///< Number of that copy on its ring; 0 if none.
  StartedBy cause;
  std::span<const ObservedInterval> intervals;  ///< Its part of the engine's time account, in order.
};

/// An instruction as the planner passes it to its engine: `executed` names it by engine and number.
struct PlannedInstruction {
  std::uint32_t core = 0;
  EngineKind engine = EngineKind::Vector;  ///< Executes it, or triggers the copy.
  std::uint64_t number = 0;
  std::uint8_t ring = 0;
  std::uint64_t copy = 0;  ///< 0: no copy.
};

struct PlacedTile {
  std::uint32_t core = 0;
  TensorId tile = kNoTensor;
  std::uint32_t address = 0;
};

/// A copy that its ring accepted.
struct TriggeredCopy {
  std::uint32_t core = 0;
  std::uint8_t ring = 0;
  std::uint64_t copy = 0;
  Time triggered;
  Time front;        ///< The ring's front end took it: then or when the copy before let it.
  Time front_until;  ///< The front end takes the next one.
  Time available;    ///< Descriptors are at the engines.
  std::uint64_t bytes = 0;
  std::uint32_t engines = 0;  ///< DMA engines that have a share.
  bool from_hbm = false, to_hbm = false;
  std::uint32_t line = 0;
};

/// What a DMA engine moved in one go, and how long it was taken.
struct MovedChunk {
  std::uint32_t core = 0, engine = 0;
  std::uint8_t ring = 0;
  std::uint64_t copy = 0;
  Time from;
  Time engine_time;  ///< As the account has it.
  Time next;         ///< The engine may start another one: engine time, or HBM held it back longer.
  Time data;         ///< Last data has arrived.
  std::uint64_t bytes = 0;
};

/// The share of an engine in a copy is done.
struct MovedPart {
  std::uint32_t core = 0, engine = 0;
  std::uint8_t ring = 0;
  std::uint64_t copy = 0;
  Time last_data;
};

struct CompletedCopy {
  std::uint32_t core = 0;
  std::uint8_t ring = 0;
  std::uint64_t copy = 0;
  Time last_data;
  Time usable;  ///< Its dependants may start; in the order of the ring.
};

struct HbmAccess {
  std::uint32_t core = 0, stack = 0;
  bool write = false;
  std::uint32_t bytes = 0;
  Time at, done;
};

/// Told what happens in a run, in the order in which it becomes known: an engine's instructions in its
/// order, copies in that of their ring; times of different units may go back and forth.
///
/// Intervals, bytes and times are those that the accounts of the Snapshot are made of: cut at the end of
/// the run they add up to its counters exactly.
class RunObserver {
 public:
  RunObserver() = default;
  RunObserver(const RunObserver&) = delete;
  RunObserver& operator=(const RunObserver&) = delete;
  virtual ~RunObserver() = default;

  /// Before anything else, one program per core.
  virtual void begin(const ChipConfig&, const std::vector<const ProgramInfo*>&) {}
  /// Tiles, in program order: alive from the instruction planned next on.
  virtual void placed(const PlacedTile&, const TensorInfo&) {}
  virtual void released(std::uint32_t /*core*/, TensorId) {}
  virtual void planned(const PlannedInstruction&, const Instruction&) {}
  virtual void executed(const ExecutedInstruction&) {}
  virtual void triggered(const TriggeredCopy&) {}
  virtual void moved(const MovedChunk&) {}
  virtual void moved(const MovedPart&) {}
  virtual void completed(const CompletedCopy&) {}
  virtual void accessed(const HbmAccess&) {}
  /// After everything else, if the run did not fail.
  virtual void end(const Snapshot&) {}
};

}  // namespace trnsim
