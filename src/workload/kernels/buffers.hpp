// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/instruction.hpp"
#include "trnsim/units.hpp"

namespace trnsim::kernel {

/// Sizes of tiles are multiples of this, so that none shares an access granule with its neighbour.
inline constexpr std::uint32_t kTileAlign = 32;

constexpr std::uint32_t tile_bytes(std::uint64_t bytes) {
  return static_cast<std::uint32_t>((bytes + kTileAlign - 1) / kTileAlign * kTileAlign);
}

/// A set of equal tiles that a kernel keeps for its whole run.
struct BufferSpec {
  std::string name;  ///< "lhsT"; its tiles are "lhsT.0", "lhsT.1" ...
  Buffer home = Buffer::Sbuf;
  DType dtype = DType::Bf16;
  std::string shape;  ///< "[128, 2048]", of one tile.
  std::uint32_t partitions = 0;
  std::uint32_t bytes_per_partition = 0;  ///< Of one tile.
  std::uint64_t count = 1;

  [[nodiscard]] std::uint64_t total() const { return count * bytes_per_partition; }
};

/// Bytes per partition that the buffers of one memory take together.
std::uint64_t footprint(const std::vector<BufferSpec>& buffers, Buffer home);

/// Throws WorkloadError with every buffer and the sizes when they do not fit the chip's memories.
void check_capacity(const std::string& kernel, const std::vector<BufferSpec>& buffers, const ChipConfig& chip);

/// The buffers as a table with the totals against the capacity.
std::string describe_buffers(const std::vector<BufferSpec>& buffers, const ChipConfig& chip);

/// Throws WorkloadError with the sizes when the tensors of all cores together exceed the chip's HBM.
///
void check_hbm(const std::string& kernel, const std::vector<TensorInfo>& tensors, const ChipConfig& chip);

}  // namespace trnsim::kernel
