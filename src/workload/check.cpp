// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/check.hpp"

#include "trnsim/trace.hpp"
#include "trnsim/workload.hpp"
#include "workload/check_report.hpp"

namespace trnsim {
namespace {

constexpr bool has(std::uint8_t bits, unsigned index) { return (bits >> index & 1U) != 0; }

/// NeuronCores that know a type: the MX types came with v4.
std::uint8_t generations_of_dtype(DType dtype) {
  constexpr std::uint8_t kV4 = 1U << static_cast<unsigned>(Generation::V4);
  return is_mx(dtype) ? kV4 : 7;
}

std::string engines_text(std::uint8_t bits) {
  std::vector<std::string_view> names;
  for (unsigned e = 0; e < kEngineCount; ++e) {
    if (has(bits, e)) names.push_back(name_of(static_cast<EngineKind>(e)));
  }
  return listed(names);
}

std::string live_tiles(const TensorTable& tensors, Buffer buffer) {
  constexpr std::size_t kMost = 12;
  std::string text;
  std::size_t n = 0;
  for (const TensorInfo& t : tensors) {
    if (t.buffer != buffer || t.partitions == 0) continue;
    if (++n <= kMost) text += (text.empty() ? "" : ", ") + t.name + " (" + thousands(t.bytes_per_partition) + ")";
  }
  if (n == 0) return "none";
  return n > kMost ? text + " and " + std::to_string(n - kMost) + " more" : text;
}

}  // namespace

InstructionChecker::InstructionChecker(const ChipConfig& chip)
    : label_(chip.name + " (NeuronCore-" + chip.generation + ")"),
      generation_(chip.gen()),
      tensor_(chip.tensor),
      partitions_(chip.sbuf.partitions),
      sbuf_bytes_(chip.sbuf_bytes_per_partition()),
      psum_bytes_(chip.psum_bytes_per_partition()),
      bank_bytes_(chip.psum.bank_bytes_per_partition),
      bf16_output_(chip.psum.bf16_output),
      rings_(chip.dma.rings_per_engine),
      dge_{true, chip.dma.static_mode.available, chip.dma.software_mode.available, chip.dma.hardware_mode.available} {}

void InstructionChecker::check_tile(const TensorInfo& tile, const TensorTable& alive, std::vector<std::string>& problems) const {
  const std::string name = "tile '" + tile.name + "': ";
  const std::uint64_t available = tile.buffer == Buffer::Psum ? psum_bytes_ : sbuf_bytes_;
  const std::uint64_t end = std::uint64_t{tile.partition} + tile.partitions;
  if (end > partitions_) {
    problems.push_back(name + "partitions " + std::to_string(tile.partition) + " + " + std::to_string(tile.partitions) +
                       " end past the last of " + std::to_string(partitions_));
  }
  const std::uint64_t start = tile.address < 0 ? 0 : static_cast<std::uint64_t>(tile.address);
  if (start + tile.bytes_per_partition <= available) return;
  const std::string where = std::string(tile.buffer == Buffer::Psum ? "PSUM" : "SBUF") + " partition " + std::to_string(tile.partition);
  const std::string size = start == 0 ? "requested " + thousands(tile.bytes_per_partition)
                                      : "address " + thousands(start) + " + " + thousands(tile.bytes_per_partition) + " bytes end past the";
  problems.push_back(name + where + ": " + size + (start == 0 ? " bytes, available " : " available ") + thousands(available) +
                     (start == 0 ? "" : " bytes") + " on " + label_ + "; live tiles: " + live_tiles(alive, tile.buffer));
}

void InstructionChecker::check(const Instruction& i, const TensorTable& tensors, std::vector<std::string>& problems) const {
  Report report(info(i.op).name, problems);
  if (!check_availability(i, report)) return;
  check_engine(i, report);
  if (!check_operands(i, tensors, report)) return;
  check_attributes(i, report);
  check_shapes(i, tensors, report);
}

bool InstructionChecker::check_availability(const Instruction& i, Report& report) const {
  if (info(i.op).engines_on(generation_) == 0) {
    report.add({}, "not available on " + label_ + "; generations that have it: " + generations_of(info(i.op).generations()));
  }
  const auto rules = info(i.op).operands;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (i.operands[k].present()) check_dtype(i.operands[k].dtype, name_of(rules[k].role), report);
  }
  if (i.extras) {
    for (const auto& [role, operand] : i.extras->operands) check_dtype(operand.dtype, name_of(role), report);
  }
  return report.clean();
}

void InstructionChecker::check_dtype(DType dtype, std::string_view role, Report& report) const {
  const std::uint8_t generations = generations_of_dtype(dtype);
  if (has(generations, static_cast<unsigned>(generation_))) return;
  report.add(role, "type " + std::string(name_of(dtype)) + " is not available on " + label_ +
                       "; generations that have it: " + generations_of(generations));
}

void InstructionChecker::check_engine(const Instruction& i, Report& report) const {
  const std::uint8_t engines = info(i.op).engines_on(generation_);
  if (has(engines, static_cast<unsigned>(i.engine))) return;
  std::uint8_t elsewhere = 0;
  for (unsigned g = 0; g < kGenerationCount; ++g) {
    if (has(info(i.op).engines[g], static_cast<unsigned>(i.engine))) elsewhere |= static_cast<std::uint8_t>(1U << g);
  }
  report.add("engine", "value \"" + std::string(name_of(i.engine)) + "\"; allowed on " + label_ + ": " + engines_text(engines) +
                           (elsewhere == 0 ? "" : "; generations that have it: " + generations_of(elsewhere)));
}

void InstructionChecker::check_attributes(const Instruction& i, Report& report) const {
  const bool matmul = i.op == Opcode::NcMatmul || i.op == Opcode::NcMatmulMx;
  const auto only = [&](bool set, std::string_view key, std::string_view who) {
    if (set) report.add(key, "has no meaning here; allowed: " + std::string(who));
  };
  if (!matmul) {
    only(i.accumulate, "accumulate", "nc_matmul, nc_matmul_mx");
    only(i.transpose, "transpose", "nc_matmul");
    only(i.onezero, "onezero", "nc_matmul");
    only(i.perf_mode != PerfMode::None, "perf_mode", "nc_matmul");
    only(i.tile_row != 0 || i.tile_col != 0, "tile_position", "nc_matmul, nc_matmul_mx");
    only(i.tile_rows != 128 || i.tile_cols != 128, "tile_size", "nc_matmul, nc_matmul_mx");
  }
  if (is_dma(i.op)) return;
  only(i.ring != kDefaultRing, "queue", "dma_copy, dma_transpose");
  only(i.dge != DgeMode::Default, "dge", "dma_copy, dma_transpose");
}

std::vector<std::string> check_program(Program& program, const ChipConfig& chip) {
  const InstructionChecker checker(chip);
  TensorTable tensors = program.info().tensors;
  std::vector<std::string> problems;
  std::uint64_t number = 0;
  while (const Record* record = program.next()) {
    if (record->kind == Record::Kind::Instruction) {
      const std::size_t before = problems.size();
      checker.check(record->instruction, tensors, problems);
      for (std::size_t k = before; k < problems.size(); ++k) problems[k].insert(0, "instruction " + std::to_string(number) + ": ");
      ++number;
    } else if (record->kind == Record::Kind::Tile) {
      checker.check_tile(record->tensor, tensors, problems);
      if (record->tile >= tensors.size()) tensors.resize(record->tile + std::size_t{1});
      tensors[record->tile] = record->tensor;
    } else if (record->tile < tensors.size()) {
      tensors[record->tile].partitions = 0;
    }
    if (problems.size() >= 20) break;
  }
  return problems;
}

}  // namespace trnsim
