// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/isa/opcode.hpp"

namespace trnsim {
namespace {

constexpr std::uint8_t kH = 1U << static_cast<unsigned>(Buffer::Hbm);
constexpr std::uint8_t kS = 1U << static_cast<unsigned>(Buffer::Sbuf);
constexpr std::uint8_t kP = 1U << static_cast<unsigned>(Buffer::Psum);
constexpr std::uint8_t kSP = kS | kP;

constexpr std::uint8_t bit(EngineKind e) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(e)); }
constexpr std::uint8_t kPe = bit(EngineKind::Tensor);
constexpr std::uint8_t kDve = bit(EngineKind::Vector);
constexpr std::uint8_t kAct = bit(EngineKind::Scalar);
constexpr std::uint8_t kPool = bit(EngineKind::GpSimd);
constexpr std::uint8_t kAny = 0x1f;

constexpr OperandRule dst(std::uint8_t buffers, Form form = Form::Same) { return {Role::Dst, true, buffers, form, true}; }
constexpr OperandRule in(Role role, std::uint8_t buffers, Form form = Form::Same) { return {role, true, buffers, form, false}; }
constexpr OperandRule out(Role role, std::uint8_t buffers, Form form) { return {role, true, buffers, form, true}; }
constexpr OperandRule maybe(OperandRule rule, bool later = false) {
  return {rule.role, false, rule.buffers, rule.form, rule.written, later};
}
constexpr OperandRule column(Role role) { return maybe(in(role, kSP, Form::Column)); }
constexpr OperandRule kReduceRes = maybe(out(Role::ReduceRes, kSP, Form::Column));

constexpr OperandRule kMatmul[]{dst(kP), in(Role::Stationary, kS), in(Role::Moving, kS)};
constexpr OperandRule kMatmulMx[]{dst(kP), in(Role::Stationary, kS), in(Role::Moving, kS), in(Role::StationaryScale, kS),
                                  in(Role::MovingScale, kS)};
constexpr OperandRule kUnary[]{dst(kSP), in(Role::Data, kSP)};
constexpr OperandRule kTranspose[]{dst(kSP, Form::Free), in(Role::Data, kSP, Form::Free)};
constexpr OperandRule kReduce[]{dst(kSP), in(Role::Data, kSP, Form::Input)};
constexpr OperandRule kActivation[]{dst(kSP), in(Role::Data, kSP), column(Role::Bias), column(Role::Scale), kReduceRes};
constexpr OperandRule kTensorScalar[]{dst(kSP), in(Role::Data, kSP), column(Role::Operand0), column(Role::Operand1)};
constexpr OperandRule kTensorScalarReduce[]{dst(kSP), in(Role::Data, kSP), column(Role::Operand0), kReduceRes};
constexpr OperandRule kBinary[]{dst(kSP), in(Role::Data, kSP), in(Role::Data2, kSP)};
constexpr OperandRule kBinaryColumn[]{dst(kSP), in(Role::Data, kSP), in(Role::Data2, kSP), column(Role::Operand0)};
constexpr OperandRule kScan[]{dst(kSP), in(Role::Data, kSP), in(Role::Data2, kSP), maybe(in(Role::Operand0, kSP, Form::Column), true)};
constexpr OperandRule kSelectReduce[]{dst(kSP), in(Role::Data, kSP), in(Role::Data2, kSP), column(Role::Operand0), kReduceRes};
constexpr OperandRule kExponential[]{dst(kSP), in(Role::Data, kSP), column(Role::Operand0), kReduceRes};
constexpr OperandRule kDropout[]{dst(kSP), in(Role::Data, kSP), column(Role::Operand0)};
constexpr OperandRule kFill[]{dst(kSP)};
constexpr OperandRule kRangeSelect[]{dst(kSP), in(Role::Data, kSP), in(Role::Operand0, kSP, Form::Column),
                                     in(Role::Operand1, kSP, Form::Column), kReduceRes};
constexpr OperandRule kMax8[]{dst(kSP, Form::Eight), in(Role::Data, kSP, Form::Input)};
constexpr OperandRule kFindIndex8[]{dst(kSP, Form::Eight), in(Role::Data, kSP, Form::Input), in(Role::Data2, kSP, Form::Eight)};
constexpr OperandRule kMatchReplace8[]{dst(kSP), in(Role::Data, kSP), in(Role::Data2, kSP, Form::Eight),
                                       maybe(out(Role::DstIndex, kSP, Form::Eight))};
constexpr OperandRule kQuantizeMx[]{dst(kS, Form::Input), in(Role::Data, kS, Form::Input), out(Role::DstScale, kS, Form::Aside)};
constexpr OperandRule kShuffle[]{dst(kSP), in(Role::Data, kSP, Form::Free)};
constexpr OperandRule kState[]{dst(kSP, Form::Free)};
constexpr OperandRule kSetState[]{in(Role::Data, kSP, Form::Free)};
constexpr OperandRule kSeed[]{maybe(in(Role::Data, kSP, Form::Free))};
constexpr OperandRule kOwnShape[]{dst(kS, Form::Free), in(Role::Data, kS, Form::Free)};
constexpr OperandRule kGather[]{dst(kS, Form::Free), in(Role::Data, kS, Form::Free), in(Role::Data2, kS, Form::Aside)};
constexpr OperandRule kTopk[]{dst(kS, Form::Free), in(Role::Data, kS, Form::Free), out(Role::DstIndex, kS, Form::Aside)};
constexpr OperandRule kCustomOp[]{maybe(dst(kS, Form::Free)), maybe(in(Role::Data, kS, Form::Free)),
                                  maybe(in(Role::Data2, kS, Form::Free))};
constexpr OperandRule kBarrier[]{maybe(in(Role::Data, kH, Form::Aside))};
constexpr OperandRule kLoadRegister[]{in(Role::Data, kH | kS, Form::Aside)};
constexpr OperandRule kStoreRegister[]{dst(kH | kS, Form::Aside)};
constexpr OperandRule kSendrecv[]{dst(kS), in(Role::Src, kS)};
constexpr OperandRule kDma[]{dst(kH | kS), in(Role::Src, kH | kS)};

using Engines = std::array<std::uint8_t, kGenerationCount>;
constexpr Engines all(std::uint8_t engines) { return {engines, engines, engines}; }
constexpr Engines from_v3(std::uint8_t engines) { return {0, engines, engines}; }
constexpr Engines from_v4(std::uint8_t engines) { return {0, 0, engines}; }
/// Scalar got copies and tensor_scalar with v3.
constexpr Engines kCopies{kDve | kPool, kDve | kAct | kPool, kDve | kAct | kPool};
constexpr Engines kActivations{kAct, kAct, kAct | kPool};

// Engines and generations per instruction: Neuron SDK 2.32 and 2.33 `nki.isa` reference and its per-engine notes.
constexpr std::array<OpcodeInfo, kOpcodeCount> kOpcodes{{
    {"nc_matmul", Executor::Array, kMatmul, all(kPe), EngineKind::Tensor},
    {"nc_matmul_mx", Executor::Array, kMatmulMx, from_v4(kPe), EngineKind::Tensor},
    {"nc_transpose", Executor::Array, kTranspose, all(kPe | kDve), EngineKind::Tensor},
    {"activation", Executor::Lanes, kActivation, kActivations, EngineKind::Scalar},
    {"activation_reduce", Executor::Lanes, kActivation, all(kAct), EngineKind::Scalar},
    {"tensor_copy", Executor::Lanes, kUnary, kCopies, EngineKind::Vector},
    {"tensor_scalar", Executor::Lanes, kTensorScalar, kCopies, EngineKind::Vector},
    {"tensor_tensor", Executor::Lanes, kBinary, all(kDve | kPool), EngineKind::Vector},
    {"scalar_tensor_tensor", Executor::Lanes, kBinaryColumn, all(kDve), EngineKind::Vector},
    {"tensor_tensor_scan", Executor::Lanes, kScan, all(kDve), EngineKind::Vector},
    {"tensor_reduce", Executor::Lanes, kReduce, all(kDve), EngineKind::Vector},
    {"tensor_scalar_reduce", Executor::Lanes, kTensorScalarReduce, all(kDve), EngineKind::Vector},
    {"reciprocal", Executor::Lanes, kUnary, all(kDve), EngineKind::Vector},
    {"exponential", Executor::Lanes, kExponential, from_v4(kDve), EngineKind::Vector},
    {"memset", Executor::Lanes, kFill, all(kDve | kPool), EngineKind::Vector},
    {"bn_stats", Executor::Lanes, kReduce, all(kDve), EngineKind::Vector},
    {"bn_aggr", Executor::Lanes, kReduce, all(kDve), EngineKind::Vector},
    {"iota", Executor::Lanes, kFill, all(kPool), EngineKind::GpSimd},
    {"affine_select", Executor::Lanes, kUnary, all(kPool), EngineKind::GpSimd},
    {"range_select", Executor::Lanes, kRangeSelect, from_v3(kDve), EngineKind::Vector},
    {"tensor_copy_predicated", Executor::Lanes, kBinary, all(kDve), EngineKind::Vector},
    {"dma_copy", Executor::Dma, kDma, all(kAny), EngineKind::Sync},
    {"dma_transpose", Executor::Dma, kDma, all(kAny), EngineKind::Sync},
    {"activate2", Executor::Lanes, kActivation, from_v4(kAct | kPool), EngineKind::Scalar},
    {"tensor_scalar_cumulative", Executor::Lanes, kTensorScalar, all(kDve), EngineKind::Vector},
    {"select_reduce", Executor::Lanes, kSelectReduce, all(kDve), EngineKind::Vector},
    {"dropout", Executor::Lanes, kDropout, all(kDve), EngineKind::Vector},
    {"max8", Executor::Lanes, kMax8, all(kDve), EngineKind::Vector},
    {"nc_find_index8", Executor::Lanes, kFindIndex8, all(kDve), EngineKind::Vector},
    {"nc_match_replace8", Executor::Lanes, kMatchReplace8, all(kDve), EngineKind::Vector},
    {"quantize_mx", Executor::Lanes, kQuantizeMx, from_v4(kDve), EngineKind::Vector},
    {"nc_stream_shuffle", Executor::Lanes, kShuffle, all(kDve), EngineKind::Vector},
    {"rng", Executor::Lanes, kFill, {kDve, kDve | kPool, kDve | kPool}, EngineKind::Vector},
    {"rand2", Executor::Lanes, kFill, from_v4(kDve), EngineKind::Vector},
    {"set_rng_seed", Executor::Lanes, kSeed, all(kDve), EngineKind::Vector},
    {"rand_get_state", Executor::Lanes, kState, {0, kPool, kPool | kDve}, EngineKind::GpSimd},
    {"rand_set_state", Executor::Lanes, kSetState, {0, kPool, kPool | kDve}, EngineKind::GpSimd},
    {"tensor_partition_reduce", Executor::Lanes, kOwnShape, all(kPool), EngineKind::GpSimd},
    {"nc_n_gather", Executor::Lanes, kGather, all(kPool), EngineKind::GpSimd, kChunks},
    {"local_gather", Executor::Lanes, kGather, all(kPool), EngineKind::GpSimd},
    {"nonzero_with_count", Executor::Lanes, kOwnShape, from_v3(kPool), EngineKind::GpSimd},
    {"sequence_bounds", Executor::Lanes, kOwnShape, all(kPool), EngineKind::GpSimd},
    {"topk", Executor::Lanes, kTopk, from_v3(kPool), EngineKind::GpSimd},
    {"builtin_custom_op", Executor::Lanes, kCustomOp, all(kPool), EngineKind::GpSimd, kMoreDst | kMoreData},
    {"core_barrier", Executor::Sequencer, kBarrier, from_v3(kAny), EngineKind::GpSimd, kCores},
    {"register_alloc", Executor::Sequencer, {}, all(kAny), EngineKind::Vector},
    {"register_move", Executor::Sequencer, {}, all(kAny), EngineKind::Vector},
    {"register_load", Executor::Sequencer, kLoadRegister, all(kAny), EngineKind::Vector},
    {"register_store", Executor::Sequencer, kStoreRegister, all(kAny), EngineKind::Vector},
    {"sendrecv", Executor::Dma, kSendrecv, from_v3(kAny), EngineKind::Sync, kPeers},
    {"dma_compute", Executor::Dma, kDma, all(kAny), EngineKind::Sync, kMoreSrc},
}};

}  // namespace

const OpcodeInfo& info(Opcode op) { return kOpcodes[static_cast<std::size_t>(op)]; }

std::optional<Opcode> opcode_from(std::string_view name) {
  for (std::size_t i = 0; i < kOpcodeCount; ++i) {
    if (kOpcodes[i].name == name) return static_cast<Opcode>(i);
  }
  return std::nullopt;
}

}  // namespace trnsim
