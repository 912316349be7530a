// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/kernels/two_input_rates.hpp"

#include <algorithm>

namespace trnsim::kernel {

double TwoInputRates::together(double total, double given, double other_ns) const {
  const double vector = other_ns + (total - given) * (given > 0 ? shared_ns : vector_ns);
  return exclusive ? vector + given * gpsimd_ns : std::max(vector, given * gpsimd_ns);
}

TwoInputRates two_input_rates(const ChipConfig& chip, DType dtype) {
  const bool narrow = chip.gen() == Generation::V2 ? dtype == DType::Bf16 : element_bytes(dtype) == 2;
  const double cycles = narrow ? chip.vector.tensor_tensor_16bit : chip.vector.tensor_tensor_sbuf;
  TwoInputRates rates;
  rates.vector_ns = rates.shared_ns = cycles / chip.vector.clock_ghz;
  if (chip.sequencer.fast_modes_share_gpsimd_bus) rates.shared_ns = std::max(cycles, 1.0) / chip.vector.clock_ghz;
  rates.gpsimd_ns = chip.gpsimd.two_input / chip.gpsimd.clock_ghz;
  rates.exclusive = chip.sequencer.vector_gpsimd_share_sbuf;
  return rates;
}

}  // namespace trnsim::kernel
