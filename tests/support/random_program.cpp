// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "support/random_program.hpp"

#include <algorithm>
#include <ostream>

namespace trnsim::test {
namespace {

constexpr std::uint32_t kPartitions = 128, kColumns = 512;
constexpr std::uint32_t kSbufBytes = 2 * kColumns, kPsumBytes = 4 * kColumns;
constexpr std::size_t kSbufTiles = 6, kPsumTiles = 4;

/// Builds the program move by move; keeps at least one tile of each memory alive.
class Interpreter {
 public:
  explicit Interpreter(const Shaping& shaping) : shaping_(&shaping) {
    input_ = builder_.hbm("input", {kPartitions, kColumns}, DType::Bf16, TensorUse::Input);
    scratch_ = builder_.hbm("scratch", {kPartitions, kColumns}, DType::Bf16, TensorUse::Internal);
    for (std::size_t i = 0; i < kSbufTiles; ++i) sbuf_.push_back(builder_.sbuf(kPartitions, kSbufBytes));
    for (std::size_t i = 0; i < kPsumTiles; ++i) psum_.push_back(builder_.psum(kPartitions, kPsumBytes));
  }

  void play(const Move& m) {
    switch (m.kind % kMoveKinds) {
      case 0:
      case 1: return load(m);
      case 2: return store(m);
      case 3:
      case 4: return matmul(m);
      case 5: return evict(m);
      case 6: return vector(m);
      case 7: return scalar(m);
      case 8: return gpsimd(m);
      case 9: return transpose(m);
      case 10: return copy_hbm(m);
      case 11: return strided(m);
      case 12: return array_tile(m);
      case 13: return transpose_copy(m);
      case 14: return software_load(m);
      default: return renew(m);
    }
  }

  std::unique_ptr<ListProgram> take() {
    std::unique_ptr<ListProgram> program = builder_.take();
    link(*program);
    return program;
  }

 private:
  static std::uint32_t rows(const Move& m) { return 1 + m.rows % kPartitions; }
  static std::uint32_t columns(const Move& m) { return 1 + m.columns % kColumns; }
  static TensorId pick(const std::vector<TensorId>& tiles, std::uint16_t which) { return tiles[which % tiles.size()]; }
  TensorId sbuf(std::uint16_t which) const { return pick(sbuf_, which); }
  TensorId psum(std::uint16_t which) const { return pick(psum_, which); }
  static Operand in_sbuf(TensorId id, std::uint32_t rows, std::uint32_t columns) {
    return ProgramBuilder::on_chip(id, Buffer::Sbuf, rows, columns);
  }
  static Operand in_psum(TensorId id, std::uint32_t rows, std::uint32_t columns) {
    return ProgramBuilder::on_chip(id, Buffer::Psum, rows, columns, DType::Fp32);
  }
  static Operand in_hbm(TensorId id, std::uint32_t rows, std::uint32_t columns) {
    return ProgramBuilder::in_hbm(id, rows, columns, 2 * kColumns);
  }

  void dma(const Move& m, const Operand& dst, const Operand& src) {
    const bool scalar = m.flavour % 4 == 3 && !shaping_->one_ring;
    Instruction& i = builder_.add(Opcode::DmaCopy, scalar ? EngineKind::Scalar : EngineKind::Sync, {dst, src});
    i.ring = shaping_->one_ring ? 0 : static_cast<std::uint8_t>(m.flavour % 2);
  }
  void load(const Move& m) {
    const TensorId from = m.flavour % 8 == 7 ? scratch_ : input_;
    dma(m, in_sbuf(sbuf(m.a), rows(m), columns(m)), in_hbm(from, rows(m), columns(m)));
  }
  void store(const Move& m) { dma(m, in_hbm(scratch_, rows(m), columns(m)), in_sbuf(sbuf(m.a), rows(m), columns(m))); }
  void copy_hbm(const Move& m) { dma(m, in_hbm(scratch_, rows(m), columns(m)), in_hbm(input_, rows(m), columns(m))); }

  void matmul(const Move& m) {
    builder_.matmul(psum(m.a), sbuf(m.b), sbuf(m.c), rows(m), 1 + m.width % kPartitions, columns(m), DType::Bf16, m.flavour % 2 == 1);
  }
  void transpose(const Move& m) {
    const std::uint32_t k = rows(m), n = 1 + m.width % kPartitions;
    builder_.add(Opcode::NcTranspose, EngineKind::Tensor,
                 {ProgramBuilder::on_chip(psum(m.a), Buffer::Psum, n, k), in_sbuf(sbuf(m.b), k, n)});
  }
  void evict(const Move& m) {
    builder_.add(Opcode::TensorCopy, EngineKind::Vector,
                 {in_sbuf(sbuf(m.a), rows(m), columns(m)), in_psum(psum(m.b), rows(m), columns(m))});
  }
  void vector(const Move& m) {
    const Operand dst = in_sbuf(sbuf(m.a), rows(m), columns(m)), data = in_sbuf(sbuf(m.b), rows(m), columns(m));
    switch (m.flavour % 5) {
      case 0: builder_.add(Opcode::TensorTensor, EngineKind::Vector, {dst, data, in_sbuf(sbuf(m.c), rows(m), columns(m))}); return;
      case 1: builder_.add(Opcode::TensorScalar, EngineKind::Vector, {dst, data}).alu0 = AluOp::Multiply; return;
      case 2: builder_.add(Opcode::TensorReduce, EngineKind::Vector, {in_sbuf(sbuf(m.a), rows(m), 1), data}).alu0 = AluOp::Max; return;
      case 3: builder_.add(Opcode::Memset, EngineKind::Vector, {dst}); return;
      default: builder_.add(Opcode::Reciprocal, EngineKind::Vector, {dst, data}); return;
    }
  }
  void scalar(const Move& m) {
    const Operand source = m.flavour % 2 == 0 ? in_psum(psum(m.b), rows(m), columns(m)) : in_sbuf(sbuf(m.b), rows(m), columns(m));
    Instruction& i = builder_.add(Opcode::Activation, EngineKind::Scalar, {in_sbuf(sbuf(m.a), rows(m), columns(m)), source});
    i.function = static_cast<ActFn>(m.flavour % kActFnCount);
  }
  void gpsimd(const Move& m) {
    const Operand dst = in_sbuf(sbuf(m.a), rows(m), columns(m)), data = in_sbuf(sbuf(m.b), rows(m), columns(m));
    if (m.flavour % 2 == 0) {
      builder_.add(Opcode::TensorTensor, EngineKind::GpSimd, {dst, data, in_sbuf(sbuf(m.c), rows(m), columns(m))});
    } else {
      builder_.add(Opcode::Iota, EngineKind::GpSimd, {dst});
    }
  }
  /// Every second column of one tile into a part of the partitions of another.
  void strided(const Move& m) {
    const std::uint32_t n = 1 + m.columns % (kColumns / 2), start = 32 * (m.width % 4), count = 1 + m.rows % 32;
    Operand data = in_sbuf(sbuf(m.b), count, n), dst = in_sbuf(sbuf(m.a), count, n);
    data.free[0].stride = 2;
    data.partition = dst.partition = static_cast<std::uint16_t>(start);
    dst.offset = 2 * (kColumns - n);
    builder_.add(Opcode::TensorCopy, m.flavour % 2 == 0 ? EngineKind::Vector : EngineKind::GpSimd, {dst, data});
  }
  void array_tile(const Move& m) {
    constexpr std::uint8_t kSide = 64;  // the smallest that every generation has
    Instruction& i = builder_.matmul(psum(m.a), sbuf(m.b), sbuf(m.c), 1 + m.rows % kSide, 1 + m.width % kSide, columns(m));
    i.tile_rows = i.tile_cols = kSide;
    i.tile_row = m.flavour % 2 == 0 ? 0 : kSide;
    i.tile_col = m.flavour / 2 % 2 == 0 ? 0 : kSide;
  }
  void transpose_copy(const Move& m) {
    const std::uint32_t r = rows(m), n = 1 + m.width % kPartitions;
    builder_.add(Opcode::DmaTranspose, EngineKind::Sync, {in_sbuf(sbuf(m.a), n, r), in_hbm(input_, r, n)});
  }
  void software_load(const Move& m) {
    if (shaping_->one_ring) return load(m);
    builder_.add(Opcode::DmaCopy, EngineKind::GpSimd, {in_sbuf(sbuf(m.a), rows(m), columns(m)), in_hbm(input_, rows(m), columns(m))}).dge =
        DgeMode::Software;
  }
  void renew(const Move& m) {
    std::vector<TensorId>& tiles = m.flavour % 2 == 0 ? sbuf_ : psum_;
    TensorId& old = tiles[m.a % tiles.size()];
    builder_.release(old);
    old = m.flavour % 2 == 0 ? builder_.sbuf(kPartitions, kSbufBytes) : builder_.psum(kPartitions, kPsumBytes);
  }

  void link(ListProgram& program) const {
    std::vector<Instruction*> all;
    for (Record& record : program.records) {
      if (record.kind == Record::Kind::Instruction) all.push_back(&record.instruction);
    }
    for (std::size_t i = 0; i < all.size(); ++i) all[i]->id = i + 1;
    for (std::size_t i = 1; shaping_->chained && i < all.size(); ++i) wait(*all[i], i);
    for (std::size_t e = 0; all.size() > 1 && e + 1 < shaping_->edges.size(); e += 2) {
      const std::size_t to = 1 + shaping_->edges[e] % (all.size() - 1);
      wait(*all[to], 1 + shaping_->edges[e + 1] % to);
    }
  }
  static void wait(Instruction& instruction, std::uint64_t id) {
    if (instruction.after_count < instruction.after.size()) instruction.after[instruction.after_count++] = id;
  }

  const Shaping* shaping_;
  ProgramBuilder builder_;
  TensorId input_ = 0, scratch_ = 0;
  std::vector<TensorId> sbuf_, psum_;
};

}  // namespace

std::unique_ptr<ListProgram> make_program(const Moves& moves, const Shaping& shaping) {
  Interpreter interpreter(shaping);
  for (const Move& move : moves) interpreter.play(move);
  return interpreter.take();
}

Workload make_workload(const Moves& moves, const Shaping& shaping) {
  Workload work;
  work.name = "random";
  work.programs.push_back(make_program(moves, shaping));
  return work;
}

rc::Gen<Moves> moves_gen(std::size_t most) {
  const auto small = rc::gen::inRange<std::uint16_t>(0, 8);
  const auto sizes = rc::gen::inRange<std::uint16_t>(0, 512);
  const auto move = rc::gen::build<Move>(
      rc::gen::set(&Move::kind, rc::gen::inRange<std::uint8_t>(0, kMoveKinds)), rc::gen::set(&Move::a, small),
      rc::gen::set(&Move::b, small), rc::gen::set(&Move::c, small), rc::gen::set(&Move::rows, sizes), rc::gen::set(&Move::columns, sizes),
      rc::gen::set(&Move::width, sizes), rc::gen::set(&Move::flavour, rc::gen::inRange<std::uint8_t>(0, 24)));
  return rc::gen::mapcat(rc::gen::inRange<std::size_t>(1, most + 1), [move](std::size_t n) { return rc::gen::container<Moves>(n, move); });
}

std::ostream& operator<<(std::ostream& out, const Move& m) {
  return out << "{" << int{m.kind} << "," << m.a << "," << m.b << "," << m.c << "," << m.rows << "," << m.columns << "," << m.width << ","
             << int{m.flavour} << "}";
}

}  // namespace trnsim::test
