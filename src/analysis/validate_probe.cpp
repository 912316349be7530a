// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <deque>

#include "trnsim/error.hpp"
#include "trnsim/validate.hpp"

namespace trnsim {
namespace {

/// Fills its tiles, issues one instruction `count` times and ends.
class ProbeProgram : public Program {
 public:
  ProbeProgram(const InstructionProbe& probe, std::uint32_t count) : probe_(probe), count_(count) {
    info_.name = fmt::format("probe {}", info_of().name);
    info_.instructions = count;
    info_.dtype = probe.in;
    instruction_.op = probe.op;
    instruction_.engine = probe.engine;
    instruction_.function = probe.function;
    instruction_.alu0 = probe.alu;
    if (is_matmul()) count_macs();
    add_operands();
  }

  [[nodiscard]] const ProgramInfo& info() const override { return info_; }

  const Record* next() override {
    if (!setup_.empty()) {
      current_ = setup_.front();
      setup_.pop_front();
      return &current_;
    }
    if (issued_ == count_) return nullptr;
    ++issued_;
    if (probe_.chain) {
      instruction_.id = issued_;
      instruction_.after_count = issued_ > 1 ? 1 : 0;
      instruction_.after[0] = issued_ - 1;
    }
    current_ = Record{};
    current_.instruction = instruction_;
    return &current_;
  }

 private:
  [[nodiscard]] const OpcodeInfo& info_of() const { return trnsim::info(probe_.op); }
  [[nodiscard]] bool is_matmul() const { return probe_.op == Opcode::NcMatmul; }

  void count_macs() {
    info_.macs = std::uint64_t{count_} * probe_.partitions * probe_.stationary * probe_.columns;
    info_.flops = 2 * info_.macs;
  }

  void add_operands() {
    const auto rules = info_of().operands;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const bool vector_operand = rules[i].fetched();
      if (!rules[i].required && !(vector_operand && probe_.vector_operand && !used_vector_operand_)) continue;
      used_vector_operand_ = used_vector_operand_ || vector_operand;
      instruction_.operands[i] = make_operand(rules[i]);
    }
  }

  /// The tile of an operand, filled by memset unless it is only written.
  Operand make_operand(const OperandRule& rule) {
    Operand operand;
    operand.tensor = tiles_++;
    operand.partitions = probe_.partitions;
    shape_operand(rule, operand);
    Record tile;
    tile.kind = Record::Kind::Tile;
    tile.tile = operand.tensor;
    tile.tensor.name = std::string(name_of(rule.role));
    tile.tensor.buffer = operand.buffer;
    tile.tensor.dtype = operand.dtype;
    tile.tensor.partitions = static_cast<std::uint16_t>(operand.partitions);
    tile.tensor.bytes_per_partition = static_cast<std::uint32_t>(operand.row_bytes());
    setup_.push_back(tile);
    if (!rule.written) fill(operand);
    return operand;
  }

  void shape_operand(const OperandRule& rule, Operand& operand) const {
    operand.buffer = probe_.from;
    operand.dtype = probe_.in;
    std::uint32_t columns = probe_.columns;
    if (rule.role == Role::Dst) {
      operand.buffer = is_matmul() ? Buffer::Psum : probe_.to;
      operand.dtype = is_matmul() ? DType::Fp32 : probe_.out;
      if (is_matmul()) operand.partitions = probe_.stationary;
      if (probe_.op == Opcode::TensorReduce) columns = 1;
    } else if (rule.role == Role::Stationary) {
      columns = probe_.stationary;
    } else if (rule.role == Role::Data2) {
      operand.buffer = probe_.from2;
      operand.dtype = probe_.in2;
    } else if (!rule.streamed()) {
      operand.buffer = Buffer::Sbuf;
      operand.dtype = DType::Fp32;
      columns = 1;
    }
    operand.free[0] = {1, columns};
  }

  void fill(const Operand& operand) {
    Record record;
    record.instruction.op = Opcode::Memset;
    record.instruction.engine = EngineKind::Vector;
    record.instruction.operands[0] = operand;
    setup_.push_back(record);
  }

  InstructionProbe probe_;
  std::uint32_t count_;
  ProgramInfo info_;
  Instruction instruction_;
  std::deque<Record> setup_;
  Record current_;
  std::uint32_t issued_ = 0;
  TensorId tiles_ = 0;
  bool used_vector_operand_ = false;
};

}  // namespace

Workload make_probe(const InstructionProbe& probe, std::uint32_t count) {
  const OpcodeInfo& opcode = info(probe.op);
  if (!opcode.runs_on(probe.engine) || is_dma(probe.op)) {
    throw WorkloadError(fmt::format("probe: {} does not run {}", name_of(probe.engine), opcode.name));
  }
  Workload workload;
  workload.programs.push_back(std::make_unique<ProbeProgram>(probe, count));
  workload.name = workload.programs.front()->info().name;
  workload.source = "probe";
  return workload;
}

Workload workload_of(const ValidationRun& run, const ChipConfig& chip) {
  if (!run.probe) return make_kernel(run.kernel, run.params, chip, run.cores);
  if (run.cores != 1) throw WorkloadError(fmt::format("probe: runs on one core, not on {}", run.cores));
  return make_probe(*run.probe, run.count);
}

}  // namespace trnsim
