// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "unit/analysis/hand_made.hpp"

#include <cmath>
#include <stdexcept>

#include "analysis/totals.hpp"
#include "trnsim/config/load.hpp"

namespace trnsim::hand_made {

ChipConfig chip(const std::string& preset) {
  std::vector<std::string> warnings;
  return load_chip(preset, {}, warnings);
}

CoreSnapshot core(const ChipConfig& config, unsigned number, std::uint64_t end_fs, double busy) {
  CoreSnapshot c;
  c.core = number;
  c.end_fs = end_fs;
  for (std::size_t i = 0; i < kEngineCount; ++i) {
    EngineCounters& e = c.engines[i];
    e.elapsed_cycles = cycles_at(end_fs, clock_ghz(config, static_cast<EngineKind>(i)));
    if (static_cast<EngineKind>(i) != EngineKind::Tensor) {
      e.idle_cycles = e.elapsed_cycles;
      continue;
    }
    e.busy_cycles = static_cast<std::uint64_t>(std::llround(busy * static_cast<double>(e.elapsed_cycles)));
    e.stall_cycles[static_cast<std::size_t>(StallReason::WaitDma)] = e.elapsed_cycles - e.busy_cycles;
  }
  c.sbuf.capacity_bytes = config.sbuf_bytes_per_partition() * config.sbuf.partitions;
  c.psum.capacity_bytes = config.psum_bytes_per_partition() * config.sbuf.partitions;
  c.dma.engines = config.dma.engines;
  return c;
}

Snapshot idle_run(const ChipConfig& config, std::uint64_t end_fs, unsigned cores) {
  Snapshot s;
  s.end_fs = end_fs;
  s.hbm.resize(config.hbm.stacks);
  for (unsigned i = 0; i < cores; ++i) {
    s.cores.push_back(core(config, i, end_fs, 0));
    EngineCounters& tensor = s.cores.back().engines[static_cast<std::size_t>(EngineKind::Tensor)];
    tensor.stall_cycles = {};
    tensor.idle_cycles = tensor.elapsed_cycles;
  }
  return s;
}

void add_copy(Snapshot& s, std::uint64_t bytes, std::uint64_t transfers, std::uint64_t descriptors) {
  DmaCounters& dma = s.cores[0].dma;
  dma.issued_bytes += bytes;
  dma.completed_bytes += bytes;
  dma.hbm_read_bytes += bytes;
  dma.transfers += transfers;
  dma.descriptors += descriptors;
  s.cores[0].sbuf.write_bytes += bytes;
  s.hbm[0].read_bytes += bytes;
  s.hbm[0].row_hits += bytes / 32 - bytes / 1024;
  s.hbm[0].row_misses += bytes / 1024;
}

Snapshot matmul_run(const ChipConfig& config, std::uint64_t tiles, std::uint64_t bytes, unsigned cores) {
  const std::uint64_t cycles = tiles * 512;
  const auto end = static_cast<std::uint64_t>(std::ceil(static_cast<double>(cycles) / config.tensor.clock_ghz * 1e6));
  Snapshot s;
  s.end_fs = end;
  s.hbm.resize(config.hbm.stacks);
  s.instructions = tiles * cores;
  for (unsigned i = 0; i < cores; ++i) {
    CoreSnapshot c = core(config, i, end, 1.0);
    c.engines[static_cast<std::size_t>(EngineKind::Tensor)].instructions = 2 * tiles;
    c.tensor.macs[static_cast<std::size_t>(DType::Bf16)] = tiles * 128 * 128 * 512;
    c.tensor.array_cycles = cycles;
    c.tensor.matmuls = c.tensor.loads = tiles;
    c.tensor.load_elements = tiles * 128 * 128;
    c.sbuf.read_bytes = tiles * (128 * 512 + 128 * 128) * 2;
    c.sbuf.peak_bytes = 128 * 1280;
    c.sbuf.peak_bytes_per_partition = 1280;
    c.psum.write_bytes = tiles * 128 * 512 * 4;
    c.psum.peak_bytes = 128 * 2048;
    c.psum.peak_bytes_per_partition = 2048;
    s.partitions.push_back({i, Buffer::Sbuf, 0, 128, c.sbuf.peak_bytes_per_partition});
    s.partitions.push_back({i, Buffer::Psum, 0, 128, c.psum.peak_bytes_per_partition});
    s.cores.push_back(c);
  }
  if (bytes > 0) add_copy(s, bytes, tiles, tiles * 16);
  return s;
}

ResultContext matmul_context(std::uint64_t macs, unsigned cores, DType dtype) {
  ResultContext context;
  context.command = "trnsim run --chip trn2 --kernel matmul --param m=128,n=512,k=128";
  context.workload_name = "matmul";
  context.workload_source = "kernel";
  context.workload_hash = "0123456789abcdef";
  ProgramInfo info;
  info.name = "matmul";
  info.params = {{"k", "128"}, {"m", "128"}, {"n", "512"}};
  info.macs = macs;
  info.flops = 2 * macs;
  info.dtype = dtype;
  context.programs.assign(cores, info);
  return context;
}

double component(const Result& result, const std::string& name) {
  for (const auto& [key, pj] : result.energy.components_pj) {
    if (key == name) return pj;
  }
  throw std::out_of_range(name);
}

nlohmann::ordered_json document(const Result& result) {
  auto json = nlohmann::ordered_json::parse(to_json(result));
  json.erase("run_info");
  return json;
}

}  // namespace trnsim::hand_made
