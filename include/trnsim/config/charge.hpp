// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trnsim {

/// Numbers of a chip description that only some instructions are charged with. A run counts each, so
/// that its result can say which of the assumed ones it rests on.
enum class Charge : std::uint8_t {
  None,
  VectorFast16,
  VectorStrided,
  VectorPsum,
  VectorOther,
  VectorWidening,
  VectorTwoInput,
  VectorTwoInput16,
  VectorScan,
  VectorReduce16,
  VectorMemset16,
  VectorMemsetOther,
  VectorReciprocal,
  VectorExponential,
  VectorBnAggr,
  VectorRand2,
  VectorQuantizeMx,
  VectorRandState,
  ScalarFast16,
  ScalarSilu,
  GpSimdElementwise,
  GpSimdTwoInput,
  GpSimdTranscendental,
  GpSimdPower,
  GpSimdActivation,
  GpSimdRng,
  GpSimdRandState,
  GpSimdPartitionReduce,
  GpSimdGather,
  GpSimdLocalGather,
  GpSimdNonzero,
  GpSimdSequenceBounds,
  GpSimdTopk,
  GpSimdCustomOp,
  GpSimdDma,
  Control,
  CoreBarrier,
  RegisterLoadHbm,
  RegisterLoadSbuf,
  RegisterStore,
  DmaCompute
};
inline constexpr std::size_t kChargeCount = 41;

/// Key of the number in a chip description: "gpsimd.gather". Empty for None.
std::string_view path_of(Charge charge);

}  // namespace trnsim
