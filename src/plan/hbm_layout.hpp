// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"

namespace trnsim {

/// Where the tensors of a run lie in HBM.
///
/// A tensor that one core uses lies in the stack of that core; a tensor that several programs name
/// (same name, shape and type) is shared and interleaved over the stacks in use, page by page.
class HbmLayout {
 public:
  struct Location {
    std::uint32_t stack;
    std::uint64_t offset;  ///< Within the stack.
  };

  /// Throws WorkloadError with the sizes when the tensors do not fit.
  HbmLayout(const ChipConfig& config, const std::vector<const ProgramInfo*>& programs);

  /// Chip address of the first byte of a program's tensor.
  [[nodiscard]] std::uint64_t base(std::size_t program, TensorId tensor) const { return bases_[program][tensor]; }
  [[nodiscard]] Location locate(std::uint64_t address) const;
  [[nodiscard]] std::uint32_t home_stack(std::size_t core) const;

 private:
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kAlign = 4096;
  static constexpr std::uint64_t kInterleaved = std::uint64_t{1} << 62;  ///< Marks addresses of shared tensors.

  [[nodiscard]] std::uint64_t place_private(std::size_t core, const TensorInfo& tensor);
  [[nodiscard]] std::uint64_t place_shared(const TensorInfo& tensor);
  [[noreturn]] void refuse(const TensorInfo& tensor) const;

  std::uint64_t stack_bytes_;
  std::uint32_t cores_per_stack_;
  std::uint32_t stacks_;
  std::uint32_t stacks_in_use_;
  std::vector<std::uint64_t> used_;  ///< Per stack, from the bottom.
  std::vector<std::vector<std::uint64_t>> bases_;
  std::uint64_t total_bytes_ = 0;
};

}  // namespace trnsim
