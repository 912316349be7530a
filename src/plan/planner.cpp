// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "timing/matmul_shape.hpp"
#include "trnsim/error.hpp"

namespace trnsim {
namespace {

constexpr std::uint32_t kSbufGranule = 1024;

std::string at_line(std::uint32_t line) { return line == 0 ? std::string{} : fmt::format("line {}: ", line); }

/// Whether an address that is known at run time picks the rows of this operand.
bool picked(const Instruction& i, Role role) {
  if (!i.extras || role > Role::Src) return false;
  return std::ranges::any_of(i.extras->operands, [&](const auto& item) { return item.role == index_of(role); });
}

/// Line of the kernel of the next instruction, which is the one that a tile is declared for. The program is over then.
std::string place_in_kernel(Program& program) {
  while (const Record* record = program.next()) {
    if (record->kind != Record::Kind::Instruction) continue;
    const SourceLine at = record->instruction.at;
    if (!at.known() || at.file >= program.info().files.size()) return {};
    return fmt::format("{}:{}: ", program.info().files[at.file], at.line);
  }
  return {};
}

}  // namespace

Planner::Planner(const ChipConfig& config, Program& program, std::size_t core, const HbmLayout& layout, const Progress& progress,
                 RunObserver* observer)
    : config_(&config),
      program_(&program),
      core_(core),
      layout_(&layout),
      progress_(&progress),
      observer_(observer),
      pe_(config.tensor),
      vector_(config.vector, config.gen()),
      scalar_(config.scalar),
      gpsimd_(config.gpsimd),
      dma_(config.dma),
      sequencer_(config.sequencer),
      sbuf_(Buffer::Sbuf, config.sbuf_bytes_per_partition(), 0, config.sbuf.partitions),
      psum_(Buffer::Psum, config.psum_bytes_per_partition(), config.psum.bank_bytes_per_partition, config.sbuf.partitions),
      sbuf_ledger_(config.sbuf_bytes_per_partition(), kSbufGranule, progress),
      psum_ledger_(config.psum_bytes_per_partition(), config.psum.bank_bytes_per_partition, progress),
      tensors_(program.info().tensors.size()),
      tiles_(program.info().tensors.size()),
      counts_(kFirstRing + config.dma.rings_per_engine, 0) {
  for (auto& observed : observed_) observed.assign(counts_.size(), 0);
}

bool Planner::next(Step& step) {
  if (std::exchange(over_, true)) return false;
  while (const Record* record = program_->next()) {
    switch (record->kind) {
      case Record::Kind::Tile: declare(*record); break;
      case Record::Kind::Release: release(record->tile); break;
      case Record::Kind::Instruction:
        plan(record->instruction, step);
        over_ = false;
        return true;
    }
  }
  return false;
}

void Planner::declare(const Record& record) {
  if (record.tile >= tiles_.size()) tiles_.resize(record.tile + 1);
  Tile& tile = tiles_[record.tile];
  if (tile.alive) throw ProgramError(fmt::format("tile '{}' is declared while its number {} is in use", record.tensor.name, record.tile));
  TileAllocator& allocator = record.tensor.buffer == Buffer::Psum ? psum_ : sbuf_;
  std::uint32_t address = 0;
  try {
    address = allocator.place(record.tile, record.tensor, record.instruction.line);
  } catch (const ProgramError& error) {
    throw ProgramError(place_in_kernel(*program_) + error.what());
  }
  tile = {record.tensor.buffer, address, record.tensor.partition, record.tensor.partitions, record.tensor.bytes_per_partition, true};
  if (observer_ != nullptr) observer_->placed({static_cast<std::uint32_t>(core_), record.tile, address}, record.tensor);
}

void Planner::release(TensorId id) {
  if (id >= tiles_.size() || !tiles_[id].alive) throw ProgramError(fmt::format("release of tile {}, which is not alive", id));
  (tiles_[id].buffer == Buffer::Psum ? psum_ : sbuf_).release(id);
  tiles_[id].alive = false;
  if (observer_ != nullptr) observer_->released(static_cast<std::uint32_t>(core_), id);
}

void Planner::plan(const Instruction& instruction, Step& step) {
  step = Step{};
  step.op = instruction.op;
  step.line = instruction.line;
  if (instruction.at.known()) step.source = source_number(instruction.at);
  step.engine = instruction.engine;
  waits_.clear();
  // The processors of GpSimd have DMA engines of their own.
  const bool own_dma = instruction.op == Opcode::Sendrecv && instruction.engine == EngineKind::GpSimd;
  const bool dma = is_dma(instruction.op) && !own_dma;
  if (dma && dma_.resolve(instruction.dge) == DgeMode::Software) step.engine = EngineKind::GpSimd;
  const Actor engine = actor_of(step.engine);
  const Access access{engine, ++counts_[engine], false};
  if (dma) {
    plan_dma(instruction, step, access);
  } else if (info(instruction.op).executor == Executor::Sequencer) {
    plan_control(instruction, step, access);
  } else if (step.engine == EngineKind::Tensor) {
    plan_array(instruction, step, access);
  } else {
    plan_elementwise(instruction, step, access);
  }
  add_explicit_waits(instruction, step);
  finish_waits(step);
  ++planned_;
  if (observer_ != nullptr) tell(instruction, step);
}

void Planner::tell(const Instruction& instruction, const Step& step) {
  PlannedInstruction planned{static_cast<std::uint32_t>(core_), step.engine, counts_[actor_of(step.engine)], 0, 0};
  if (step.transfer != nullptr) {
    planned.ring = step.transfer->ring;
    planned.copy = step.transfer->sequence;
  }
  observer_->planned(planned, instruction);
}

std::uint32_t Planner::source_number(const SourceLine& at) {
  if (sources_[last_source_] == at) return last_source_;
  const auto [found, added] =
      source_numbers_.try_emplace(std::uint64_t{at.file} << 32 | at.line, static_cast<std::uint32_t>(sources_.size()));
  if (added) sources_.push_back(at);
  return last_source_ = found->second;
}

Region Planner::region_of(const Operand& operand) const {
  const Tile& tile = tiles_[operand.tensor];
  if (!tile.alive) throw ProgramError(fmt::format("an operand names tile {}, which is not alive", operand.tensor));
  Region region;
  region.first_partition = static_cast<std::uint16_t>(tile.partition + operand.partition);
  region.end_partition = static_cast<std::uint16_t>(region.first_partition + operand.partition_span());
  if (operand.partition_step > 1) region.partition_step = operand.partition_step;
  const Pattern pattern = free_pattern(operand, tile.address);
  region.lo = static_cast<std::uint32_t>(pattern.lo);
  region.hi = static_cast<std::uint32_t>(pattern.hi());
  if (!pattern.dense()) region.pattern = std::make_shared<Pattern>(pattern);
  return region;
}

Region Planner::region_of_tile(TensorId id) const {
  const Tile& tile = tiles_[id];
  if (!tile.alive) throw ProgramError(fmt::format("an operand names tile {}, which is not alive", id));
  return {tile.address, tile.address + tile.bytes, tile.partition, static_cast<std::uint16_t>(tile.partition + tile.partitions), 1,
          nullptr};
}

Pattern Planner::pattern_of_tensor(TensorId id) const {
  Pattern pattern;
  pattern.run = bytes_of(program_->info().tensors[id]);
  return pattern;
}

void Planner::read(const Operand& operand, const Access& access, bool whole) {
  if (operand.buffer == Buffer::Hbm) {
    if (program_->info().tensors[operand.tensor].use == TensorUse::Input) return;  // nobody writes it
    tensors_[operand.tensor].read(whole ? pattern_of_tensor(operand.tensor) : hbm_pattern(operand, 0), access, *progress_, waits_);
    return;
  }
  const Region region = whole ? region_of_tile(operand.tensor) : region_of(operand);
  (operand.buffer == Buffer::Psum ? psum_ledger_ : sbuf_ledger_).read(region, access, waits_);
}

void Planner::write(const Operand& operand, const Access& access, bool whole) {
  if (operand.buffer == Buffer::Hbm) {
    tensors_[operand.tensor].write(whole ? pattern_of_tensor(operand.tensor) : hbm_pattern(operand, 0), access, *progress_, waits_);
    return;
  }
  const Region region = whole ? region_of_tile(operand.tensor) : region_of(operand);
  if (operand.buffer == Buffer::Psum) {
    psum_ledger_.write(region, access, waits_);
  } else {
    sbuf_ledger_.write(region, access, waits_);
    forget_loaded(region);
  }
}

void Planner::read_further(const InstructionExtras& extras, const Access& access, Step& step) {
  for (const auto& [role, operand] : extras.operands) {
    if (writes_further(role)) continue;
    read(operand, access);
    count_traffic(operand, false, step);
  }
}

void Planner::write_further(const InstructionExtras& extras, const Access& access, Step& step) {
  for (const auto& [role, operand] : extras.operands) {
    if (!writes_further(role)) continue;
    write(operand, access);
    count_traffic(operand, true, step);
  }
}

void Planner::count_traffic(const Operand& operand, bool write, Step& step) const {
  const auto bytes = static_cast<std::uint32_t>(operand.bytes());
  if (operand.buffer == Buffer::Sbuf) {
    (write ? step.sbuf_write : step.sbuf_read) += bytes;
    step.uses_sbuf = true;
  } else if (operand.buffer == Buffer::Psum) {
    (write ? step.psum_write : step.psum_read) += bytes;
    const Region region = region_of(operand);
    const std::uint32_t bank = config_->psum.bank_bytes_per_partition;
    for (std::uint32_t b = region.lo / bank; b <= (region.hi - 1) / bank && b < kMaxPsumBanks; ++b) step.psum_banks |= PsumBanks{1} << b;
  }
}

void Planner::plan_elementwise(const Instruction& instruction, Step& step, const Access& access) {
  const auto rules = info(instruction.op).operands;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    const Operand& operand = instruction.operands[k];
    if (!operand.present()) continue;
    const bool written = writes(rules[k]);
    count_traffic(operand, written, step);
    if (!written) read(operand, access, picked(instruction, rules[k].role));
  }
  if (instruction.extras) read_further(*instruction.extras, access, step);
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (writes(rules[k]) && instruction.operands[k].present()) write(instruction.operands[k], access, picked(instruction, rules[k].role));
  }
  if (instruction.extras) write_further(*instruction.extras, access, step);
  step.elements = streamed_columns(instruction) * instruction.operands[0].partitions;
  step.exponential = instruction.op == Opcode::Exponential;
  const std::uint64_t pieces = access_pieces(instruction);
  step.cost = pieces == 1 ? lane_cost(instruction, step.engine) : repeated(lane_cost(one_piece(instruction, pieces), step.engine), pieces);
  const bool activates =
      instruction.op == Opcode::Activation || instruction.op == Opcode::ActivationReduce || instruction.op == Opcode::Activate2;
  if (activates) step.function = instruction.function;
  if (activates && step.engine == EngineKind::Scalar) {
    step.table = static_cast<std::uint8_t>(table_of(instruction.function));
  }
}

EngineCost Planner::lane_cost(const Instruction& instruction, EngineKind engine) const {
  switch (engine) {
    case EngineKind::Vector: return vector_.cost(instruction);
    case EngineKind::Scalar: return scalar_.cost(instruction);
    default: return gpsimd_.cost(instruction);
  }
}

void Planner::plan_control(const Instruction& instruction, Step& step, const Access& access) {
  const auto rules = info(instruction.op).operands;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    const Operand& operand = instruction.operands[k];
    if (!operand.present()) continue;
    count_traffic(operand, rules[k].written, step);
    rules[k].written ? write(operand, access) : read(operand, access);
  }
  const SequencerTiming::Cost cost = sequencer_.cost(instruction);
  step.sequencer = true;
  step.control = cost.time;
  step.cost.interval = step.cost.latency = cost.cycles;
  step.cost.charge = cost.charge;
}

void Planner::plan_array(const Instruction& instruction, Step& step, const Access& access) {
  const bool transposes = instruction.op == Opcode::NcTranspose;
  const Operand& dst = instruction.operands[0];
  const Operand& stationary = instruction.operands[1];
  MatmulShape shape = matmul_shape(instruction);

  ArrayWork& work = step.work;
  work.region = array_region(instruction, config_->tensor);
  work.rows = static_cast<std::uint16_t>(shape.rows);
  work.columns = static_cast<std::uint16_t>(shape.stationary);
  work.moving = shape.moving;
  work.k_values = static_cast<std::uint8_t>(shape.double_row ? 2 : values_per_element(stationary.dtype));
  work.dtype = shape.dtype;
  work.accumulate = instruction.accumulate;
  work.transpose = shape.transpose;
  work.double_row = shape.double_row;
  work.onezero = shape.onezero && shape.dtype == DType::Fp32;

  const bool chosen_late = picked(instruction, transposes ? Role::Data : Role::Stationary);
  if (chosen_late) std::erase_if(loaded_, [&](const Loaded& l) { return (l.array_region & work.region) != 0; });
  if (chosen_late || !keep_loaded(region_of(stationary), work.region, stationary.dtype)) {
    work.load_cycles = static_cast<std::uint32_t>(pe_.load(shape).value);
    work.load_elements = static_cast<std::uint32_t>(stationary.columns() * stationary.partitions);
    step.sbuf_read += static_cast<std::uint32_t>(stationary.bytes());
  }
  Access load = access;
  load.for_load = true;
  read(stationary, load, chosen_late);
  if (instruction.op == Opcode::NcMatmulMx) read(instruction.operands[3], load), read(instruction.operands[4], access);
  if (!transposes) {
    read(instruction.operands[2], access, picked(instruction, Role::Moving));
    step.sbuf_read += static_cast<std::uint32_t>(instruction.operands[2].bytes()) * pe_.passes(shape);
  }
  if (instruction.extras) read_further(*instruction.extras, load, step);
  write(dst, access, picked(instruction, Role::Dst));
  count_traffic(dst, true, step);
  if (instruction.accumulate) step.psum_read += static_cast<std::uint32_t>(dst.bytes());
  step.elements = std::uint64_t{shape.moving} * shape.rows;
  const std::uint64_t pieces = access_pieces(instruction);
  shape.moving = static_cast<std::uint32_t>(ceil_div(shape.moving, pieces));
  step.cost.interval = pe_.interval(shape);
  step.cost.issue = step.cost.interval - pe_.streaming(shape);
  step.cost.latency = pe_.latency(shape);
  step.cost.floored = pe_.streaming(shape).value < config_->tensor.min_interval_cycles;
  if (pieces > 1) step.cost = repeated(step.cost, pieces);
}

bool Planner::keep_loaded(const Region& region, std::uint16_t array_region, DType dtype) {
  const auto held = std::find_if(loaded_.begin(), loaded_.end(), [&](const Loaded& l) {
    return l.array_region == array_region && l.dtype == dtype && l.region.lo == region.lo && l.region.hi == region.hi &&
           l.region.first_partition == region.first_partition && l.region.end_partition == region.end_partition &&
           l.region.partition_step == region.partition_step &&
           (l.region.pattern == region.pattern || (l.region.pattern && region.pattern && *l.region.pattern == *region.pattern));
  });
  if (held != loaded_.end()) return true;
  std::erase_if(loaded_, [&](const Loaded& l) { return (l.array_region & array_region) != 0; });
  loaded_.push_back({array_region, dtype, region});
  return false;
}

void Planner::forget_loaded(const Region& written) {
  std::erase_if(loaded_, [&](const Loaded& l) { return overlap(l.region, written); });
}

Actor Planner::ring_actor(EngineKind engine, std::uint8_t ring, std::uint32_t line) {
  const RingKey key{engine, ring == kDefaultRing ? std::uint8_t{0} : ring};
  const auto it = std::find(rings_.begin(), rings_.end(), key);
  if (it != rings_.end()) return static_cast<Actor>(kFirstRing + (it - rings_.begin()));
  if (rings_.size() == config_->dma.rings_per_engine) {
    throw ProgramError(fmt::format("{}the program uses more DMA rings than the {} that each DMA engine has", at_line(line),
                                   config_->dma.rings_per_engine));
  }
  rings_.push_back(key);
  return static_cast<Actor>(kFirstRing + rings_.size() - 1);
}

void Planner::fill_transfer(const Instruction& instruction, Transfer& transfer) const {
  const Operand& dst = instruction.operands[0];
  const Operand& src = instruction.operands[1];
  transfer.source_hbm = src.buffer == Buffer::Hbm;
  transfer.destination_hbm = dst.buffer == Buffer::Hbm;
  transfer.transpose = instruction.op == Opcode::DmaTranspose;
  transfer.element_bytes = static_cast<std::uint8_t>(element_bytes(src.dtype));
  transfer.line = instruction.line;
  // Rows are the partitions of the on-chip side; a transposing copy is cut by its destination.
  const Operand& rows = transfer.destination_hbm ? src : dst;
  const std::uint64_t moved = std::max(element_bytes(src.dtype), element_bytes(dst.dtype));
  transfer.rows = rows.partitions;
  transfer.row_bytes = rows.columns() * moved;
  if (rows.buffer != Buffer::Hbm) {
    transfer.first_partition = tiles_[rows.tensor].partition + rows.partition;
    transfer.partition_step = std::max<std::uint32_t>(1, rows.partition_step);
    transfer.chip_run = free_pattern(rows, 0).run / element_bytes(rows.dtype) * moved;
  } else {
    transfer.chip_run = transfer.row_bytes;
  }
  const auto stream = [&](const Operand& operand, TensorUse border) {
    ByteStream bytes = ByteStream::of_hbm(operand, layout_->base(core_, operand.tensor), moved);
    bytes.border = program_->info().tensors[operand.tensor].use == border;
    return bytes;
  };
  if (transfer.source_hbm) transfer.source = stream(src, TensorUse::Input);
  if (instruction.op == Opcode::DmaCompute && instruction.extras) {
    for (const auto& [role, operand] : instruction.extras->operands) {
      if (is_index(role)) continue;
      ++transfer.sources;
      if (operand.buffer == Buffer::Hbm) transfer.further_sources.push_back(stream(operand, TensorUse::Input));
    }
  }
  if (transfer.destination_hbm) transfer.destination = stream(dst, TensorUse::Output);
}

void Planner::plan_dma(const Instruction& instruction, Step& step, const Access&) {
  const DgeMode mode = dma_.resolve(instruction.dge);
  if (mode == DgeMode::Software && !software_descriptors_) {
    software_descriptors_ = true;
    sbuf_.reserve_top(config_->sbuf.swdge_reserve_bytes, instruction.line);
  }
  const Actor ring = ring_actor(step.engine, instruction.ring, instruction.line);
  Transfer* transfer = transfers_.acquire();
  fill_transfer(instruction, *transfer);
  transfer->mode = mode;
  transfer->source_line = step.source;
  transfer->ring = static_cast<std::uint8_t>(ring - kFirstRing);
  transfer->sequence = ++counts_[ring];
  if (instruction.op == Opcode::Sendrecv) {
    transfer->handshake = sequencer_.barrier();
    step.cost.charge = Charge::CoreBarrier;
  }
  if (transfer->sources > 1) step.cost.charge = Charge::DmaCompute;
  step.transfer = transfer;
  const Access access{ring, transfer->sequence, false};
  read(instruction.operands[1], access, picked(instruction, Role::Src));
  if (instruction.extras) read_further(*instruction.extras, access, step);
  write(instruction.operands[0], access, picked(instruction, Role::Dst));
  if (instruction.extras) write_further(*instruction.extras, access, step);
  count_traffic(instruction.operands[0], true, step);
  count_traffic(instruction.operands[1], false, step);
}

void Planner::add_explicit_waits(const Instruction& instruction, Step& step) {
  for (unsigned k = 0; k < instruction.after_count; ++k) {
    if (const auto wait = find_id(instruction.after[k])) {
      waits_.add(static_cast<Actor>(wait->actor), wait->count, static_cast<StallReason>(wait->reason), true);
    } else {
      step.forward_ids[step.forward_count++] = instruction.after[k];
    }
  }
  if (instruction.id == 0) return;
  if (instruction.id >= ids_.size()) ids_.resize(instruction.id + 1, Wait{0, 0, 0, 0});
  const bool dma = step.transfer != nullptr;
  const Actor actor = dma ? static_cast<Actor>(kFirstRing + step.transfer->ring) : actor_of(step.engine);
  ids_[instruction.id] =
      make_wait(actor, counts_[actor], static_cast<unsigned>(dma ? StallReason::WaitDma : StallReason::WaitEngine), true);
}

std::optional<Wait> Planner::find_id(std::uint64_t id) const {
  if (id >= ids_.size() || ids_[id].count == 0) return std::nullopt;
  return ids_[id];
}

void Planner::finish_waits(Step& step) {
  auto& observed = observed_[static_cast<std::size_t>(step.engine)];
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    const Wait& wait = waits_[i];
    if (wait.count <= observed[wait.actor]) continue;
    if (step.wait_count == Step::kMaxWaits) {
      throw ProgramError(
          fmt::format("{}an instruction depends on more than {} engines and DMA rings", at_line(step.line), Step::kMaxWaits));
    }
    step.waits[step.wait_count++] = wait;
  }
  for (unsigned i = 0; i < step.wait_count; ++i) {
    const Wait& wait = step.waits[i];
    observed[wait.actor] = std::max<std::uint64_t>(observed[wait.actor], wait.count);
  }
}

}  // namespace trnsim
