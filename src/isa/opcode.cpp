// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/isa/opcode.hpp"

#include <algorithm>

#include "units/names.hpp"

namespace trnsim {
namespace {

constexpr std::array<std::string_view, kEngineCount> kEngines{"tensor", "vector", "scalar", "gpsimd", "sync"};
constexpr std::array<std::string_view, 3> kBuffers{"hbm", "sbuf", "psum"};
/// Roles that a table may hold; each of the first ones has an index operand.
constexpr std::array<std::string_view, 14> kRoles{"dst",   "stationary", "moving",   "stationary_scale", "moving_scale",
                                                  "data",  "data2",      "operand0", "operand1",         "bias",
                                                  "scale", "reduce_res", "src",      "dst_scale"};
constexpr std::array<std::string_view, 13> kIndices{"dst_index",          "stationary_index", "moving_index", "stationary_scale_index",
                                                    "moving_scale_index", "data_index",       "data2_index",  "operand0_index",
                                                    "operand1_index",     "bias_index",       "scale_index",  "reduce_res_index",
                                                    "src_index"};
constexpr std::array<std::string_view, 15> kMoreDsts{"dst2",  "dst3",  "dst4",  "dst5",  "dst6",  "dst7",  "dst8", "dst9",
                                                     "dst10", "dst11", "dst12", "dst13", "dst14", "dst15", "dst16"};
constexpr std::array<std::string_view, 15> kMoreSrcs{"src2",  "src3",  "src4",  "src5",  "src6",  "src7",  "src8", "src9",
                                                     "src10", "src11", "src12", "src13", "src14", "src15", "src16"};
constexpr std::array<std::string_view, 14> kMoreDatas{"data3",  "data4",  "data5",  "data6",  "data7",  "data8",  "data9",
                                                      "data10", "data11", "data12", "data13", "data14", "data15", "data16"};

/// Names of roles, as they follow each other from a first one.
struct RoleNames {
  Role first;
  std::span<const std::string_view> names;
};
constexpr std::array<RoleNames, 5> kRoleNames{
    {{Role::Dst, kRoles}, {Role::DstIndex, kIndices}, {Role::Dst2, kMoreDsts}, {Role::Src2, kMoreSrcs}, {Role::Data3, kMoreDatas}}};

constexpr std::array<std::string_view, kActFnCount> kActFns{"copy",  "identity", "relu",    "square", "exp",  "sqrt",
                                                            "rsqrt", "log",      "sigmoid", "tanh",   "silu", "gelu"};
constexpr std::array<std::string_view, kAluOpCount> kAluOps{"bypass",  "add",   "subtract", "multiply", "divide", "max",   "min",  "abs",
                                                            "abs_max", "power", "rsqrt",    "and",      "or",     "is_ge", "is_le"};
constexpr std::array<std::string_view, 4> kDgeModes{"default", "static", "software", "hardware"};

constexpr std::uint8_t kH = 1U << static_cast<unsigned>(Buffer::Hbm);
constexpr std::uint8_t kS = 1U << static_cast<unsigned>(Buffer::Sbuf);
constexpr std::uint8_t kP = 1U << static_cast<unsigned>(Buffer::Psum);

constexpr std::uint8_t bit(EngineKind e) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(e)); }
constexpr std::uint8_t kPe = bit(EngineKind::Tensor);
constexpr std::uint8_t kDve = bit(EngineKind::Vector);
constexpr std::uint8_t kAct = bit(EngineKind::Scalar);
constexpr std::uint8_t kPool = bit(EngineKind::GpSimd);
constexpr std::uint8_t kAny = 0x1f;

constexpr std::uint8_t kV2Up = 7, kV3Up = 6, kV4 = 4;

constexpr OperandRule kMatmul[]{{Role::Dst, true, kP, true}, {Role::Stationary, true, kS, true}, {Role::Moving, true, kS, true}};
constexpr OperandRule kMatmulMx[]{{Role::Dst, true, kP, true},
                                  {Role::Stationary, true, kS, true},
                                  {Role::Moving, true, kS, true},
                                  {Role::StationaryScale, true, kS, true},
                                  {Role::MovingScale, true, kS, true}};
constexpr OperandRule kUnary[]{{Role::Dst, true, kS | kP, true}, {Role::Data, true, kS | kP, true}};
constexpr OperandRule kActivation[]{{Role::Dst, true, kS | kP, true},
                                    {Role::Data, true, kS | kP, true},
                                    {Role::Bias, false, kS | kP, false},
                                    {Role::Scale, false, kS | kP, false},
                                    {Role::ReduceRes, false, kS | kP, false}};
constexpr OperandRule kTensorScalar[]{{Role::Dst, true, kS | kP, true},
                                      {Role::Data, true, kS | kP, true},
                                      {Role::Operand0, false, kS | kP, false},
                                      {Role::Operand1, false, kS | kP, false}};
constexpr OperandRule kTensorScalarReduce[]{{Role::Dst, true, kS | kP, true},
                                            {Role::Data, true, kS | kP, true},
                                            {Role::Operand0, false, kS | kP, false},
                                            {Role::ReduceRes, true, kS | kP, false}};
constexpr OperandRule kBinary[]{{Role::Dst, true, kS | kP, true}, {Role::Data, true, kS | kP, true}, {Role::Data2, true, kS | kP, true}};
constexpr OperandRule kScalarTensorTensor[]{{Role::Dst, true, kS | kP, true},
                                            {Role::Data, true, kS | kP, true},
                                            {Role::Data2, true, kS | kP, true},
                                            {Role::Operand0, false, kS | kP, false}};
constexpr OperandRule kScan[]{{Role::Dst, true, kS | kP, true},
                              {Role::Data, true, kS | kP, true},
                              {Role::Data2, true, kS | kP, true},
                              {Role::Operand0, false, kS | kP, false, true}};
constexpr OperandRule kExponential[]{{Role::Dst, true, kS | kP, true},
                                     {Role::Data, true, kS | kP, true},
                                     {Role::Operand0, false, kS | kP, false},
                                     {Role::ReduceRes, false, kS | kP, false}};
constexpr OperandRule kFill[]{{Role::Dst, true, kS | kP, true}};
constexpr OperandRule kSelect[]{{Role::Dst, true, kS | kP, true}, {Role::Data, true, kS | kP, true}};
constexpr OperandRule kRangeSelect[]{{Role::Dst, true, kS | kP, true},
                                     {Role::Data, true, kS | kP, true},
                                     {Role::Operand0, true, kS | kP, false},
                                     {Role::Operand1, true, kS | kP, false},
                                     {Role::ReduceRes, false, kS | kP, false}};
constexpr OperandRule kDma[]{{Role::Dst, true, kH | kS, true}, {Role::Src, true, kH | kS, true}};

// Engines and generations per instruction: Neuron SDK 2.32 `nki.isa` reference and its per-engine notes.
constexpr std::array<OpcodeInfo, kOpcodeCount> kOpcodes{{
    {"nc_matmul", kMatmul, kPe, kV2Up, EngineKind::Tensor},
    {"nc_matmul_mx", kMatmulMx, kPe, kV4, EngineKind::Tensor},
    {"nc_transpose", kUnary, kPe | kDve, kV2Up, EngineKind::Tensor},
    {"activation", kActivation, kAct, kV2Up, EngineKind::Scalar},
    {"activation_reduce", kActivation, kAct, kV2Up, EngineKind::Scalar},
    {"tensor_copy", kUnary, kDve | kAct | kPool, kV2Up, EngineKind::Vector},
    {"tensor_scalar", kTensorScalar, kDve | kAct | kPool, kV2Up, EngineKind::Vector},
    {"tensor_tensor", kBinary, kDve | kPool, kV2Up, EngineKind::Vector},
    {"scalar_tensor_tensor", kScalarTensorTensor, kDve, kV2Up, EngineKind::Vector},
    {"tensor_tensor_scan", kScan, kDve, kV2Up, EngineKind::Vector},
    {"tensor_reduce", kUnary, kDve, kV2Up, EngineKind::Vector},
    {"tensor_scalar_reduce", kTensorScalarReduce, kDve, kV2Up, EngineKind::Vector},
    {"reciprocal", kUnary, kDve, kV2Up, EngineKind::Vector},
    {"exponential", kExponential, kDve, kV4, EngineKind::Vector},
    {"memset", kFill, kDve | kPool, kV2Up, EngineKind::Vector},
    {"bn_stats", kUnary, kDve, kV2Up, EngineKind::Vector},
    {"bn_aggr", kUnary, kDve, kV2Up, EngineKind::Vector},
    {"iota", kFill, kPool, kV2Up, EngineKind::GpSimd},
    {"affine_select", kSelect, kPool, kV2Up, EngineKind::GpSimd},
    {"range_select", kRangeSelect, kDve, kV3Up, EngineKind::Vector},
    {"tensor_copy_predicated", kBinary, kDve, kV2Up, EngineKind::Vector},
    {"dma_copy", kDma, kAny, kV2Up, EngineKind::Sync},
    {"dma_transpose", kDma, kAny, kV2Up, EngineKind::Sync},
}};

}  // namespace

std::string_view name_of(EngineKind e) { return kEngines[static_cast<std::size_t>(e)]; }
std::optional<EngineKind> engine_from(std::string_view name) { return find_name<EngineKind>(kEngines, name); }
std::string_view name_of(Buffer b) { return kBuffers[static_cast<std::size_t>(b)]; }
std::optional<Buffer> buffer_from(std::string_view name) { return find_name<Buffer>(kBuffers, name); }
std::string_view name_of(Role r) {
  for (const auto& [first, names] : kRoleNames) {
    const std::size_t at = static_cast<std::size_t>(r) - static_cast<std::size_t>(first);
    if (r >= first && at < names.size()) return names[at];
  }
  return {};
}
std::optional<Role> role_from(std::string_view name) {
  for (const auto& [first, names] : kRoleNames) {
    const auto at = std::ranges::find(names, name);
    if (at != names.end()) return static_cast<Role>(static_cast<std::ptrdiff_t>(first) + (at - names.begin()));
  }
  return std::nullopt;
}
std::string_view name_of(ActFn f) { return kActFns[static_cast<std::size_t>(f)]; }
std::optional<ActFn> act_fn_from(std::string_view name) { return find_name<ActFn>(kActFns, name); }
std::string_view name_of(AluOp op) { return kAluOps[static_cast<std::size_t>(op)]; }
std::optional<AluOp> alu_op_from(std::string_view name) { return find_name<AluOp>(kAluOps, name); }
std::string_view name_of(DgeMode m) { return kDgeModes[static_cast<std::size_t>(m)]; }
std::optional<DgeMode> dge_mode_from(std::string_view name) { return find_name<DgeMode>(kDgeModes, name); }

const OpcodeInfo& info(Opcode op) { return kOpcodes[static_cast<std::size_t>(op)]; }

std::optional<Opcode> opcode_from(std::string_view name) {
  for (std::size_t i = 0; i < kOpcodeCount; ++i) {
    if (kOpcodes[i].name == name) return static_cast<Opcode>(i);
  }
  return std::nullopt;
}

// Which functions share a table is not published; these sets are assumed.
unsigned table_of(ActFn f) {
  switch (f) {
    case ActFn::Copy:
    case ActFn::Identity:
    case ActFn::Relu:
    case ActFn::Square: return 0;
    case ActFn::Exp: return 1;
    case ActFn::Sqrt:
    case ActFn::Rsqrt: return 2;
    case ActFn::Log: return 3;
    case ActFn::Sigmoid:
    case ActFn::Tanh:
    case ActFn::Silu:
    case ActFn::Gelu: return 4;
  }
  return 0;
}

}  // namespace trnsim
