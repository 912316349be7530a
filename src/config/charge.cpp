// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/config/charge.hpp"

#include <array>

namespace trnsim {
namespace {

constexpr std::array<std::string_view, kChargeCount> kPaths{"",
                                                            "vector.fast_mode_16bit",
                                                            "vector.fast_mode_strided",
                                                            "vector.fast_mode_psum",
                                                            "vector.fast_mode_other",
                                                            "vector.fast_mode_widening",
                                                            "vector.tensor_tensor_sbuf",
                                                            "vector.tensor_tensor_16bit",
                                                            "vector.scan",
                                                            "vector.reduce_16bit",
                                                            "vector.memset_16bit",
                                                            "vector.memset_other",
                                                            "vector.reciprocal",
                                                            "vector.exponential",
                                                            "vector.bn_aggr_triple",
                                                            "vector.rand2",
                                                            "vector.quantize_mx",
                                                            "vector.rand_state",
                                                            "scalar.fast_mode_16bit",
                                                            "scalar.silu",
                                                            "gpsimd.elementwise",
                                                            "gpsimd.two_input",
                                                            "gpsimd.transcendental",
                                                            "gpsimd.power",
                                                            "gpsimd.activation",
                                                            "gpsimd.rng",
                                                            "gpsimd.rand_state",
                                                            "gpsimd.partition_reduce",
                                                            "gpsimd.gather",
                                                            "gpsimd.local_gather_setup",
                                                            "gpsimd.nonzero",
                                                            "gpsimd.sequence_bounds",
                                                            "gpsimd.topk",
                                                            "gpsimd.custom_op",
                                                            "gpsimd.dma_gb_per_s",
                                                            "sequencer.control_ns",
                                                            "sequencer.core_barrier_ns",
                                                            "sequencer.register_load_ns",
                                                            "sequencer.register_load_cycles",
                                                            "sequencer.register_store_ns",
                                                            "dma.compute_rate"};

}  // namespace

std::string_view path_of(Charge charge) { return kPaths[static_cast<std::size_t>(charge)]; }

}  // namespace trnsim
