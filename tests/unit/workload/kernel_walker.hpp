// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"

namespace trnsim::test {

/// Chips that differ in what the generators look at.
ChipConfig trn1_like();
ChipConfig trn2_like();
ChipConfig trn3_like();
ChipConfig with_sbuf(ChipConfig chip, double kib_per_partition);

/// Executes a program one record at a time, with numbers in place of bytes, and collects what breaks
/// the rules: tiles used outside their life, elements read before they are written, operands that
/// leave their tile, writes to inputs, a second write to an output, matmuls that mix shapes.
///
/// Copies, matmuls, additions, products and plain element-wise instructions compute; instructions whose
/// immediate values a record does not hold, exponentials included, only move "some number" from their inputs to their outputs.
class Walker {
 public:
  /// `Skip` follows lives, sizes and counts only: for programs too large to execute.
  enum class Numbers : std::uint8_t { Compute, Skip };

  Walker(Program& program, const ChipConfig& chip, Numbers numbers = Numbers::Compute);

  /// Numbers of an HBM input, row major; set before `run`. Inputs left alone hold ones.
  std::vector<double>& input(TensorId tensor) { return hbm_.at(tensor).cells; }
  void run();

  bool unwritten_allowed = false;  ///< A copy from SBUF moves whatever is there.

  [[nodiscard]] const std::vector<double>& output(TensorId tensor) const { return hbm_.at(tensor).cells; }
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
  [[nodiscard]] std::string report() const;

  std::uint64_t instructions = 0, copies = 0, macs = 0;
  std::uint64_t hbm_read_bytes = 0, hbm_write_bytes = 0;
  std::uint64_t sbuf_peak = 0, psum_peak = 0;  ///< Bytes per partition of the tiles alive together.
  std::map<std::string, std::uint64_t> count;  ///< Instructions by "engine opcode".
  std::map<TensorId, std::uint64_t> read_bytes;

 private:
  struct Store {
    TensorInfo info;
    std::uint64_t row_cells = 0;  ///< Bytes per partition, or elements of an HBM tensor.
    std::vector<double> cells;
    std::vector<std::uint8_t> written;
    std::uint64_t last_user = 0;
  };
  struct Matrix {
    std::uint64_t rows = 0, columns = 0;
    std::vector<double> v;
  };

  void record(const Record& r);
  void declare(const Record& r);
  void release(const Record& r);
  void instruction(const Instruction& i);
  void check_engine(const Instruction& i);
  void matmul(const Instruction& i);
  void element_wise(const Instruction& i);
  void copy(const Instruction& i);
  Store* store_of(const Operand& o);
  /// Cell numbers of the operand's elements, row by row; empty and a problem when one lies outside.
  std::vector<std::uint64_t> cells(const Operand& o, const Store& s);
  Matrix read(const Operand& o);
  void write(const Operand& o, const std::vector<double>& v);
  void problem(const std::string& text);

  Program& program_;
  ChipConfig chip_;
  Numbers numbers_;
  std::map<TensorId, Store> hbm_, tiles_;
  std::vector<TensorId> fresh_;  ///< Declared since the last instruction.
  std::uint64_t sbuf_live_ = 0, psum_live_ = 0;
  std::vector<std::string> problems_;
};

}  // namespace trnsim::test
