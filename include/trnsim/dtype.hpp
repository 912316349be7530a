// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace trnsim {

/// Element types. The MX types are the packed x4 elements of the hardware: one element holds four
/// values along the contraction dimension and shares scales in groups of 32.
enum class DType : std::uint8_t { Fp32, Tf32, Bf16, Fp16, Fp8E4M3, Fp8E5M2, MxFp8, MxFp4, Int32, Uint32, Int16, Uint16, Int8, Uint8 };
inline constexpr std::size_t kDTypeCount = 14;

/// Bits of one logical value (MX types: 8 and 4, scales counted apart).
constexpr unsigned bits_of(DType t) {
  switch (t) {
    case DType::Fp32:
    case DType::Tf32:
    case DType::Int32:
    case DType::Uint32: return 32;
    case DType::Bf16:
    case DType::Fp16:
    case DType::Int16:
    case DType::Uint16: return 16;
    case DType::MxFp4: return 4;
    default: return 8;
  }
}

/// Bytes of one addressable element: MX types count the packed x4 element (4 and 2 bytes).
constexpr unsigned element_bytes(DType t) {
  switch (t) {
    case DType::MxFp8: return 4;
    case DType::MxFp4: return 2;
    default: return bits_of(t) / 8;
  }
}

constexpr bool is_mx(DType t) { return t == DType::MxFp8 || t == DType::MxFp4; }
constexpr bool is_fp8(DType t) { return t == DType::Fp8E4M3 || t == DType::Fp8E5M2; }
constexpr bool is_16bit_float(DType t) { return t == DType::Bf16 || t == DType::Fp16; }

/// Values of the contraction dimension held by one element (4 for MX types).
constexpr unsigned values_per_element(DType t) { return is_mx(t) ? 4 : 1; }

std::string_view name_of(DType t);                       ///< "bf16", "fp8_e4m3", ...
std::optional<DType> dtype_from(std::string_view name);  ///< Also accepts the long spellings of NKI ("bfloat16").

}  // namespace trnsim
