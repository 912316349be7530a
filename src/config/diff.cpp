// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <array>

#include "config/field_table.hpp"
#include "config/text_table.hpp"
#include "trnsim/config/show.hpp"

namespace trnsim {
namespace {

constexpr std::array kMatmulTypes{DType::Fp32,    DType::Tf32,    DType::Bf16,  DType::Fp16,
                                  DType::Fp8E4M3, DType::Fp8E5M2, DType::MxFp8, DType::MxFp4};

std::string yes_no(bool value) { return value ? "yes" : "no"; }

std::string rate_text(const TensorConfig& tensor, DType dtype) {
  const double rate = rate_multiplier(tensor, dtype, true);
  return rate == 0 ? "no" : fmt::format("{}x", rate);
}

/// A number as a number, whole numbers included.
const double* number_of(const FieldValue& value, double& room) {
  if (const auto* whole = std::get_if<std::uint32_t>(&value)) {
    room = *whole;
    return &room;
  }
  return std::get_if<double>(&value);
}

std::string ratio_text(const FieldValue& a, const FieldValue& b) {
  double room_a = 0;
  double room_b = 0;
  const double* first = number_of(a, room_a);
  const double* second = number_of(b, room_b);
  if (first == nullptr || second == nullptr || *first == 0) return "";
  return fmt::format("{:.3g}x", *second / *first);
}

std::string features(const ChipConfig& a, const ChipConfig& b, const std::vector<FieldEntry>& of_a, const std::vector<FieldEntry>& of_b) {
  TextTable table("  ");
  table.row({"feature", a.name, b.name, ""});
  for (const DType dtype : kMatmulTypes) {
    table.row({fmt::format("matmul {}", name_of(dtype)), rate_text(a.tensor, dtype), rate_text(b.tensor, dtype), "rate over 16-bit"});
  }
  table.row({"vector exponential", yes_no(a.vector.exponential > 0), yes_no(b.vector.exponential > 0)});
  table.row({"power ramp of the Tensor engine", yes_no(a.tensor.throttle_start < 1), yes_no(b.tensor.throttle_start < 1)});
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    if (!std::holds_alternative<bool>(of_a[i].value)) continue;
    table.row(
        {of_a[i].path, yes_no(std::get<bool>(of_a[i].value)), yes_no(std::get<bool>(of_b[i].value)), std::string(of_a[i].field.help)});
  }
  return table.text();
}

}  // namespace

std::string diff_chips(const ChipConfig& a, const ChipConfig& b) {
  const std::vector<FieldEntry> of_a = entries_of(a);
  const std::vector<FieldEntry> of_b = entries_of(b);
  TextTable table("  ");
  table.row({"value", a.name, b.name, "ratio", "unit"});
  std::size_t equal = 0;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const FieldEntry& left = of_a[i];
    if (left.is_text() || std::holds_alternative<bool>(left.value)) continue;
    if (left.value == of_b[i].value) {
      ++equal;
      continue;
    }
    table.row({left.path, print(left.value), print(of_b[i].value), ratio_text(left.value, of_b[i].value), std::string(left.field.unit)});
  }
  return features(a, b, of_a, of_b) + '\n' + table.text() + fmt::format("\n  {} other values are equal\n", equal);
}

}  // namespace trnsim
