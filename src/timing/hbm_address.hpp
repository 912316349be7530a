// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "trnsim/config/memory_config.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// Quotient and remainder by a number fixed at construction; a shift when it is a power of two.
class FixedDivisor {
 public:
  constexpr explicit FixedDivisor(std::uint32_t divisor)
      : divisor_(divisor), shift_(std::countr_zero(divisor)), power_of_two_(std::has_single_bit(divisor)) {}

  [[nodiscard]] constexpr std::uint64_t quotient(std::uint64_t v) const { return power_of_two_ ? v >> shift_ : v / divisor_; }
  [[nodiscard]] constexpr std::uint32_t remainder(std::uint64_t v) const {
    return static_cast<std::uint32_t>(power_of_two_ ? v & (divisor_ - 1) : v % divisor_);
  }
  [[nodiscard]] constexpr std::uint32_t divisor() const { return divisor_; }
  [[nodiscard]] constexpr bool power_of_two() const { return power_of_two_; }

 private:
  std::uint32_t divisor_;
  int shift_;
  bool power_of_two_;
};

/// Permutes the numbers below `size` differently for every key, so that no power-of-two stride
/// comes back to the same number. For a power of two the key, read as a polynomial over GF(2), is
/// reduced modulo an irreducible one and XORed (pseudo-random interleaving, B. R. Rau, ISCA 1991):
/// log2(size) neighbouring key bits then reach every number. Other sizes add it modulo `size`.
class XorSpread {
 public:
  enum class Polynomial : std::uint8_t { First, Second };

  /// Spreads that share a key take different polynomials, so that one does not follow from the other.
  XorSpread(std::uint32_t size, Polynomial polynomial);

  [[nodiscard]] std::uint32_t spread(std::uint32_t index, std::uint64_t key) const {
    const std::uint32_t h = hash(key);
    return size_.power_of_two() ? index ^ h : size_.remainder(index + h);
  }
  [[nodiscard]] std::uint32_t gather(std::uint32_t spread_index, std::uint64_t key) const {
    const std::uint32_t h = hash(key);
    return size_.power_of_two() ? spread_index ^ h : size_.remainder(spread_index + size_.divisor() - size_.remainder(h));
  }

 private:
  static constexpr std::size_t kKeyBytes = 6;  ///< Larger keys wrap; a 4 TiB stack needs five.

  [[nodiscard]] std::uint32_t hash(std::uint64_t key) const {
    std::uint32_t h = 0;
    for (std::size_t i = 0; key != 0 && i < kKeyBytes; ++i, key >>= 8) h ^= table_[i][key & 0xff];
    return h;
  }

  FixedDivisor size_;
  std::array<std::array<std::uint8_t, 256>, kKeyBytes> table_{};
};

/// Where a byte of a stack lies.
struct HbmPlace {
  std::uint32_t channel = 0;  ///< Pseudo-channel.
  std::uint32_t bank = 0;
  std::uint64_t row = 0;
  std::uint32_t column = 0;     ///< Byte in the row.
  std::uint32_t run_bytes = 0;  ///< Consecutive addresses from here in this row of this pseudo-channel.
};

/// Address map of one stack: `interleave_bytes` pieces go round the pseudo-channels, within a
/// channel consecutive rows go round the banks; both turns are permuted by the address bits above.
/// One to one. Leaves out repair rows and the vendor's real bit order, which is not public.
class HbmAddressMap {
 public:
  explicit HbmAddressMap(const HbmConfig& config);

  [[nodiscard]] HbmPlace place(std::uint64_t address) const {
    const std::uint64_t piece = interleave_.quotient(address);
    const std::uint32_t offset = interleave_.remainder(address);
    const std::uint64_t local_piece = channels_.quotient(piece);
    HbmPlace p;
    p.channel = channel_spread_.spread(channels_.remainder(piece), local_piece);
    const std::uint64_t local = local_piece * interleave_.divisor() + offset;
    const std::uint64_t local_row = row_.quotient(local);
    p.row = banks_.quotient(local_row);
    p.bank = bank_spread_.spread(banks_.remainder(local_row), p.row);
    p.column = row_.remainder(local);
    const std::uint32_t piece_left = interleave_.divisor() - offset;
    const std::uint32_t row_left = row_.divisor() - p.column;
    p.run_bytes = piece_left < row_left ? piece_left : row_left;
    return p;
  }

  /// Inverse of `place`; `run_bytes` is not read.
  [[nodiscard]] std::uint64_t address(const HbmPlace& place) const;

 private:
  FixedDivisor interleave_;
  FixedDivisor channels_;
  FixedDivisor banks_;
  FixedDivisor row_;
  XorSpread channel_spread_;
  XorSpread bank_spread_;
};

}  // namespace trnsim
