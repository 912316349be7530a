// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>

#include "isa/actor.hpp"
#include "isa/psum_banks.hpp"
#include "timing/elementwise_timing.hpp"
#include "trnsim/isa/instruction.hpp"
#include "trnsim/snapshot.hpp"

namespace trnsim {

struct Transfer;

/// What an array operation needs beyond an EngineCost.
struct ArrayWork {
  std::uint32_t load_cycles = 0;        ///< LoadStationary; 0 = the stationary operand is in the array already.
  std::uint16_t region = 0xffff;        ///< 4 × 4 blocks of the array that the operation occupies.
  std::uint16_t rows = 0, columns = 0;  ///< Rows of the contraction, columns of the stationary operand.
  std::uint32_t moving = 0;
  std::uint8_t k_values = 1;  ///< Contraction values per row: 4 for MX, 2 for double row.
  DType dtype = DType::Bf16;
  bool accumulate = false, transpose = false, double_row = false, onezero = false;
  std::uint32_t load_elements = 0;
};

/// An instruction after planning: what an engine needs to run it.
struct Step {
  static constexpr std::size_t kMaxWaits = 12;

  EngineKind engine = EngineKind::Vector;
  Opcode op = Opcode::TensorCopy;
  std::uint8_t wait_count = 0;
  std::uint8_t table = 0;  ///< Activation table it needs, 0 = any.
  bool uses_sbuf = false;
  bool exponential = false;
  std::optional<ActFn> function;  ///< Of activations.
  bool sequencer = false;         ///< The engine's queue runs it.
  std::uint32_t line = 0;
  std::uint32_t source = 0;  ///< Number of its line in the kernel's source, 0 = none.
  EngineCost cost;
  Time control;  ///< Sequencer: how long its queue is held, beside `cost.interval`.
  std::uint64_t elements = 0;
  PsumBanks psum_banks = 0;                                                    ///< Those it touches (Vector, Scalar).
  std::uint32_t sbuf_read = 0, sbuf_write = 0, psum_read = 0, psum_write = 0;  ///< Bytes.
  ArrayWork work;
  Transfer* transfer = nullptr;  ///< DMA: the copy to trigger.
  std::uint8_t forward_count = 0;
  std::array<std::uint64_t, 4> forward_ids{};  ///< `after` ids that were not planned yet.
  std::array<Wait, kMaxWaits> waits;
};

}  // namespace trnsim
