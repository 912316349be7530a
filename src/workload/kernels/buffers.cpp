// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/kernels/buffers.hpp"

#include <fmt/format.h>

#include "trnsim/error.hpp"

namespace trnsim::kernel {
namespace {

std::uint64_t capacity(Buffer home, const ChipConfig& chip) {
  return home == Buffer::Psum ? chip.psum_bytes_per_partition() : chip.sbuf_bytes_per_partition();
}

std::string one_line(const BufferSpec& b) { return fmt::format("{} {} x {} B", b.name, b.count, b.bytes_per_partition); }

}  // namespace

std::uint64_t footprint(const std::vector<BufferSpec>& buffers, Buffer home) {
  std::uint64_t bytes = 0;
  for (const BufferSpec& b : buffers) {
    if (b.home == home) bytes += b.total();
  }
  return bytes;
}

void check_capacity(const std::string& kernel, const std::vector<BufferSpec>& buffers, const ChipConfig& chip) {
  for (const Buffer home : {Buffer::Sbuf, Buffer::Psum}) {
    const std::uint64_t needed = footprint(buffers, home);
    if (needed <= capacity(home, chip)) continue;
    std::string list;
    for (const BufferSpec& b : buffers) {
      if (b.home == home) list += (list.empty() ? "" : ", ") + one_line(b);
    }
    throw WorkloadError(fmt::format("kernel {}: its buffers take {} bytes per partition of {}, available {} on {}: {}", kernel, needed,
                                    home == Buffer::Psum ? "PSUM" : "SBUF", capacity(home, chip), chip.name, list));
  }
}

std::string describe_buffers(const std::vector<BufferSpec>& buffers, const ChipConfig& chip) {
  std::string text =
      fmt::format("{:<10} {:<6} {:<9} {:<16} {:>6} {:>18} {:>14}\n", "buffer", "in", "dtype", "tile", "count", "bytes/partition", "total");
  for (const BufferSpec& b : buffers) {
    text += fmt::format("{:<10} {:<6} {:<9} {:<16} {:>6} {:>18} {:>14}\n", b.name, name_of(b.home), name_of(b.dtype), b.shape, b.count,
                        b.bytes_per_partition, b.total());
  }
  for (const Buffer home : {Buffer::Sbuf, Buffer::Psum}) {
    const std::uint64_t used = footprint(buffers, home);
    const double percent = 100.0 * static_cast<double>(used) / static_cast<double>(capacity(home, chip));
    text += fmt::format("{}: {} of {} bytes per partition ({:.1f} %)\n", name_of(home), used, capacity(home, chip), percent);
  }
  return text;
}

void check_hbm(const std::string& kernel, const std::vector<TensorInfo>& tensors, const ChipConfig& chip) {
  std::uint64_t total = 0;
  std::string list;
  for (const TensorInfo& t : tensors) {
    total += bytes_of(t);
    list += fmt::format("{}{} {} bytes", list.empty() ? "" : ", ", t.name, bytes_of(t));
  }
  if (total <= chip.hbm_bytes()) return;
  throw WorkloadError(fmt::format("kernel {}: its tensors take {} bytes, available {} bytes of HBM on {}: {}", kernel, total,
                                  chip.hbm_bytes(), chip.name, list));
}

}  // namespace trnsim::kernel
