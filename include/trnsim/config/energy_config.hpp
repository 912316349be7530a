// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>

#include "trnsim/config/field.hpp"

namespace trnsim {

/// Energy of one multiply-accumulate by operand type; 0 = the generation lacks the type.
struct MacEnergyConfig {
  double fp32 = 0, tf32 = 0, bf16 = 0, fp16 = 0, fp8_double_row = 0, fp8 = 0, mxfp8 = 0, mxfp4 = 0;

  template <class V>
  static void describe(V& v, auto& c) {
    v("fp32", c.fp32, Field{"pJ/MAC", "FP32", 0, 1e6});
    v("tf32", c.tf32, Field{"pJ/MAC", "TF32", 0, 1e6});
    v("bf16", c.bf16, Field{"pJ/MAC", "BF16", 0, 1e6});
    v("fp16", c.fp16, Field{"pJ/MAC", "FP16", 0, 1e6});
    v("fp8_double_row", c.fp8_double_row, Field{"pJ/MAC", "FP8, two rows at a time", 0, 1e6});
    v("fp8", c.fp8, Field{"pJ/MAC", "FP8 at the 16-bit rate", 0, 1e6});
    v("mxfp8", c.mxfp8, Field{"pJ/MAC", "MXFP8", 0, 1e6});
    v("mxfp4", c.mxfp4, Field{"pJ/MAC", "MXFP4", 0, 1e6});
  }
};

/// Energy coefficients: count × coefficient per component, static power × time.
struct EnergyConfig {
  MacEnergyConfig mac_pj;
  double idle_lane_fraction = 0.15;
  double weight_load_pj_per_element = 0;
  double psum_accumulate_pj_per_element = 0;
  double sbuf_read_pj_per_byte = 0;
  double sbuf_write_pj_per_byte = 0;
  double psum_read_pj_per_byte = 0;
  double psum_write_pj_per_byte = 0;
  double vector_pj_per_element = 0;
  double vector_fast_pj_per_element = 0;
  double vector_exponential_pj_per_element = 0;
  double scalar_pj_per_element = 0;
  double gpsimd_pj_per_element = 0;
  double instruction_pj = 0;
  double hbm_pj_per_bit = 0;
  double dma_pj_per_byte = 0;
  double dma_descriptor_pj = 0;
  double link_pj_per_byte = 0;
  double core_leakage_w = 0;
  double uncore_w = 0;
  double hbm_background_w_per_stack = 0;
  double serdes_w = 0;
  double clock_w_per_active_core = 0;
  double power_limit_w = 0;

  template <class V>
  static void describe(V& v, auto& c) {
    v("mac_pj", c.mac_pj, Group{"Energy of one multiply-accumulate"});
    v("idle_lane_fraction", c.idle_lane_fraction, Field{"x", "Share of a MAC's energy that an unused slot of the busy array costs", 0, 1});
    v("weight_load_pj_per_element", c.weight_load_pj_per_element, Field{"pJ/element", "LoadStationary", 0, 1e6});
    v("psum_accumulate_pj_per_element", c.psum_accumulate_pj_per_element, Field{"pJ/element", "FP32 accumulate into PSUM", 0, 1e6});
    v("sbuf_read_pj_per_byte", c.sbuf_read_pj_per_byte, Field{"pJ/B", "SBUF read", 0, 1e6});
    v("sbuf_write_pj_per_byte", c.sbuf_write_pj_per_byte, Field{"pJ/B", "SBUF write", 0, 1e6});
    v("psum_read_pj_per_byte", c.psum_read_pj_per_byte, Field{"pJ/B", "PSUM read", 0, 1e6});
    v("psum_write_pj_per_byte", c.psum_write_pj_per_byte, Field{"pJ/B", "PSUM write", 0, 1e6});
    v("vector_pj_per_element", c.vector_pj_per_element, Field{"pJ/element", "Vector engine", 0, 1e6});
    v("vector_fast_pj_per_element", c.vector_fast_pj_per_element, Field{"pJ/element", "Vector engine in a 2x or 4x mode", 0, 1e6});
    v("vector_exponential_pj_per_element", c.vector_exponential_pj_per_element, Field{"pJ/element", "Vector exponential", 0, 1e6});
    v("scalar_pj_per_element", c.scalar_pj_per_element, Field{"pJ/element", "Scalar engine", 0, 1e6});
    v("gpsimd_pj_per_element", c.gpsimd_pj_per_element, Field{"pJ/element", "GpSimd", 0, 1e6});
    v("instruction_pj", c.instruction_pj, Field{"pJ", "Fetch and issue of one instruction", 0, 1e6});
    v("hbm_pj_per_bit", c.hbm_pj_per_bit, Field{"pJ/bit", "HBM device, PHY and controller", 0, 1e6});
    v("dma_pj_per_byte", c.dma_pj_per_byte, Field{"pJ/B", "DMA engine and transport on the die", 0, 1e6});
    v("dma_descriptor_pj", c.dma_descriptor_pj, Field{"pJ", "One descriptor", 0, 1e6});
    v("link_pj_per_byte", c.link_pj_per_byte, Field{"pJ/B", "Chip-to-chip link, dynamic part", 0, 1e6});
    v("core_leakage_w", c.core_leakage_w, Field{"W", "Leakage per core", 0, 1e6});
    v("uncore_w", c.uncore_w, Field{"W", "Rest of the chip", 0, 1e6});
    v("hbm_background_w_per_stack", c.hbm_background_w_per_stack, Field{"W", "Background of one HBM stack", 0, 1e6});
    v("serdes_w", c.serdes_w, Field{"W", "Links, always on", 0, 1e6});
    v("clock_w_per_active_core", c.clock_w_per_active_core, Field{"W", "Clock tree of a core that has work", 0, 1e6});
    v("power_limit_w", c.power_limit_w, Field{"W", "Default chip power; exceeding it is reported", 0, 1e6});
  }
};

}  // namespace trnsim
