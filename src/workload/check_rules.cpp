// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/check_rules.hpp"

namespace trnsim {
namespace {

template <class... T>
constexpr std::uint64_t set(T... members) {
  return ((std::uint64_t{1} << static_cast<unsigned>(members)) | ...);
}
template <class... T>
constexpr std::uint32_t types(T... members) {
  return static_cast<std::uint32_t>(set(members...));
}

constexpr std::uint32_t kAny = ~std::uint32_t{0};
constexpr std::uint8_t kAllEngines = 0x1f, kAllGenerations = 7;
constexpr auto kGpSimd = static_cast<std::uint8_t>(set(EngineKind::GpSimd));
constexpr auto kScalar = static_cast<std::uint8_t>(set(EngineKind::Scalar));
constexpr auto kV3 = static_cast<std::uint8_t>(set(Generation::V3));

// Sizes, types and operations: Neuron SDK 2.26 to 2.33 `nki.isa` reference.
constexpr SizeRule kSizes[]{
    {Opcode::BnStats, Role::Dst, 6, 6},
    {Opcode::BnStats, Role::Data, 1, 512},
    {Opcode::BnAggr, Role::Dst, 2, 2},
    {Opcode::BnAggr, Role::Data, 3, kAny, 3},
    {Opcode::Max8, Role::Data, 8, 16384},
    {Opcode::NcFindIndex8, Role::Data, 8, 16384},
    {Opcode::NcMatchReplace8, Role::Data, 1, 16384},
    {Opcode::QuantizeMx, Role::Data, 4, kAny, 4, kAny, 32},
    {Opcode::SetRngSeed, Role::Data, 1, 1, 1, 1},
    {Opcode::RandSetState, Role::Data, 1, 24},
    {Opcode::RandGetState, Role::Dst, 1, 24},
    {Opcode::TensorPartitionReduce, Role::Dst, 1, kAny, 1, 1},
    {Opcode::LocalGather, Role::Data, 1, kAny, 1, kAny, 16},
    {Opcode::SequenceBounds, Role::Data, 1, kAny, 1, 1},
    {Opcode::Topk, Role::Data, 1, 4095, 1, kAny, 16},
};

constexpr TypeRule kTypes[]{
    {Opcode::NcFindIndex8, Role::Dst, types(DType::Uint16, DType::Uint32)},
    {Opcode::QuantizeMx, Role::Data, types(DType::Bf16, DType::Fp16)},
    {Opcode::LocalGather, Role::Data2, types(DType::Uint16)},
    {Opcode::NcNGather, Role::Data2, types(DType::Uint32)},
    {Opcode::SequenceBounds, Role::Data, types(DType::Fp32, DType::Int32)},
    {Opcode::NonzeroWithCount, Role::Data, types(DType::Fp32, DType::Int32)},
    {Opcode::NonzeroWithCount, Role::Dst, types(DType::Int32)},
    {Opcode::Topk, Role::Data, types(DType::Bf16)},
    {Opcode::Topk, Role::DstIndex, types(DType::Uint32)},
    {Opcode::TensorScalarCumulative, Role::Data,
     types(DType::Bf16, DType::Fp16, DType::Fp32, DType::Fp8E4M3, DType::Fp8E5M2, DType::Int16, DType::Uint16, DType::Int8, DType::Uint8)},
};

constexpr std::uint64_t kBits =
    set(AluOp::BitwiseAnd, AluOp::BitwiseOr, AluOp::BitwiseXor, AluOp::BitwiseNot, AluOp::LeftShift, AluOp::RightShift);
constexpr std::uint64_t kArithmetic = ~kBits;

constexpr OperationRule kOperations[]{
    {Opcode::TensorScalar, kScalar, kV3, true, true, set(AluOp::Multiply, AluOp::Add)},
    {Opcode::TensorTensor, kAllEngines & ~kGpSimd, kAllGenerations, true, false, ~set(AluOp::Power)},
    {Opcode::ScalarTensorTensor, kAllEngines, kAllGenerations, true, true, kArithmetic},
    {Opcode::TensorTensorScan, kAllEngines, kAllGenerations, true, true, kArithmetic},
    {Opcode::TensorScalarReduce, kAllEngines, kAllGenerations, true, false, kArithmetic},
    {Opcode::TensorScalarReduce, kAllEngines, kAllGenerations, false, true, set(AluOp::Add, AluOp::Multiply, AluOp::Max, AluOp::Min)},
    {Opcode::TensorScalarCumulative, kAllEngines, kAllGenerations, false, true,
     set(AluOp::Add, AluOp::Subtract, AluOp::Multiply, AluOp::Max, AluOp::Min)},
    {Opcode::TensorPartitionReduce, kAllEngines, kAllGenerations, true, false,
     set(AluOp::Add, AluOp::Average, AluOp::Max, AluOp::BitwiseOr, AluOp::BitwiseAnd, AluOp::BitwiseXor)},
    {Opcode::DmaCompute, kAllEngines, kAllGenerations, true, false, set(AluOp::Add)},
    {Opcode::SelectReduce, kAllEngines, kAllGenerations, true, false, set(AluOp::Max)},
};

}  // namespace

std::span<const SizeRule> size_rules() { return kSizes; }
std::span<const TypeRule> type_rules() { return kTypes; }
std::span<const OperationRule> operation_rules() { return kOperations; }

}  // namespace trnsim
