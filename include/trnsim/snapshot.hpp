// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trnsim/config/charge.hpp"
#include "trnsim/dtype.hpp"
#include "trnsim/isa/opcode.hpp"
#include "trnsim/isa/source_line.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// Why an engine that has an instruction does not execute it.
enum class StallReason : std::uint8_t { WaitDma, WaitEngine, WaitBuffer, QueueFull, PortConflict, PsumBank, Throttle, TableLoad, Issue };
inline constexpr std::size_t kStallReasonCount = 9;
std::string_view name_of(StallReason r);  ///< "wait_dma"

/// Time account of one engine in its own cycles; busy + stalls + idle = elapsed, exactly.
struct EngineCounters {
  std::uint64_t elapsed_cycles = 0;
  std::uint64_t busy_cycles = 0;
  std::uint64_t idle_cycles = 0;  ///< No instruction left.
  std::array<std::uint64_t, kStallReasonCount> stall_cycles{};
  std::uint64_t instructions = 0;
  std::uint64_t elements = 0;                                ///< Elements processed: rows × columns of the streamed operand.
  std::uint64_t fast_elements = 0;                           ///< Of these in a Vector 2x or 4x mode.
  std::uint64_t exponential_elements = 0;                    ///< Of these by the Vector exponential.
  std::array<std::uint64_t, kChargeCount> charges{};         ///< Instructions by the number that they were charged with.
  std::array<std::uint64_t, kChargeCount> charge_cycles{};   ///< Their work, but for those at the shortest interval.
  std::uint64_t floored = 0;                                 ///< Instructions that took the shortest interval of the engine.
  std::uint64_t operand_reads = 0;                           ///< [P,1] operands read.
  std::uint64_t read_outs = 0;                               ///< Second steps that read an accumulator out.
  std::uint64_t latency_cycles = 0;                          ///< Start to result visible, summed.
  std::array<std::uint64_t, kOpcodeCount> op_cycles{};       ///< Intervals of the instructions, by opcode.
  std::array<std::uint64_t, kActFnCount> function_cycles{};  ///< Part of op_cycles: of activations, by function.
  auto operator<=>(const EngineCounters&) const = default;
};

/// Work of one Tensor engine.
struct TensorCounters {
  std::array<std::uint64_t, kDTypeCount> macs{};            ///< Executed, by operand type; FP8 at the 16-bit rate included.
  std::uint64_t double_row_macs = 0;                        ///< Part of macs: FP8 in double row.
  std::uint64_t onezero_macs = 0;                           ///< Part of macs: FP32 with an operand of zeros and ones.
  std::array<std::uint64_t, kDTypeCount> transpose_macs{};  ///< Part of macs: transposes, never useful work.
  std::array<std::uint64_t, kDTypeCount> idle_slot_macs{};  ///< MAC slots left empty by small tiles while the array was busy.
  std::uint64_t array_cycles = 0;                           ///< Cycles with moving data in the array.
  std::uint64_t matmuls = 0;                                ///< MultiplyMoving instructions.
  std::uint64_t loads = 0;                                  ///< LoadStationary instructions executed.
  std::uint64_t loads_skipped = 0;                          ///< Stationary already in the array.
  std::uint64_t load_elements = 0;
  std::uint64_t accumulate_elements = 0;  ///< Read-add-write into PSUM.
  auto operator<=>(const TensorCounters&) const = default;
};

/// Traffic of one memory.
struct TrafficCounters {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t peak_bytes = 0;  ///< Largest sum of tiles alive, all partitions.
  std::uint64_t peak_bytes_per_partition = 0;
  std::uint64_t capacity_bytes = 0;
  auto operator<=>(const TrafficCounters&) const = default;
};

/// DMA of one core.
struct DmaCounters {
  std::uint64_t issued_bytes = 0;     ///< Bytes of all copies triggered.
  std::uint64_t completed_bytes = 0;  ///< Equal to issued_bytes at the end of a complete run.
  std::uint64_t transfers = 0;        ///< Copies.
  std::uint64_t loads = 0;            ///< Of these with their source in HBM.
  std::uint64_t descriptors = 0;
  std::uint64_t hbm_read_bytes = 0;  ///< Payload read from HBM by this core's engines.
  std::uint64_t hbm_write_bytes = 0;
  std::uint64_t input_read_bytes = 0;    ///< Part of hbm_read_bytes: from inputs of the program.
  std::uint64_t output_write_bytes = 0;  ///< Part of hbm_write_bytes: to outputs of the program.
  std::uint64_t engine_busy_fs = 0;      ///< Summed over the DMA engines.
  std::uint64_t active_fs = 0;           ///< Some engine of the core moving data.
  std::uint64_t issue_limited_fs = 0;    ///< Front end of the busiest ring starting copies, at its issue interval.
  std::uint64_t engines = 0;
  std::uint64_t engines_used = 0;  ///< Those that served a ring in use.
  auto operator<=>(const DmaCounters&) const = default;
};

struct CoreSnapshot {
  std::uint32_t core = 0;
  std::array<EngineCounters, kEngineCount> engines{};  ///< Indexed by EngineKind.
  TensorCounters tensor;
  TrafficCounters sbuf;
  TrafficCounters psum;
  DmaCounters dma;
  std::uint64_t end_fs = 0;          ///< Last completion on this core.
  std::uint64_t window_limited = 0;  ///< Times an engine waited because the planning window was full.
  auto operator<=>(const CoreSnapshot&) const = default;
};

struct HbmStackCounters {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t row_hits = 0;    ///< Bursts to an open row.
  std::uint64_t row_misses = 0;  ///< Bursts that opened a row.
  std::uint64_t refreshes = 0;
  std::uint64_t data_bus_fs = 0;    ///< Data bus busy, summed over pseudo-channels.
  std::uint64_t back_pressure = 0;  ///< Requests that found a full queue.
  auto operator<=>(const HbmStackCounters&) const = default;
};

/// Time that one engine spent on the instructions of one line, in its own cycles.
struct SourceEngineTime {
  std::uint64_t busy_cycles = 0;
  std::array<std::uint64_t, kStallReasonCount> stall_cycles{};
  auto operator<=>(const SourceEngineTime&) const = default;
};

/// What one line of a kernel's source cost on one core.
struct SourceCounters {
  std::uint32_t core = 0;
  SourceLine at;  ///< Of the core's program; an unknown one stands for all instructions without a place.
  std::uint64_t instructions = 0;
  std::uint64_t dma_bytes = 0;                           ///< Of copies triggered.
  std::uint64_t exposed_fs = 0;                          ///< Device time that ended with a completion of this line.
  std::array<SourceEngineTime, kEngineCount> engines{};  ///< Indexed by EngineKind.
  auto operator<=>(const SourceCounters&) const = default;
};

/// Neighbouring partitions of one memory in which the tiles alive took the same room at most.
struct PartitionPeak {
  std::uint32_t core = 0;
  Buffer buffer = Buffer::Sbuf;      ///< Sbuf or Psum.
  std::uint32_t first = 0, end = 0;  ///< Partitions [first, end).
  std::uint64_t peak_bytes = 0;      ///< In each of them.
  auto operator<=>(const PartitionPeak&) const = default;
};

/// State of a finished (or stopped) run: counters and time accounts, a value.
struct Snapshot {
  std::uint64_t end_fs = 0;               ///< Device time.
  std::string truncated;                  ///< Empty, or why the run stopped early.
  std::uint64_t instructions = 0;         ///< Instructions executed, all cores.
  std::vector<CoreSnapshot> cores;        ///< Cores used.
  std::vector<HbmStackCounters> hbm;      ///< All stacks.
  std::vector<SourceCounters> sources;    ///< Of programs that name their sources: by core, in the order of first use.
  std::vector<PartitionPeak> partitions;  ///< By core, memory and partition, without gaps.
  std::uint64_t unexposed_fs = 0;         ///< With sources: device time after the last completion.
  std::uint64_t events = 0;               ///< SystemC process activations, for the benchmarks.
  std::uint64_t runs = 1;                 ///< Runs one after another that this is the sum of.
  auto operator<=>(const Snapshot&) const = default;
};

/// Checks every account: busy + stalls + idle = elapsed, lines of the source add up to the engines and to the device time, bytes issued =
/// bytes completed (unless truncated), HBM bytes = DMA bytes. Throws InternalError naming the counter.
void check_accounts(const Snapshot& snapshot);

/// The account of runs of one chip one after another: counters and times add up, peaks are the largest,
/// cores and stacks are matched by number. An empty account is the start of a sum.
Snapshot no_runs();
void add_run(Snapshot& sum, const Snapshot& next);

/// All of a snapshot for another process of this very program on this machine, as bytes.
std::string to_bytes(const Snapshot& snapshot);
Snapshot snapshot_from_bytes(std::string_view bytes);  ///< InternalError if they are not whole.

}  // namespace trnsim
