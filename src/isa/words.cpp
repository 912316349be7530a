// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>

#include "trnsim/isa/opcode.hpp"
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

constexpr std::array<std::string_view, 4> kDgeModes{"default", "static", "software", "hardware"};
constexpr std::array<std::string_view, kAluOpCount> kAluOps{
    "bypass",    "add",     "subtract", "multiply",    "divide",     "max",         "min",         "abs",        "abs_max",
    "power",     "rsqrt",   "and",      "or",          "is_ge",      "is_le",       "is_gt",       "is_lt",      "is_equal",
    "not_equal", "xor",     "not",      "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "left_shift", "right_shift",
    "mod",       "abs_min", "average",  "floor",       "ceil",       "trunc",       "negative"};

/// A function of the Scalar engine and the table that holds it.
struct Function {
  std::string_view name;
  std::uint8_t table;  ///< 0: in every table.
};

// Which functions share a table is not published; these sets are assumed.
constexpr std::array<Function, kActFnCount> kFunctions{{
    {"copy", 0},
    {"identity", 0},
    {"relu", 0},
    {"square", 0},
    {"exp", 1},
    {"sqrt", 2},
    {"rsqrt", 2},
    {"log", 3},
    {"sigmoid", 4},
    {"tanh", 4},
    {"silu", 4},
    {"gelu", 4},
    {"gelu_dx", 4},
    {"gelu_apprx_tanh", 4},
    {"gelu_apprx_sigmoid", 4},
    {"gelu_apprx_sigmoid_dx", 4},
    {"silu_dx", 4},
    {"softplus", 5},
    {"mish", 5},
    {"erf", 6},
    {"erf_dx", 6},
    {"sin", 7},
    {"cos", 7},
    {"tan", 7},
    {"arctan", 7},
    {"sign", 0},
    {"abs", 0},
    {"reciprocal", 2},
    {"prelu", 0},
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
std::string_view name_of(AluOp op) { return kAluOps[static_cast<std::size_t>(op)]; }
std::optional<AluOp> alu_op_from(std::string_view name) { return find_name<AluOp>(kAluOps, name); }
bool is_bitwise(AluOp op) { return op >= AluOp::BitwiseAnd && op <= AluOp::RightShift; }
std::string_view name_of(DgeMode m) { return kDgeModes[static_cast<std::size_t>(m)]; }
std::optional<DgeMode> dge_mode_from(std::string_view name) { return find_name<DgeMode>(kDgeModes, name); }

std::string_view name_of(ActFn f) { return kFunctions[static_cast<std::size_t>(f)].name; }
unsigned table_of(ActFn f) { return kFunctions[static_cast<std::size_t>(f)].table; }

std::optional<ActFn> act_fn_from(std::string_view name) {
  for (std::size_t i = 0; i < kActFnCount; ++i) {
    if (kFunctions[i].name == name) return static_cast<ActFn>(i);
  }
  return std::nullopt;
}

}  // namespace trnsim
