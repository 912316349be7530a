// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "unit/workload/kernel_walker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trnsim::test {

ChipConfig trn1_like() {
  ChipConfig c;
  c.name = "trn1";
  c.generation = "v2";
  c.chip.cores = 2;
  c.hbm.stacks = 2;
  c.hbm.gib_per_stack = 16;
  c.sbuf.kib_per_partition = 192;
  c.tensor.clock_ghz = 2.8;
  c.vector.clock_ghz = 1.12;
  c.scalar.clock_ghz = 1.4;
  c.scalar.tensor_ops = false;
  c.dma.engine_gb_per_s = 17;
  c.dma.hardware_mode.available = false;
  c.sequencer.vector_scalar_share_psum = true;
  return c;
}

ChipConfig trn2_like() {
  ChipConfig c;
  c.name = "trn2";
  c.tensor.fp8_rate = 2;
  c.tensor.transpose_mode = true;
  c.tensor.issue_overhead_cycles = 9;
  c.vector.issue_overhead_cycles = 68;
  c.vector.fast_mode_16bit = 4;
  c.vector.fast_mode_psum = 2;
  return c;
}

ChipConfig trn3_like() {
  ChipConfig c = trn2_like();
  c.name = "trn3";
  c.generation = "v4";
  c.sbuf.kib_per_partition = 256;
  c.hbm.gib_per_stack = 36;
  c.tensor.mxfp8_rate = 4;
  c.tensor.mxfp4_rate = 4;
  c.vector.clock_ghz = 1.2;
  c.vector.exponential = 0.25;
  c.dma.engine_gb_per_s = 33;
  return c;
}

ChipConfig with_sbuf(ChipConfig chip, double kib_per_partition) {
  chip.sbuf.kib_per_partition = kib_per_partition;
  return chip;
}

Walker::Walker(Program& program, const ChipConfig& chip, Numbers numbers) : program_(program), chip_(chip), numbers_(numbers) {
  const auto& tensors = program.info().tensors;
  for (TensorId id = 0; id < tensors.size(); ++id) {
    Store s;
    s.info = tensors[id];
    s.row_cells = bytes_of(tensors[id]) / element_bytes(tensors[id].dtype);
    if (numbers == Numbers::Compute) {
      s.cells.assign(s.row_cells, 1.0);
      s.written.assign(s.row_cells, tensors[id].use == TensorUse::Input ? 1 : 0);
    }
    hbm_.emplace(id, std::move(s));
  }
}

void Walker::problem(const std::string& text) {
  if (problems_.size() < 10) problems_.push_back(fmt::format("instruction {}: {}", instructions, text));
}

std::string Walker::report() const {
  std::string text;
  for (const std::string& p : problems_) text += p + '\n';
  return text;
}

void Walker::run() {
  while (const Record* r = program_.next()) record(*r);
  for (const auto& [id, s] : tiles_) problem("tile " + s.info.name + " is never released");
  for (const auto& [id, s] : hbm_) {
    if (s.info.use != TensorUse::Output) continue;
    const auto missing = std::count(s.written.begin(), s.written.end(), 0);
    if (missing > 0) problem(fmt::format("{} elements of {} are never stored", missing, s.info.name));
  }
  const std::uint64_t expected = program_.info().instructions;
  if (expected != 0 && expected != instructions) problem(fmt::format("{} instructions, announced {}", instructions, expected));
}

void Walker::record(const Record& r) {
  switch (r.kind) {
    case Record::Kind::Tile: declare(r); break;
    case Record::Kind::Release: release(r); break;
    case Record::Kind::Instruction: instruction(r.instruction); break;
  }
}

void Walker::declare(const Record& r) {
  if (hbm_.contains(r.tile) || tiles_.contains(r.tile)) return problem("tile number in use: " + r.tensor.name);
  Store s;
  s.info = r.tensor;
  s.row_cells = r.tensor.bytes_per_partition;
  if (numbers_ == Numbers::Compute) s.cells.assign(std::uint64_t{r.tensor.partitions} * s.row_cells, 0.0);
  s.written.assign(s.cells.size(), 0);
  const bool psum = r.tensor.buffer == Buffer::Psum;
  (psum ? psum_live_ : sbuf_live_) += r.tensor.bytes_per_partition;
  sbuf_peak = std::max(sbuf_peak, sbuf_live_);
  psum_peak = std::max(psum_peak, psum_live_);
  if (sbuf_live_ > chip_.sbuf_bytes_per_partition() || psum_live_ > chip_.psum_bytes_per_partition()) {
    problem(fmt::format("{} does not fit: sbuf {}, psum {}", r.tensor.name, sbuf_live_, psum_live_));
  }
  if (r.tensor.partitions < 1 || r.tensor.partitions > chip_.sbuf.partitions) problem("partitions of " + r.tensor.name);
  tiles_.emplace(r.tile, std::move(s));
  fresh_.push_back(r.tile);
}

void Walker::release(const Record& r) {
  const auto it = tiles_.find(r.tile);
  if (it == tiles_.end()) return problem(fmt::format("release of {}, which is not alive", r.tile));
  if (it->second.last_user != instructions) problem("not released right after its last use: " + it->second.info.name);
  (it->second.info.buffer == Buffer::Psum ? psum_live_ : sbuf_live_) -= it->second.info.bytes_per_partition;
  tiles_.erase(it);
}

Walker::Store* Walker::store_of(const Operand& o) {
  auto& set = o.buffer == Buffer::Hbm ? hbm_ : tiles_;
  const auto it = set.find(o.tensor);
  if (it == set.end() || it->second.info.buffer != o.buffer) {
    problem(fmt::format("operand {} is not alive in {}", o.tensor, name_of(o.buffer)));
    return nullptr;
  }
  it->second.last_user = instructions;
  return &it->second;
}

std::vector<std::uint64_t> Walker::cells(const Operand& o, const Store& s) {
  std::vector<std::uint64_t> columns{0};
  for (unsigned d = 0; d < o.rank; ++d) {
    std::vector<std::uint64_t> wider;
    for (const std::uint64_t base : columns) {
      for (std::uint32_t n = 0; n < o.free[d].count; ++n) wider.push_back(base + std::uint64_t{n} * o.free[d].stride);
    }
    columns = std::move(wider);
  }
  const std::uint64_t size = element_bytes(o.dtype);
  const bool hbm = o.buffer == Buffer::Hbm;
  std::vector<std::uint64_t> out;
  for (std::uint32_t r = 0; r < o.partitions; ++r) {
    for (const std::uint64_t c : columns) {
      const std::uint64_t byte = o.offset + c * size;
      const bool inside =
          hbm ? byte + r * o.row_stride + size <= s.row_cells * size : byte + size <= s.row_cells && o.partition + r < s.info.partitions;
      if (!inside) {
        problem(fmt::format("operand leaves {}: row {}, byte {}", s.info.name, r, byte));
        return {};
      }
      out.push_back(hbm ? (byte + r * o.row_stride) / size : (o.partition + r) * s.row_cells + byte);
    }
  }
  return out;
}

Walker::Matrix Walker::read(const Operand& o) {
  Matrix m{o.partitions, o.columns(), {}};
  Store* s = store_of(o);
  if (numbers_ == Numbers::Skip) return m;
  m.v.assign(m.rows * m.columns, 0.0);
  if (!s) return m;
  if (s->info.use == TensorUse::Output && o.buffer == Buffer::Hbm) problem("reads the output " + s->info.name);
  const auto at = cells(o, *s);
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (!s->written[at[i]] && !unwritten_allowed) {
      problem(fmt::format("reads an element of {} that nothing wrote", s->info.name));
      break;
    }
    m.v[i] = s->cells[at[i]];
  }
  return m;
}

void Walker::write(const Operand& o, const std::vector<double>& v) {
  Store* s = store_of(o);
  if (!s) return;
  if (o.buffer == Buffer::Hbm && s->info.use == TensorUse::Input) problem("writes the input " + s->info.name);
  if (numbers_ == Numbers::Skip) return;
  const auto at = cells(o, *s);
  if (v.size() != at.size()) return problem(fmt::format("{} elements into {} of {}", v.size(), at.size(), s->info.name));
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (o.buffer == Buffer::Hbm && s->written[at[i]]) return problem("stores an element twice: " + s->info.name);
    s->cells[at[i]] = v[i];
    s->written[at[i]] = 1;
  }
}

void Walker::check_engine(const Instruction& i) {
  const OpcodeInfo& op = info(i.op);
  if (!(op.engines_on(chip_.gen()) & (1U << static_cast<unsigned>(i.engine))))
    problem(fmt::format("{} on {} of {}", op.name, name_of(i.engine), chip_.generation));
  for (std::size_t k = 0; k < kMaxOperands; ++k) {
    const Operand& o = i.operands[k];
    if (k >= op.operands.size()) {
      if (o.present()) problem(fmt::format("{} has operand {}", op.name, k));
      continue;
    }
    if (op.operands[k].required && !o.present()) problem(fmt::format("{} lacks {}", op.name, name_of(op.operands[k].role)));
    if (!o.present()) continue;
    if (!(op.operands[k].buffers & (1U << static_cast<unsigned>(o.buffer)))) problem(fmt::format("{} in {}", op.name, name_of(o.buffer)));
    if (i.engine == EngineKind::GpSimd && o.buffer == Buffer::Psum) problem("GpSimd reaches into PSUM");
  }
}

void Walker::instruction(const Instruction& i) {
  ++instructions;
  ++count[fmt::format("{} {}", name_of(i.engine), info(i.op).name)];
  check_engine(i);
  switch (i.op) {
    case Opcode::DmaCopy: copy(i); break;
    case Opcode::NcMatmul:
    case Opcode::NcMatmulMx: matmul(i); break;
    default: element_wise(i); break;
  }
  for (const TensorId id : fresh_) {
    if (tiles_.contains(id) && tiles_.at(id).last_user != instructions) problem("declared before it is needed: " + tiles_.at(id).info.name);
  }
  fresh_.clear();
}

void Walker::copy(const Instruction& i) {
  ++copies;
  const Operand &dst = i.operands[0], &src = i.operands[1];
  if (src.buffer == Buffer::Hbm) {
    hbm_read_bytes += src.bytes();
    read_bytes[src.tensor] += src.bytes();
  }
  if (dst.buffer == Buffer::Hbm) hbm_write_bytes += dst.bytes();
  if (dst.dtype != src.dtype) problem("a copy that converts");
  write(dst, read(src).v);
}

void Walker::matmul(const Instruction& i) {
  const Operand &dst = i.operands[0], &stationary = i.operands[1], &moving = i.operands[2];
  const Matrix a = read(stationary), b = read(moving);
  const std::uint64_t halves = i.perf_mode == PerfMode::DoubleRow ? 2 : 1;
  const std::uint64_t m = a.columns / halves, n = b.columns / halves;
  if (a.rows != b.rows || dst.partitions != m || dst.columns() != n) return problem("matmul shapes do not agree");
  const std::uint64_t bank = chip_.psum.bank_bytes_per_partition;
  if (dst.offset / bank != (dst.offset + dst.row_bytes() - 1) / bank) problem("a matmul leaves its PSUM bank");
  if (m > 128 || n > 512 || a.rows > 128) problem("matmul larger than the array");
  if (i.op == Opcode::NcMatmulMx) {
    read(i.operands[3]);
    read(i.operands[4]);
  }
  if (!i.transpose) macs += a.rows * halves * m * n * values_per_element(stationary.dtype);
  if (numbers_ == Numbers::Skip) return write(dst, {});
  std::vector<double> sum = i.accumulate ? read(dst).v : std::vector<double>(m * n, 0.0);
  if (i.transpose) {  // the moving operand stands for the identity
    for (std::uint64_t r = 0; r < m; ++r) {
      for (std::uint64_t c = 0; c < n; ++c) sum[r * n + c] = a.v[c * a.columns + r];
    }
    return write(dst, sum);
  }
  for (std::uint64_t k = 0; k < a.rows * halves; ++k) {
    const std::uint64_t row = k % a.rows, half = k / a.rows;
    for (std::uint64_t r = 0; r < m; ++r) {
      const double x = a.v[row * a.columns + half * m + r];
      for (std::uint64_t c = 0; c < n; ++c) sum[r * n + c] += x * b.v[row * b.columns + half * n + c];
    }
  }
  write(dst, sum);
}

void Walker::element_wise(const Instruction& i) {
  const OpcodeInfo& op = info(i.op);
  std::vector<Matrix> inputs;
  std::uint32_t rows = i.operands[0].partitions;
  for (std::size_t k = 1; k < op.operands.size(); ++k) {
    const Operand& o = i.operands[k];
    if (!o.present() || op.operands[k].role == Role::ReduceRes) continue;
    if (o.partitions != rows) problem(fmt::format("{} mixes {} and {} partitions", op.name, rows, o.partitions));
    if (!op.operands[k].streamed() && o.columns() != 1) problem(fmt::format("{}: {} is not [P,1]", op.name, name_of(op.operands[k].role)));
    inputs.push_back(read(o));
  }
  const std::uint64_t columns = i.operands[0].columns();
  const bool reduces = i.op == Opcode::TensorReduce || i.op == Opcode::BnStats || i.op == Opcode::BnAggr;
  std::vector<double> out(numbers_ == Numbers::Skip ? 0 : rows * columns, 1.0);
  for (std::uint64_t e = 0; e < out.size() && !inputs.empty() && !reduces; ++e) {
    if (inputs[0].v.size() != out.size()) {
      problem(fmt::format("{}: {} elements in, {} out", op.name, inputs[0].v.size(), out.size()));
      break;
    }
    out[e] = inputs[0].v[e];
    if (i.op != Opcode::TensorTensor) continue;
    if (i.alu0 == AluOp::Add) out[e] += inputs[1].v.at(e);
    if (i.alu0 == AluOp::Subtract) out[e] -= inputs[1].v.at(e);
    if (i.alu0 == AluOp::Multiply) out[e] *= inputs[1].v.at(e);
  }
  write(i.operands[0], out);
  for (std::size_t k = 1; k < op.operands.size(); ++k) {
    if (op.operands[k].role == Role::ReduceRes && i.operands[k].present()) write(i.operands[k], std::vector<double>(rows, 1.0));
  }
}

}  // namespace trnsim::test
