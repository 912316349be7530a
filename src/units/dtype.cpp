// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/dtype.hpp"

#include <array>
#include <utility>

#include "units/names.hpp"

namespace trnsim {
namespace {

constexpr std::array<std::string_view, kDTypeCount> kNames{"fp32",  "tf32",  "bf16",   "fp16",  "fp8_e4m3", "fp8_e5m2", "mxfp8",
                                                           "mxfp4", "int32", "uint32", "int16", "uint16",   "int8",     "uint8"};

constexpr std::array<std::pair<std::string_view, DType>, 11> kAliases{{
    {"float32", DType::Fp32},
    {"tfloat32", DType::Tf32},
    {"bfloat16", DType::Bf16},
    {"float16", DType::Fp16},
    {"float8_e4m3", DType::Fp8E4M3},
    {"float8_e4m3fn", DType::Fp8E4M3},
    {"float8_e5m2", DType::Fp8E5M2},
    {"fp8_e4m3fn", DType::Fp8E4M3},
    {"float8_e4m3fn_x4", DType::MxFp8},
    {"float8_e5m2_x4", DType::MxFp8},
    {"float4_e2m1fn_x4", DType::MxFp4},
}};

}  // namespace

std::string_view name_of(DType t) { return kNames[static_cast<std::size_t>(t)]; }

std::optional<DType> dtype_from(std::string_view name) {
  if (const auto t = find_name<DType>(kNames, name)) return t;
  for (const auto& [alias, type] : kAliases) {
    if (alias == name) return type;
  }
  return std::nullopt;
}

}  // namespace trnsim
