// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>
#include <bit>

#include "trnsim/trace.hpp"
#include "trnsim/workload.hpp"

namespace trnsim {
namespace {

// Two lanes of multiply and rotate (odd constants with well mixed bits), folded into one at the end.
constexpr std::uint64_t kA = 0x9e3779b185ebca87ULL;
constexpr std::uint64_t kB = 0xc2b2ae3d27d4eb4fULL;
constexpr std::uint64_t kC = 0x165667b19e3779f9ULL;

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 33;
  x *= kB;
  x ^= x >> 29;
  x *= kC;
  return x ^ (x >> 32);
}

enum Tag : std::uint64_t { kTensor = 1, kTile, kRelease, kInstruction, kExtras };

template <class... Small>
std::uint64_t packed(Small... parts) {
  std::uint64_t word = 0;
  ((word = word << 8 | static_cast<std::uint8_t>(parts)), ...);
  return word;
}

}  // namespace

ProgramHasher::ProgramHasher(const ProgramInfo& info) : low_(kA), high_(kC) {
  for (const TensorInfo& t : info.tensors) {
    word(kTensor);
    tensor(t);
    ordinal_.push_back(++tiles_);
  }
  hbm_tensors_ = tiles_;
  word(info.macs);
  word(info.flops);
  word(packed(info.order, info.dtype, info.double_row));
}

void ProgramHasher::word(std::uint64_t value) {
  low_ = std::rotl(low_ ^ value * kB, 27) * kA + kC;
  high_ = std::rotl(high_ + value, 31) * kB ^ low_;
  ++words_;
}

void ProgramHasher::tensor(const TensorInfo& info) {
  word(packed(info.buffer, info.dtype, info.use));
  if (info.buffer == Buffer::Hbm) {
    word(info.shape.size());
    for (const std::uint64_t extent : info.shape) word(extent);
  } else {
    word(std::uint64_t{info.partition} << 48 | std::uint64_t{info.partitions} << 32 | info.bytes_per_partition);
    word(static_cast<std::uint64_t>(info.address));
  }
}

void ProgramHasher::operand(const Operand& o) {
  if (!o.present()) return word(0);
  word(o.tensor < ordinal_.size() ? ordinal_[o.tensor] : 0);
  const auto step = static_cast<std::uint16_t>(o.partition_step - 1);  // nothing for neighbours
  word(std::uint64_t{step} << 40 | packed(o.buffer, o.dtype, o.rank) << 16 | o.partition);
  word(o.partitions);
  word(o.offset);
  word(static_cast<std::uint64_t>(o.row_stride));
  for (unsigned i = 0; i < o.rank; ++i) word(std::uint64_t{static_cast<std::uint32_t>(o.free[i].stride)} << 32 | o.free[i].count);
}

void ProgramHasher::instruction(const Instruction& i) {
  word(packed(kInstruction, i.op, i.engine, i.function, i.alu0, i.alu1, i.perf_mode, i.dge));
  word(packed(i.accumulate, i.transpose, i.onezero, i.reduce, i.dynamic_address, i.ring, i.after_count));
  word(packed(i.tile_row, i.tile_col, i.tile_rows, i.tile_cols));
  word(i.id);
  for (unsigned k = 0; k < i.after_count; ++k) word(i.after[k]);
  const auto rules = info(i.op).operands;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (i.operands[k].present() || !rules[k].later) operand(i.operands[k]);
  }
  if (i.extras) extras(*i.extras);
}

void ProgramHasher::extras(const InstructionExtras& e) {
  word(kExtras);
  word(e.operands.size());
  for (const auto& [role, o] : e.operands) {
    word(static_cast<std::uint64_t>(role));
    operand(o);
  }
  word(e.chunks);
  for (const auto& value : {e.send_to, e.recv_from, e.pipe}) word(value ? std::uint64_t{*value} + 1 : 0);
  list(e.cores);
  word(e.groups.size());
  for (const auto& group : e.groups) list(group);
  word(e.pairs.size());
  for (const auto& [from, to] : e.pairs) word(std::uint64_t{from} << 32 | to);
}

void ProgramHasher::list(const std::vector<std::uint32_t>& values) {
  word(values.size());
  for (const std::uint32_t value : values) word(value);
}

void ProgramHasher::add(const Record& record) {
  switch (record.kind) {
    case Record::Kind::Tile:
      word(kTile);
      tensor(record.tensor);
      if (record.tile >= ordinal_.size()) ordinal_.resize(record.tile + std::size_t{1});
      ordinal_[record.tile] = ++tiles_;
      break;
    case Record::Kind::Release:
      word(kRelease);
      if (record.tile < ordinal_.size()) {
        word(ordinal_[record.tile]);
        ordinal_[record.tile] = 0;
      }
      break;
    case Record::Kind::Instruction: instruction(record.instruction); break;
  }
}

std::string ProgramHasher::digits() const {
  ProgramHasher end = *this;
  // Tiles without a release live to the end, as if released there in the order of declaration.
  std::vector<std::uint64_t> alive;
  for (const std::uint64_t n : ordinal_) {
    if (n > hbm_tensors_) alive.push_back(n);
  }
  std::sort(alive.begin(), alive.end());
  for (const std::uint64_t n : alive) {
    end.word(kRelease);
    end.word(n);
  }
  const std::uint64_t hash = mixed(end.low_ ^ mixed(end.high_ + end.words_));
  std::string digits(16, '0');
  for (unsigned i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
  return digits;
}

std::string program_hash(Program& program) {
  ProgramHasher hasher(program.info());
  while (const Record* record = program.next()) hasher.add(*record);
  return hasher.digits();
}

}  // namespace trnsim
