// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trnsim/isa/program.hpp"

namespace trnsim::test {

/// A program written out in a test, record by record.
class ListProgram final : public Program {
 public:
  ProgramInfo info_;
  std::vector<Record> records;

  [[nodiscard]] const ProgramInfo& info() const override { return info_; }
  const Record* next() override { return at_ < records.size() ? &records[at_++] : nullptr; }

 private:
  std::size_t at_ = 0;
};

/// Builds small programs: tiles get numbers in order of declaration, operands are dense unless said.
class ProgramBuilder {
 public:
  TensorId hbm(std::string name, std::vector<std::uint64_t> shape, DType dtype = DType::Bf16, TensorUse use = TensorUse::Internal) {
    TensorInfo tensor;
    tensor.name = std::move(name);
    tensor.shape = std::move(shape);
    tensor.dtype = dtype;
    tensor.use = use;
    program_->info_.tensors.push_back(tensor);
    return next_++;
  }

  TensorId tile(Buffer buffer, std::uint16_t partitions, std::uint32_t bytes, std::int64_t address = -1, std::uint16_t partition = 0) {
    Record record;
    record.kind = Record::Kind::Tile;
    record.tile = next_++;
    record.tensor.name = "t" + std::to_string(record.tile);
    record.tensor.buffer = buffer;
    record.tensor.partitions = partitions;
    record.tensor.partition = partition;
    record.tensor.bytes_per_partition = bytes;
    record.tensor.address = address;
    program_->records.push_back(record);
    return record.tile;
  }
  TensorId sbuf(std::uint16_t partitions, std::uint32_t bytes) { return tile(Buffer::Sbuf, partitions, bytes); }
  TensorId psum(std::uint16_t partitions, std::uint32_t bytes) { return tile(Buffer::Psum, partitions, bytes); }

  void release(TensorId id) {
    Record record;
    record.kind = Record::Kind::Release;
    record.tile = id;
    program_->records.push_back(record);
  }

  static Operand on_chip(TensorId id, Buffer buffer, std::uint32_t partitions, std::uint32_t columns, DType dtype = DType::Bf16,
                         std::uint64_t offset = 0) {
    Operand operand;
    operand.tensor = id;
    operand.buffer = buffer;
    operand.dtype = dtype;
    operand.partitions = partitions;
    operand.offset = offset;
    operand.free[0] = {1, columns};
    return operand;
  }
  static Operand in_hbm(TensorId id, std::uint32_t rows, std::uint32_t columns, std::int64_t row_stride, DType dtype = DType::Bf16,
                        std::uint64_t offset = 0) {
    Operand operand = on_chip(id, Buffer::Hbm, rows, columns, dtype, offset);
    operand.row_stride = row_stride;
    return operand;
  }

  Instruction& add(Opcode op, EngineKind engine, const std::vector<Operand>& operands) {
    Record record;
    record.instruction.op = op;
    record.instruction.engine = engine;
    record.instruction.line = ++line_;
    for (std::size_t i = 0; i < operands.size(); ++i) record.instruction.operands[i] = operands[i];
    program_->records.push_back(record);
    return program_->records.back().instruction;
  }
  Instruction& matmul(TensorId dst, TensorId stationary, TensorId moving, std::uint32_t k, std::uint32_t m, std::uint32_t n,
                      DType dtype = DType::Bf16, bool accumulate = false) {
    Instruction& i = add(Opcode::NcMatmul, EngineKind::Tensor,
                         {on_chip(dst, Buffer::Psum, m, n, DType::Fp32), on_chip(stationary, Buffer::Sbuf, k, m, dtype),
                          on_chip(moving, Buffer::Sbuf, k, n, dtype)});
    i.accumulate = accumulate;
    return i;
  }
  Instruction& load(TensorId dst, TensorId src, std::uint32_t rows, std::uint32_t columns, DType dtype = DType::Bf16) {
    return add(Opcode::DmaCopy, EngineKind::Sync,
               {on_chip(dst, Buffer::Sbuf, rows, columns, dtype), in_hbm(src, rows, columns, columns * element_bytes(dtype), dtype)});
  }
  Instruction& store(TensorId dst, TensorId src, std::uint32_t rows, std::uint32_t columns, DType dtype = DType::Bf16) {
    return add(Opcode::DmaCopy, EngineKind::Sync,
               {in_hbm(dst, rows, columns, columns * element_bytes(dtype), dtype), on_chip(src, Buffer::Sbuf, rows, columns, dtype)});
  }

  std::unique_ptr<ListProgram> take() { return std::exchange(program_, std::make_unique<ListProgram>()); }
  Workload workload() {
    Workload work;
    work.name = "test";
    work.programs.push_back(take());
    return work;
  }

 private:
  std::unique_ptr<ListProgram> program_ = std::make_unique<ListProgram>();
  TensorId next_ = 0;
  std::uint32_t line_ = 0;
};

}  // namespace trnsim::test
