// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>

#include "trnsim/config/field.hpp"

namespace trnsim {

/// Tensor engine: the PE array, its weight load and its power ramp.
struct TensorConfig {
  double clock_ghz = 2.4;
  std::uint32_t rows = 128;
  std::uint32_t columns = 128;
  std::uint32_t min_interval_cycles = 64;
  std::uint32_t issue_overhead_cycles = 0;
  std::uint32_t pipe_latency_cycles = 395;
  std::uint32_t fast_load_factor = 4;
  std::uint32_t load_min_cycles = 16;
  std::uint32_t fp32_passes = 4;
  std::uint32_t fp32_load_factor = 4;
  double fp8_rate = 1;
  double mxfp8_rate = 0;
  double mxfp4_rate = 0;
  bool transpose_mode = false;
  bool background_transpose = false;
  std::uint32_t max_moving_columns = 512;
  std::uint32_t min_array_tile = 32;
  double throttle_start = 1;
  double throttle_ramp_ns = 3000;
  double throttle_window_ns = 3000;
  double throttle_rearm_below = 0.5;
  double throttle_sustained = 1;
  std::uint32_t throttle_steps = 8;

  template <class V>
  static void describe(V& v, auto& c) {
    v("clock_ghz", c.clock_ghz, Field{"GHz", "PE array clock; one MAC per PE and cycle", 0.001, 100});
    v("rows", c.rows, Field{"", "PE rows = largest contraction of one instruction", 32, 1024});
    v("columns", c.columns, Field{"", "PE columns = largest stationary free size", 32, 1024});
    v("min_interval_cycles", c.min_interval_cycles, Field{"cycles", "Shortest interval between two MultiplyMoving", 1, 4096});
    v("issue_overhead_cycles", c.issue_overhead_cycles, Field{"cycles", "Added to the interval of every MultiplyMoving", 0, 4096});
    v("pipe_latency_cycles", c.pipe_latency_cycles, Field{"cycles", "Last moving row in to result visible in PSUM", 0, 100000});
    v("fast_load_factor", c.fast_load_factor, Field{"", "Stationary columns loaded per cycle by LoadStationary", 1, 64});
    v("load_min_cycles", c.load_min_cycles, Field{"cycles", "Shortest LoadStationary", 1, 4096});
    v("fp32_passes", c.fp32_passes, Field{"", "Passes of an FP32 matmul", 1, 16});
    v("fp32_load_factor", c.fp32_load_factor, Field{"", "FP32 LoadStationary time over the 16-bit one", 1, 16});
    v("fp8_rate", c.fp8_rate, Field{"x", "Peak of FP8 over 16-bit; 2 is double row", 0, 16});
    v("mxfp8_rate", c.mxfp8_rate, Field{"x", "Peak of MXFP8 over 16-bit; 0 = not available", 0, 16});
    v("mxfp4_rate", c.mxfp4_rate, Field{"x", "Peak of MXFP4 over 16-bit; 0 = not available", 0, 16});
    v("transpose_mode", c.transpose_mode, Field{"", "Dedicated bit-exact transpose; FP32 takes 2 passes"});
    v("background_transpose", c.background_transpose, Field{"", "A transpose overlaps with other Tensor work"});
    v("max_moving_columns", c.max_moving_columns, Field{"", "Largest moving free size with FP32 output", 1, 65536});
    v("min_array_tile", c.min_array_tile, Field{"", "Smallest row or column tile of the array", 1, 1024});
    v("throttle_start", c.throttle_start, Field{"x", "Share of full rate after an idle phase; 1 = no power ramp", 0, 1, true});
    v("throttle_ramp_ns", c.throttle_ramp_ns, Field{"ns", "Work until full rate", 0, 1e9});
    v("throttle_window_ns", c.throttle_window_ns, Field{"ns", "Window over which low utilisation re-arms the limit", 0, 1e9});
    v("throttle_rearm_below", c.throttle_rearm_below, Field{"x", "Utilisation of the window that re-arms the limit", 0, 1});
    v("throttle_sustained", c.throttle_sustained, Field{"x", "Share of full rate under lasting load; 1 = no limit", 0, 1, true});
    v("throttle_steps", c.throttle_steps, Field{"", "Steps of the limit between zero and full rate", 1, 64});
  }
};

/// Vector engine (DVE).
struct VectorConfig {
  double clock_ghz = 0.96;
  std::uint32_t min_interval_cycles = 64;
  std::uint32_t issue_overhead_cycles = 0;
  std::uint32_t pipe_latency_cycles = 144;
  std::uint32_t memset_latency_cycles = 144;
  std::uint32_t operand_read_cycles = 0;
  double fast_mode_16bit = 1;
  double fast_mode_strided = 1;
  double fast_mode_psum = 1;
  double fast_mode_other = 1;
  double fast_mode_widening = 1;
  bool fast_mode_fp8 = false;
  double tensor_tensor_sbuf = 2;
  double tensor_tensor_16bit = 1;
  double reduce_16bit = 1;
  double memset_16bit = 1;
  double memset_other = 1;
  double reciprocal = 8;
  double exponential = 0;
  double scan = 2;
  double bn_aggr_triple = 13;
  double rand2 = 0;
  double quantize_mx = 0;
  double rand_state = 0;
  std::uint32_t dynamic_interval_cycles = 600;
  double stride_penalty = 1;
  std::uint32_t stride_penalty_bytes = 16;

  template <class V>
  static void describe(V& v, auto& c) {
    v("clock_ghz", c.clock_ghz, Field{"GHz", "Vector engine clock", 0.001, 100});
    v("min_interval_cycles", c.min_interval_cycles, Field{"cycles", "Shortest interval between two instructions", 1, 4096});
    v("issue_overhead_cycles", c.issue_overhead_cycles, Field{"cycles", "Added to the interval of every instruction", 0, 4096});
    v("pipe_latency_cycles", c.pipe_latency_cycles, Field{"cycles", "Fixed latency on top of the streaming time", 0, 100000});
    v("memset_latency_cycles", c.memset_latency_cycles, Field{"cycles", "Fixed latency of memset, which reads nothing", 0, 100000});
    v("operand_read_cycles", c.operand_read_cycles, Field{"cycles", "Fetch of a [P,1] operand from memory", 0, 4096});
    v("fast_mode_16bit", c.fast_mode_16bit,
      Field{"x", "Elements per lane and cycle: copy and tensor_scalar, SBUF to SBUF, 16-bit, contiguous", 0, 16, true});
    v("fast_mode_strided", c.fast_mode_strided, Field{"x", "Same, not contiguous", 0, 16, true});
    v("fast_mode_psum", c.fast_mode_psum, Field{"x", "Same, contiguous, exactly one side in PSUM", 0, 16, true});
    v("fast_mode_other", c.fast_mode_other,
      Field{"x", "Elements per lane and cycle: copy and tensor_scalar, SBUF to SBUF, a type that is not 16-bit", 0, 16, true});
    v("fast_mode_widening", c.fast_mode_widening, Field{"x", "Same, copy of a 16-bit type to FP32", 0, 16, true});
    v("fast_mode_fp8", c.fast_mode_fp8, Field{"", "FP8 counts as 16-bit for the fast modes"});
    v("tensor_tensor_sbuf", c.tensor_tensor_sbuf, Field{"cycles/element", "Two streamed inputs, both from SBUF", 0, 64, true});
    v("tensor_tensor_16bit", c.tensor_tensor_16bit, Field{"cycles/element", "Same, every operand 16-bit and contiguous", 0, 64, true});
    v("reduce_16bit", c.reduce_16bit, Field{"cycles/element", "tensor_reduce add or max, 16-bit in and out", 0, 64, true});
    v("memset_16bit", c.memset_16bit, Field{"cycles/element", "memset of a 16-bit type", 0, 64, true});
    v("memset_other", c.memset_other, Field{"cycles/element", "memset of another type", 0, 64, true});
    v("reciprocal", c.reciprocal, Field{"cycles/element", "reciprocal", 0, 64, true});
    v("exponential", c.exponential, Field{"cycles/element", "exponential; 0 = not available", 0, 64});
    v("scan", c.scan, Field{"cycles/element", "tensor_tensor_scan", 0, 64, true});
    v("bn_aggr_triple", c.bn_aggr_triple, Field{"cycles", "bn_aggr, for each count, mean and variance", 0, 1024, true});
    v("rand2", c.rand2, Field{"cycles/element", "rand2; 0 = not available", 0, 64});
    v("quantize_mx", c.quantize_mx, Field{"cycles/element", "quantize_mx, per source element; 0 = not available", 0, 64});
    v("rand_state", c.rand_state, Field{"cycles", "rand_get_state, rand_set_state; 0 = not available", 0, 4096});
    v("dynamic_interval_cycles", c.dynamic_interval_cycles, Field{"cycles", "Shortest interval with a run-time address", 1, 100000});
    v("stride_penalty", c.stride_penalty, Field{"x", "Streaming time over unit stride for a long inner stride", 1, 16});
    v("stride_penalty_bytes", c.stride_penalty_bytes, Field{"bytes", "Inner stride from which the penalty holds", 1, 65536});
  }
};

/// Scalar engine (ACT).
struct ScalarConfig {
  double clock_ghz = 1.2;
  std::uint32_t min_interval_cycles = 64;
  std::uint32_t issue_overhead_cycles = 0;
  std::uint32_t pipe_latency_cycles = 242;
  std::uint32_t pipe_latency_psum_cycles = 194;
  std::uint32_t operand_read_cycles = 110;
  std::uint32_t accumulator_read_interval_cycles = 64;
  std::uint32_t accumulator_read_latency_cycles = 64;
  double table_load_ns = 1283;
  double fast_mode_16bit = 1;
  double silu = 1;
  bool tensor_ops = true;
  std::uint32_t dynamic_interval_cycles = 600;
  double stride_penalty = 1;
  std::uint32_t stride_penalty_bytes = 16;

  template <class V>
  static void describe(V& v, auto& c) {
    v("clock_ghz", c.clock_ghz, Field{"GHz", "Scalar engine clock; one element per lane and cycle", 0.001, 100});
    v("min_interval_cycles", c.min_interval_cycles, Field{"cycles", "Shortest interval between two instructions", 1, 4096});
    v("issue_overhead_cycles", c.issue_overhead_cycles, Field{"cycles", "Added to the interval of every instruction", 0, 4096});
    v("pipe_latency_cycles", c.pipe_latency_cycles, Field{"cycles", "Fixed latency, source in SBUF", 0, 100000});
    v("pipe_latency_psum_cycles", c.pipe_latency_psum_cycles, Field{"cycles", "Fixed latency, source in PSUM", 0, 100000});
    v("operand_read_cycles", c.operand_read_cycles, Field{"cycles", "Latency added by each bias or scale read from memory", 0, 4096});
    v("accumulator_read_interval_cycles", c.accumulator_read_interval_cycles,
      Field{"cycles", "Interval of the accumulator read-out", 1, 4096});
    v("accumulator_read_latency_cycles", c.accumulator_read_latency_cycles,
      Field{"cycles", "Latency of the accumulator read-out", 1, 100000});
    v("table_load_ns", c.table_load_ns, Field{"ns", "Change of the activation table", 0, 1e6});
    v("fast_mode_16bit", c.fast_mode_16bit, Field{"x", "Elements per lane and cycle: copy and tensor_scalar of 16-bit types", 0, 16, true});
    v("silu", c.silu, Field{"cycles/element", "Activation function silu", 0, 64, true});
    v("tensor_ops", c.tensor_ops, Field{"", "Runs tensor_copy and tensor_scalar besides activation"});
    v("dynamic_interval_cycles", c.dynamic_interval_cycles, Field{"cycles", "Shortest interval with a run-time address", 1, 100000});
    v("stride_penalty", c.stride_penalty, Field{"x", "Streaming time over unit stride for a long inner stride", 1, 16});
    v("stride_penalty_bytes", c.stride_penalty_bytes, Field{"bytes", "Inner stride from which the penalty holds", 1, 65536});
  }
};

/// GpSimd engine (POOL).
struct GpSimdConfig {
  double clock_ghz = 1.2;
  std::uint32_t start_cycles = 150;
  std::uint32_t pipe_latency_cycles = 0;
  double elementwise = 1;
  double two_input = 2;
  double transcendental = 4;
  double power = 16;
  double activation = 0;
  double rng = 1;
  double rand_state = 6;
  double partition_reduce = 12;
  double gather = 4;
  double local_gather_setup = 28;
  double local_gather = 4;
  double nonzero = 4;
  double sequence_bounds = 2;
  double topk = 4;
  double custom_op = 4;
  double dma_gb_per_s = 0;
  std::uint32_t dynamic_interval_cycles = 600;

  template <class V>
  static void describe(V& v, auto& c) {
    v("clock_ghz", c.clock_ghz, Field{"GHz", "GpSimd clock", 0.001, 100});
    v("start_cycles", c.start_cycles, Field{"cycles", "Start cost of every instruction", 1, 100000});
    v("pipe_latency_cycles", c.pipe_latency_cycles, Field{"cycles", "Latency on top of start and streaming time", 0, 100000});
    v("elementwise", c.elementwise, Field{"cycles/element", "One streamed input", 0, 1024, true});
    v("two_input", c.two_input, Field{"cycles/element", "Two streamed inputs", 0, 1024, true});
    v("transcendental", c.transcendental, Field{"cycles/element", "rsqrt and activation functions", 0, 1024, true});
    v("power", c.power, Field{"cycles/element", "power", 0, 1024, true});
    v("activation", c.activation, Field{"cycles/element", "activation functions; 0 = not available", 0, 1024});
    v("rng", c.rng, Field{"cycles/element", "rng", 0, 1024, true});
    v("rand_state", c.rand_state, Field{"cycles", "rand_get_state, rand_set_state, beyond the start", 0, 4096});
    v("partition_reduce", c.partition_reduce, Field{"cycles/element", "tensor_partition_reduce, beyond two starts", 0, 1024, true});
    v("gather", c.gather, Field{"cycles/element", "nc_n_gather, beyond a start for every 512 indices", 0, 1024, true});
    v("local_gather_setup", c.local_gather_setup,
      Field{"cycles", "local_gather, set-up of an index, before the division by its parallel elements", 0, 1024});
    v("local_gather", c.local_gather, Field{"cycles/element", "local_gather, rate behind an index", 0, 1024, true});
    v("nonzero", c.nonzero, Field{"cycles/element", "nonzero_with_count", 0, 1024, true});
    v("sequence_bounds", c.sequence_bounds, Field{"cycles/element", "sequence_bounds", 0, 1024, true});
    v("topk", c.topk, Field{"cycles/element", "topk, per element of 16 partitions", 0, 1024, true});
    v("custom_op", c.custom_op, Field{"cycles/element", "builtin_custom_op, whatever the code does", 0, 1024, true});
    v("dma_gb_per_s", c.dma_gb_per_s, Field{"GB/s", "DMA of the GpSimd processors, one direction; 0 = not available", 0, 1e6});
    v("dynamic_interval_cycles", c.dynamic_interval_cycles, Field{"cycles", "Shortest interval with a run-time address", 1, 100000});
  }
};

/// Instruction sequencers and semaphores, common to the five engines.
struct SequencerConfig {
  double base_clock_ghz = 1.2;
  double semaphore_hop_ns = 30;
  double control_ns = 9;
  double core_barrier_ns = 1000;
  double register_load_ns = 1300;
  std::uint32_t register_load_cycles = 600;
  double register_store_ns = 9;
  bool vector_gpsimd_share_sbuf = false;
  bool vector_scalar_share_psum = false;
  bool psum_bank_exclusive = false;
  bool fast_modes_share_gpsimd_bus = false;

  template <class V>
  static void describe(V& v, auto& c) {
    v("base_clock_ghz", c.base_clock_ghz, Field{"GHz", "Sequencer and SBUF clock; the Sync engine counts in it", 0.001, 100});
    v("semaphore_hop_ns", c.semaphore_hop_ns, Field{"ns", "Result visible to start of the dependent instruction", 0, 1e6});
    v("control_ns", c.control_ns, Field{"ns", "One control instruction of a sequencer", 0, 1e6});
    v("core_barrier_ns", c.core_barrier_ns, Field{"ns", "core_barrier: remote semaphore and back, both cores ready", 0, 1e6});
    v("register_load_ns", c.register_load_ns, Field{"ns", "register_load from HBM; the queue waits for it", 0, 1e6});
    v("register_load_cycles", c.register_load_cycles,
      Field{"cycles", "register_load from SBUF, in cycles of the issuing engine", 0, 100000});
    v("register_store_ns", c.register_store_ns, Field{"ns", "register_store, a posted write", 0, 1e6});
    v("vector_gpsimd_share_sbuf", c.vector_gpsimd_share_sbuf, Field{"", "Vector and GpSimd exclude each other on SBUF"});
    v("vector_scalar_share_psum", c.vector_scalar_share_psum, Field{"", "Vector and Scalar exclude each other on PSUM"});
    v("psum_bank_exclusive", c.psum_bank_exclusive, Field{"", "Vector and Scalar exclude each other on one PSUM bank"});
    v("fast_modes_share_gpsimd_bus", c.fast_modes_share_gpsimd_bus, Field{"", "Vector fast modes fall to 1x while GpSimd uses SBUF"});
  }
};

}  // namespace trnsim
