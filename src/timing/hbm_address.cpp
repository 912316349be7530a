// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/hbm_address.hpp"

namespace trnsim {
namespace {

/// Two polynomials over GF(2) per degree without a common factor; bit i is the coefficient of x^i.
/// Irreducible ones, but for the second of degree 2; only x + 1 exists in degree 1 with a constant term.
constexpr std::array<std::array<std::uint32_t, 2>, 9> kModulus = {{{1, 1},
                                                                   {0b11, 0b11},
                                                                   {0b111, 0b101},
                                                                   {0b1101, 0b1011},
                                                                   {0b11111, 0b11001},
                                                                   {0b111101, 0b101111},
                                                                   {0b1110011, 0b1101101},
                                                                   {0b11110111, 0b11101111},
                                                                   {0b111110101, 0b101011111}}};

/// A size that is not a power of two takes the widest hash, so that its remainder is nearly even.
std::uint32_t hash_degree(std::uint32_t size) { return std::has_single_bit(size) ? static_cast<std::uint32_t>(std::countr_zero(size)) : 8; }

}  // namespace

XorSpread::XorSpread(std::uint32_t size, Polynomial polynomial) : size_(size) {
  const std::uint32_t degree = hash_degree(size);
  const std::uint32_t modulus = kModulus[degree][static_cast<std::size_t>(polynomial)];
  std::uint32_t power = degree == 0 ? 0 : 1;  // x^bit modulo the polynomial
  for (std::size_t byte = 0; byte < kKeyBytes; ++byte) {
    for (std::uint32_t bit = 0; bit < 8; ++bit) {
      for (std::uint32_t value = 0; value < 256; ++value) {
        if ((value >> bit & 1) != 0) table_[byte][value] = static_cast<std::uint8_t>(table_[byte][value] ^ power);
      }
      power <<= 1;
      if ((power >> degree & 1) != 0 && degree != 0) power ^= modulus;
    }
  }
}

HbmAddressMap::HbmAddressMap(const HbmConfig& config)
    : interleave_(config.interleave_bytes),
      channels_(config.pseudo_channels),
      banks_(config.banks),
      row_(config.row_bytes),
      channel_spread_(config.pseudo_channels, XorSpread::Polynomial::First),
      bank_spread_(config.banks, XorSpread::Polynomial::Second) {}

std::uint64_t HbmAddressMap::address(const HbmPlace& place) const {
  const std::uint64_t local_row = place.row * banks_.divisor() + bank_spread_.gather(place.bank, place.row);
  const std::uint64_t local = local_row * row_.divisor() + place.column;
  const std::uint64_t local_piece = interleave_.quotient(local);
  const std::uint64_t piece = local_piece * channels_.divisor() + channel_spread_.gather(place.channel, local_piece);
  return piece * interleave_.divisor() + interleave_.remainder(local);
}

}  // namespace trnsim
