// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace trnsim {

/// Writes the fields of a protobuf message, one after another, into a string.
class Protobuf {
 public:
  explicit Protobuf(std::string& to) : to_(&to) {}

  void varint(std::uint32_t field, std::uint64_t value) {
    raw(field << 3);
    raw(value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    raw(field << 3 | 1U);
    for (unsigned i = 0; i < 8; ++i) to_->push_back(static_cast<char>(value >> 8 * i & 0xff));
  }
  void number(std::uint32_t field, double value) { fixed64(field, std::bit_cast<std::uint64_t>(value)); }
  void text(std::uint32_t field, std::string_view value) {
    raw(field << 3 | 2U);
    raw(value.size());
    to_->append(value);
  }
  /// A message within: `fill` writes its fields.
  template <class Fill>
  void message(std::uint32_t field, Fill fill) {
    raw(field << 3 | 2U);
    const std::size_t length_at = to_->size();
    to_->push_back(0);
    Protobuf inner(*to_);
    fill(inner);
    const std::size_t length = to_->size() - length_at - 1;
    if (length < 0x80) {
      (*to_)[length_at] = static_cast<char>(length);
      return;
    }
    std::string bytes;
    Protobuf(bytes).raw(length);
    to_->replace(length_at, 1, bytes);
  }

 private:
  void raw(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) to_->push_back(static_cast<char>(value | 0x80));
    to_->push_back(static_cast<char>(value));
  }

  std::string* to_;
};

}  // namespace trnsim
