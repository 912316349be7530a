// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trnsim/dtype.hpp"
#include "trnsim/workload.hpp"

namespace trnsim {

/// Parameters of one kernel: given values over defaults, read one by one. Reading never throws: what
/// is wrong is collected, and `check` throws all of it as one WorkloadError.
class ParamReader {
 public:
  /// Unknown and missing parameters are problems from the start.
  ParamReader(const KernelInfo& kernel, const KernelParams& given);

  std::uint64_t integer(const std::string& name, std::uint64_t min, std::uint64_t max);
  std::string choice(const std::string& name, const std::vector<std::string_view>& allowed);
  bool flag(const std::string& name);
  DType dtype(const std::string& name, const std::vector<DType>& allowed);

  /// Replaces the value "auto", for defaults that depend on other parameters.
  void set_default(const std::string& name, std::string_view value);
  void problem(const std::string& text);
  void check() const;

  [[nodiscard]] const KernelParams& resolved() const { return values_; }
  [[nodiscard]] const std::string& kernel() const { return kernel_; }

 private:
  void bad_value(const std::string& name, const std::string& allowed);

  std::string kernel_;
  KernelParams values_;
  std::vector<std::string> problems_;
};

}  // namespace trnsim
