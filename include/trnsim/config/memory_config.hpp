// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <algorithm>
#include <cstdint>

#include "trnsim/config/field.hpp"

namespace trnsim {

/// On-chip memories of one core.
struct SbufConfig {
  std::uint32_t partitions = 128;
  double kib_per_partition = 224;
  std::uint32_t swdge_reserve_bytes = 16384;

  template <class V>
  static void describe(V& v, auto& c) {
    v("partitions", c.partitions, Field{"", "Partitions", 32, 1024});
    v("kib_per_partition", c.kib_per_partition, Field{"KiB", "Capacity of one partition", 0, 65536, true});
    v("swdge_reserve_bytes", c.swdge_reserve_bytes,
      Field{"bytes", "Taken from each partition when a program uses software descriptors", 0, 1 << 20});
  }
};

struct PsumConfig {
  std::uint32_t banks = 8;
  std::uint32_t bank_bytes_per_partition = 2048;
  bool bf16_output = false;

  template <class V>
  static void describe(V& v, auto& c) {
    v("banks", c.banks, Field{"", "Banks per partition", 1, 64});
    v("bank_bytes_per_partition", c.bank_bytes_per_partition, Field{"bytes", "Capacity of one bank in one partition", 64, 65536});
    v("bf16_output", c.bf16_output, Field{"", "The Tensor engine may write and accumulate BF16"});
  }
};

/// DMA rings and engines of one core.
struct DmaModeConfig {
  double issue_interval_ns = 600;
  double trigger_ns = 8;
  double load_start_ns = 751;
  double store_start_ns = 565;
  double gpsimd_start_ns = 0;
  double gpsimd_ns_per_descriptor = 0;
  bool available = true;

  template <class V>
  static void describe(V& v, auto& c) {
    v("issue_interval_ns", c.issue_interval_ns, Field{"ns", "Shortest interval between two copies of one ring", 0, 1e6});
    v("trigger_ns", c.trigger_ns, Field{"ns", "Trigger instruction on the issuing engine", 0, 1e6});
    v("load_start_ns", c.load_start_ns, Field{"ns", "Trigger to first descriptor at the DMA engines, source in HBM", 0, 1e6});
    v("store_start_ns", c.store_start_ns, Field{"ns", "Trigger to first descriptor at the DMA engines, source on chip", 0, 1e6});
    v("gpsimd_start_ns", c.gpsimd_start_ns, Field{"ns", "GpSimd time to build the descriptors of one copy", 0, 1e6});
    v("gpsimd_ns_per_descriptor", c.gpsimd_ns_per_descriptor, Field{"ns", "GpSimd time per descriptor beyond 128", 0, 1e6});
    v("available", c.available, Field{"", "This generation has the mode"});
  }
};

struct DmaConfig {
  std::uint32_t engines = 16;
  double engine_gb_per_s = 23;
  double wire_gb_per_s = 27.2;
  std::uint32_t rings_per_engine = 16;
  double ring_engine_share = 1;
  std::uint32_t ring_depth = 64;
  double descriptor_ns = 1;
  std::uint32_t max_descriptor_bytes = 65536;
  std::uint32_t packet_bytes = 4096;
  std::uint32_t outstanding_bytes = 32768;
  double completion_load_ns = 314;
  double completion_store_ns = 355;
  double transpose_hbm_rate = 0.9;
  double transpose_sbuf_rate = 0.5;
  double element_ns = 7;
  double compute_rate = 0.5;
  DmaModeConfig static_mode;
  DmaModeConfig software_mode;
  DmaModeConfig hardware_mode;

  /// DMA engines that serve one ring: the share, rounded up.
  [[nodiscard]] std::uint32_t engines_per_ring() const {
    const double share = ring_engine_share * engines;
    const auto whole = static_cast<std::uint32_t>(share);
    return std::min(engines, std::max(1U, whole + (share > whole ? 1U : 0U)));
  }
  /// Rings that together reach every engine.
  [[nodiscard]] std::uint32_t rings_for_all_engines() const { return (engines + engines_per_ring() - 1) / engines_per_ring(); }

  template <class V>
  static void describe(V& v, auto& c) {
    v("engines", c.engines, Field{"", "DMA engines per core", 1, 1024});
    v("engine_gb_per_s", c.engine_gb_per_s, Field{"GB/s", "Sustained rate of one engine", 0.001, 1e6});
    v("wire_gb_per_s", c.wire_gb_per_s, Field{"GB/s", "Wire rate of one engine; reported, not reached", 0.001, 1e6});
    v("rings_per_engine", c.rings_per_engine, Field{"", "Rings (queues) that one engine serves round robin", 1, 64});
    v("ring_engine_share", c.ring_engine_share,
      Field{"x", "Share of the engines that serves one ring; the next ring takes the next ones", 0, 1, true});
    v("ring_depth", c.ring_depth, Field{"copies", "Copies a ring holds before its trigger blocks", 1, 65536});
    v("descriptor_ns", c.descriptor_ns, Field{"ns", "Fixed cost of one descriptor on its engine", 0, 1e6});
    v("max_descriptor_bytes", c.max_descriptor_bytes, Field{"bytes", "Largest descriptor", 64, 1 << 24});
    v("packet_bytes", c.packet_bytes, Field{"bytes", "Rings take turns after so many bytes", 64, 1 << 24});
    v("outstanding_bytes", c.outstanding_bytes, Field{"bytes", "Reads in flight of one engine", 64, 1 << 24});
    v("completion_load_ns", c.completion_load_ns, Field{"ns", "Last byte written on chip to semaphore seen by the consumer", 0, 1e6});
    v("completion_store_ns", c.completion_store_ns, Field{"ns", "Last byte written to HBM to semaphore seen by the consumer", 0, 1e6});
    v("transpose_hbm_rate", c.transpose_hbm_rate, Field{"x", "Transposing copy from HBM over a plain copy; 0 = element by element", 0, 1});
    v("transpose_sbuf_rate", c.transpose_sbuf_rate,
      Field{"x", "Transposing copy from SBUF over a plain copy; 0 = element by element", 0, 1});
    v("element_ns", c.element_ns, Field{"ns", "One element of an element-by-element transpose", 0, 1e6});
    v("compute_rate", c.compute_rate, Field{"x", "Bytes of all sources of a dma_compute over a plain copy", 0, 1, true});
    v("static_mode", c.static_mode, Group{"Descriptors built by the host before the run"});
    v("software_mode", c.software_mode, Group{"Descriptors built by GpSimd"});
    v("hardware_mode", c.hardware_mode, Group{"Descriptors built by the hardware block"});
  }
};

/// HBM stacks of the chip.
struct HbmConfig {
  std::uint32_t stacks = 4;
  double gib_per_stack = 24;
  double stack_gb_per_s = 716;
  std::uint32_t pseudo_channels = 32;
  std::uint32_t access_bytes = 32;
  std::uint32_t banks = 32;
  std::uint32_t bank_groups = 4;
  std::uint32_t row_bytes = 1024;
  std::uint32_t interleave_bytes = 256;
  std::uint32_t queue_depth = 16;
  double trcd_ns = 14;
  double trp_ns = 14;
  double tcl_ns = 14;
  double tras_ns = 28;
  double trrd_ns = 2.5;
  double tfaw_ns = 16;
  double twr_ns = 15;
  double trtp_ns = 5;
  double write_to_read_ns = 7.5;
  double read_to_write_ns = 3;
  double trfc_ns = 200;
  double trefi_ns = 3900;
  double idle_latency_ns = 250;
  double remote_stack_ns = 100;

  template <class V>
  static void describe(V& v, auto& c) {
    v("stacks", c.stacks, Field{"", "HBM stacks of the chip", 1, 64});
    v("gib_per_stack", c.gib_per_stack, Field{"GiB", "Capacity of one stack", 0, 4096, true});
    v("stack_gb_per_s", c.stack_gb_per_s, Field{"GB/s", "Peak bandwidth of one stack", 0.001, 1e6});
    v("pseudo_channels", c.pseudo_channels, Field{"", "Pseudo-channels per stack", 1, 256});
    v("access_bytes", c.access_bytes, Field{"bytes", "One burst of a pseudo-channel", 8, 1024});
    v("banks", c.banks, Field{"", "Banks per pseudo-channel", 1, 256});
    v("bank_groups", c.bank_groups, Field{"", "Bank groups per pseudo-channel", 1, 64});
    v("row_bytes", c.row_bytes, Field{"bytes", "Row of one bank", 64, 65536});
    v("interleave_bytes", c.interleave_bytes, Field{"bytes", "Consecutive bytes on one pseudo-channel", 32, 65536});
    v("queue_depth", c.queue_depth, Field{"requests", "Requests a pseudo-channel holds before it pushes back", 1, 4096});
    v("trcd_ns", c.trcd_ns, Field{"ns", "Activate to read or write", 0, 1e6});
    v("trp_ns", c.trp_ns, Field{"ns", "Precharge to activate", 0, 1e6});
    v("tcl_ns", c.tcl_ns, Field{"ns", "Read to first data", 0, 1e6});
    v("tras_ns", c.tras_ns, Field{"ns", "Activate to precharge", 0, 1e6});
    v("trrd_ns", c.trrd_ns, Field{"ns", "Activate to activate of another bank", 0, 1e6});
    v("tfaw_ns", c.tfaw_ns, Field{"ns", "Window of four activates", 0, 1e6});
    v("twr_ns", c.twr_ns, Field{"ns", "Last write data to precharge", 0, 1e6});
    v("trtp_ns", c.trtp_ns, Field{"ns", "Read to precharge", 0, 1e6});
    v("write_to_read_ns", c.write_to_read_ns, Field{"ns", "Bus turn-around, write to read", 0, 1e6});
    v("read_to_write_ns", c.read_to_write_ns, Field{"ns", "Bus turn-around, read to write", 0, 1e6});
    v("trfc_ns", c.trfc_ns, Field{"ns", "Stop of a pseudo-channel for one refresh, its rows closed", 0, 1e6});
    v("trefi_ns", c.trefi_ns, Field{"ns", "Interval of refreshes", 0, 1e9, true});
    v("idle_latency_ns", c.idle_latency_ns, Field{"ns", "DMA engine to stack and back, without the DRAM itself", 0, 1e6});
    v("remote_stack_ns", c.remote_stack_ns, Field{"ns", "Added when the stack is not the core's own", 0, 1e6});
  }
};

}  // namespace trnsim
