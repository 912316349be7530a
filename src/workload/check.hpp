// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/instruction.hpp"

namespace trnsim {

/// Tensors by TensorId: those in HBM first, then tiles; a released tile has no partitions.
using TensorTable = std::vector<TensorInfo>;

/// Bytes that one row of an operand spans, counted from the start of its tile or tensor row.
struct Extent {
  std::int64_t first = 0, end = 0;  ///< Half open.
};
/// False where the numbers leave 62 bits, which no memory reaches.
bool row_extent(const Operand& operand, Extent& extent);
/// The same over all rows of an HBM operand.
bool tensor_extent(const Operand& operand, Extent& extent);

/// Static rules of one chip: what an instruction may be given, whatever ran before it.
///
/// Sources: Neuron SDK 2.32 `nki.isa` reference, architecture guides of Trainium 1 to 3. Not checked:
/// whether all tiles fit together (the planner does), PSUM accumulation groups, values.
class InstructionChecker {
 public:
  explicit InstructionChecker(const ChipConfig& chip);

  /// One tile against the memory's size. `alive` lists the tiles in the message, if given.
  void check_tile(const TensorInfo& tile, const TensorTable& alive, std::vector<std::string>& problems) const;
  void check(const Instruction& instruction, const TensorTable& tensors, std::vector<std::string>& problems) const;

  class Report;

 private:
  bool check_availability(const Instruction& i, Report& report) const;
  void check_engine(const Instruction& i, Report& report) const;
  bool check_operands(const Instruction& i, const TensorTable& tensors, Report& report) const;
  void check_operand(const Instruction& i, const Operand& o, const OperandRule& rule, const TensorTable& tensors, Report& report) const;
  void check_further(const Instruction& i, const TensorTable& tensors, Report& report) const;
  void check_buffer(const Instruction& i, const Operand& o, const OperandRule& rule, Report& report) const;
  void check_on_chip(const Instruction& i, const Operand& o, const TensorInfo& tensor, std::string_view role, Report& report) const;
  void check_hbm(const Operand& o, const TensorInfo& tensor, std::string_view role, bool written, Report& report) const;
  void check_dtype(DType dtype, std::string_view role, Report& report) const;
  void check_attributes(const Instruction& i, Report& report) const;
  void check_shapes(const Instruction& i, const TensorTable& tensors, Report& report) const;
  void check_matmul(const Instruction& i, const TensorTable& tensors, Report& report) const;
  void check_matmul_types(const Instruction& i, Report& report) const;
  void check_matmul_output(const Instruction& i, const TensorTable& tensors, Report& report) const;
  void check_matmul_mx(const Instruction& i, const TensorTable& tensors, Report& report) const;
  void check_array_tile(const Instruction& i, Report& report) const;
  void check_transpose(const Instruction& i, Report& report) const;
  void check_forms(const Instruction& i, Report& report) const;
  void check_rules(const Instruction& i, Report& report) const;
  void check_operations(const Instruction& i, Report& report) const;
  void check_relations(const Instruction& i, Report& report) const;
  void check_dma(const Instruction& i, Report& report) const;

  std::string label_;  ///< "trn2 (NeuronCore-v3)"
  Generation generation_;
  TensorConfig tensor_;
  std::uint32_t partitions_;
  std::uint64_t sbuf_bytes_, psum_bytes_, bank_bytes_;
  bool bf16_output_;
  std::uint32_t rings_;
  bool dge_[4];  ///< By DgeMode: available.
};

}  // namespace trnsim
