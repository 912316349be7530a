// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/cost_rules.hpp"

#include <array>

namespace trnsim {
namespace {

bool fast_contiguous(const Use& u) { return u.short_types && u.psum_sides == 0 && u.contiguous; }
bool fast_strided(const Use& u) { return u.short_types && u.psum_sides == 0; }
bool wide(const Use& u) { return u.psum_sides == 0; }
bool fast_psum(const Use& u) { return u.short_types && u.psum_sides == 1 && u.contiguous; }
constexpr bool (*otherwise)(const Use&) = nullptr;

/// One input per memory port.
bool psum_input(const Use& u) { return u.psum_input; }
/// NeuronCore-v2 has its 16-bit rate for three operations on dense BF16, later ones for any.
bool short_pair(const Use& u) {
  if (u.generation != Generation::V2) return u.short_types;
  const AluOp op = u.instruction->alu0;
  return u.all_bf16 && u.contiguous && (op == AluOp::Add || op == AluOp::Subtract || op == AluOp::Multiply);
}
bool subtract_multiply(const Use& u) {
  const Instruction& i = *u.instruction;
  const bool bf16 = i.operands[1].dtype == DType::Bf16 && i.operands[2].dtype == DType::Bf16;
  return bf16 && i.alu0 == AluOp::Subtract && i.alu1 == AluOp::Multiply && u.columns % 2 == 0;
}
bool short_sum(const Use& u) { return u.short_types && (u.instruction->alu0 == AluOp::Add || u.instruction->alu0 == AluOp::Max); }
/// Elements that stay are not fetched: a number goes where the predicate says.
bool widening(const Use& u) {
  return u.psum_sides == 0 && element_bytes(u.instruction->operands[1].dtype) == 2 && element_bytes(u.instruction->operands[0].dtype) == 4;
}
bool silu(const Use& u) { return u.instruction->function == ActFn::Silu; }
bool in_place(const Use& u) { return u.instruction->operands[0] == u.instruction->operands[1]; }
bool short_types(const Use& u) { return u.short_types; }
bool power(const Use& u) { return u.instruction->alu0 == AluOp::Power; }
bool root(const Use& u) { return u.instruction->alu0 == AluOp::Rsqrt; }

// Sorted by instruction. Sources: nki.isa pages of Neuron SDK 2.21 to 2.33, architecture guides; the numbers have theirs in the presets.
constexpr CostRule kVector[]{
    {Opcode::TensorCopy, fast_contiguous, Charge::VectorFast16, Formula::Stream, true},
    {Opcode::TensorCopy, fast_strided, Charge::VectorStrided, Formula::Stream, true},
    {Opcode::TensorCopy, widening, Charge::VectorWidening, Formula::Stream, true},
    {Opcode::TensorCopy, wide, Charge::VectorOther, Formula::Stream, true},
    {Opcode::TensorCopy, fast_psum, Charge::VectorPsum, Formula::Stream, true},
    {Opcode::TensorScalar, fast_contiguous, Charge::VectorFast16, Formula::Stream, true},
    {Opcode::TensorScalar, fast_strided, Charge::VectorStrided, Formula::Stream, true},
    {Opcode::TensorScalar, wide, Charge::VectorOther, Formula::Stream, true},
    {Opcode::TensorScalar, fast_psum, Charge::VectorPsum, Formula::Stream, true},
    {Opcode::TensorTensor, psum_input, Charge::None},
    {Opcode::TensorTensor, short_pair, Charge::VectorTwoInput16},
    {Opcode::TensorTensor, otherwise, Charge::VectorTwoInput},
    {Opcode::ScalarTensorTensor, subtract_multiply, Charge::None},
    {Opcode::ScalarTensorTensor, psum_input, Charge::None},
    {Opcode::ScalarTensorTensor, otherwise, Charge::VectorTwoInput},
    {Opcode::TensorTensorScan, otherwise, Charge::VectorScan},
    {Opcode::TensorReduce, short_sum, Charge::VectorReduce16},
    {Opcode::Reciprocal, otherwise, Charge::VectorReciprocal},
    {Opcode::Exponential, otherwise, Charge::VectorExponential},
    {Opcode::Memset, short_types, Charge::VectorMemset16},
    {Opcode::Memset, otherwise, Charge::VectorMemsetOther},
    {Opcode::BnAggr, otherwise, Charge::VectorBnAggr, Formula::Triples},
    {Opcode::TensorCopyPredicated, psum_input, Charge::None},
    {Opcode::TensorCopyPredicated, in_place, Charge::None},
    {Opcode::TensorCopyPredicated, otherwise, Charge::VectorTwoInput},
    {Opcode::SelectReduce, psum_input, Charge::None},
    {Opcode::SelectReduce, otherwise, Charge::VectorTwoInput},
    {Opcode::QuantizeMx, otherwise, Charge::VectorQuantizeMx},
    {Opcode::Rand2, otherwise, Charge::VectorRand2},
    {Opcode::RandGetState, otherwise, Charge::VectorRandState, Formula::Fixed},
    {Opcode::RandSetState, otherwise, Charge::VectorRandState, Formula::Fixed},
};

constexpr CostRule kScalar[]{
    {Opcode::Activation, silu, Charge::ScalarSilu},
    {Opcode::ActivationReduce, silu, Charge::ScalarSilu},
    {Opcode::TensorCopy, short_types, Charge::ScalarFast16, Formula::Stream, true},
    {Opcode::TensorScalar, short_types, Charge::ScalarFast16, Formula::Stream, true},
};

constexpr CostRule kGpSimd[]{
    {Opcode::Activation, otherwise, Charge::GpSimdActivation},
    {Opcode::TensorCopy, otherwise, Charge::GpSimdElementwise, Formula::Overlapped},
    {Opcode::TensorScalar, root, Charge::GpSimdTranscendental},
    {Opcode::TensorScalar, otherwise, Charge::GpSimdElementwise},
    {Opcode::TensorTensor, power, Charge::GpSimdPower},
    {Opcode::TensorTensor, otherwise, Charge::GpSimdTwoInput},
    {Opcode::Memset, otherwise, Charge::GpSimdElementwise},
    {Opcode::Iota, otherwise, Charge::GpSimdElementwise},
    {Opcode::AffineSelect, otherwise, Charge::GpSimdElementwise},
    {Opcode::Activate2, otherwise, Charge::GpSimdActivation},
    {Opcode::Rng, otherwise, Charge::GpSimdRng},
    {Opcode::RandGetState, otherwise, Charge::GpSimdRandState, Formula::Fixed},
    {Opcode::RandSetState, otherwise, Charge::GpSimdRandState, Formula::Fixed},
    {Opcode::TensorPartitionReduce, otherwise, Charge::GpSimdPartitionReduce, Formula::TwiceStarted},
    {Opcode::NcNGather, otherwise, Charge::GpSimdGather, Formula::Chunked},
    {Opcode::LocalGather, otherwise, Charge::GpSimdLocalGather, Formula::LocalGather},
    {Opcode::NonzeroWithCount, otherwise, Charge::GpSimdNonzero},
    {Opcode::SequenceBounds, otherwise, Charge::GpSimdSequenceBounds},
    {Opcode::Topk, otherwise, Charge::GpSimdTopk, Formula::SixteenLanes},
    {Opcode::BuiltinCustomOp, otherwise, Charge::GpSimdCustomOp},
    {Opcode::Sendrecv, otherwise, Charge::GpSimdDma, Formula::Volume},
};

struct Slice {
  std::uint8_t first = 0, count = 0;
};
using Index = std::array<Slice, kOpcodeCount>;

template <std::size_t N>
constexpr Index index_of(const CostRule (&rules)[N]) {
  Index index{};
  for (std::size_t i = 0; i < N; ++i) {
    Slice& slice = index[static_cast<std::size_t>(rules[i].op)];
    if (slice.count++ == 0) slice.first = static_cast<std::uint8_t>(i);
  }
  return index;
}

constexpr Index kVectorIndex = index_of(kVector), kScalarIndex = index_of(kScalar), kGpSimdIndex = index_of(kGpSimd);

}  // namespace

std::span<const CostRule> cost_rules(EngineKind engine, Opcode op) {
  const auto slice = [op](const CostRule* rules, const Index& index) {
    const Slice s = index[static_cast<std::size_t>(op)];
    return std::span<const CostRule>(rules + s.first, s.count);
  };
  switch (engine) {
    case EngineKind::Vector: return slice(kVector, kVectorIndex);
    case EngineKind::Scalar: return slice(kScalar, kScalarIndex);
    case EngineKind::GpSimd: return slice(kGpSimd, kGpSimdIndex);
    default: return {};
  }
}

}  // namespace trnsim
