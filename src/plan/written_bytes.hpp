// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/footprint.hpp"

namespace trnsim {

/// Which bytes of a tile were written. A tile that is written whole takes no memory.
class WrittenBytes {
 public:
  struct Place {
    std::uint32_t partition = 0;
    std::uint64_t byte = 0;  ///< In its partition.
  };

  /// Partitions × bytes from a place in a memory; footprints are given in addresses of that memory.
  WrittenBytes(std::uint32_t first_partition, std::uint32_t partitions, std::uint64_t address, std::uint64_t bytes);

  void write(const Footprint& footprint);
  /// The first byte of the footprint that was never written.
  [[nodiscard]] std::optional<Place> unwritten(const Footprint& footprint) const;
  [[nodiscard]] bool none() const { return written_ == 0; }

 private:
  [[nodiscard]] bool whole(const Footprint& footprint) const;
  void set(std::uint64_t from, std::uint64_t to);
  [[nodiscard]] std::uint64_t first_clear(std::uint64_t from, std::uint64_t to) const;  ///< `to` if there is none.

  std::uint32_t first_partition_, partitions_;
  std::uint64_t address_, bytes_;
  std::uint64_t written_ = 0;
  std::vector<std::uint64_t> bits_;  ///< Empty while none or all are written.
};

}  // namespace trnsim
