// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "core/core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace trnsim {

Core::Core(sc_core::sc_module_name name, const ChipConfig& config, const Work& work, Context& context)
    : sc_module(name),
      config_(config),
      number_(work.core),
      names_sources_(!work.program.info().files.empty()),
      sources_(work.frontier),
      semaphores_("semaphores", kFirstRing + config.dma.rings_per_engine),
      ports_("ports", config.sequencer),
      planner_(config, work.program, work.core, work.layout, semaphores_, context.observer),
      window_("window", planner_),
      tensor_("tensor", parts(EngineKind::Tensor, config.tensor.clock_ghz), config.tensor, context),
      vector_("vector", parts(EngineKind::Vector, config.vector.clock_ghz), config.sequencer, Time{}, context),
      scalar_("scalar", parts(EngineKind::Scalar, config.scalar.clock_ghz), config.sequencer, from_ns(config.scalar.table_load_ns),
              context),
      gpsimd_("gpsimd", parts(EngineKind::GpSimd, config.gpsimd.clock_ghz), config.sequencer, Time{}, context),
      sync_("sync", parts(EngineKind::Sync, config.sequencer.base_clock_ghz), context),
      dma_engines_("dma_engine"),
      rings_("ring") {
  dma_engines_.init(config.dma.engines, [&](const char* unit, std::size_t i) {
    return new DmaEngine(unit, config.dma, number_, dma_account_, context, static_cast<std::uint32_t>(i));
  });
  DmaRing::Wiring wiring{{},
                         &dma_account_,
                         config.sbuf.partitions,
                         [this](Transfer& transfer) { planner_.recycle(&transfer); },
                         names_sources_ ? &sources_ : nullptr,
                         context.observer,
                         number_};
  rings_.init(config.dma.rings_per_engine, [&](const char* unit, std::size_t i) {
    wiring.engines = engines_of_ring(i);
    return new DmaRing(unit, config.dma, static_cast<Actor>(kFirstRing + i), wiring);
  });
  dma_account_.counters.engines = config.dma.engines;

  for (DmaEngine& engine : dma_engines_) engine.hbm(hbm);
  for (DmaRing& ring : rings_) ring.semaphores(semaphores_);
  for (Engine* engine : std::initializer_list<Engine*>{&tensor_, &vector_, &scalar_, &gpsimd_, &sync_}) bind(*engine);
  for (LaneEngine* engine : {&vector_, &scalar_, &gpsimd_}) engine->ports(ports_);
}

/// Rings take the engines in turn, each its share of them.
std::vector<DmaEngine*> Core::engines_of_ring(std::size_t ring) {
  const std::size_t share = config_.dma.engines_per_ring();
  std::vector<DmaEngine*> engines;
  for (std::size_t i = 0; i < share; ++i) engines.push_back(&dma_engines_[(ring * share + i) % dma_engines_.size()]);
  return engines;
}

std::uint64_t Core::dma_engines_used() const {
  std::set<const DmaEngine*> used;
  for (const DmaRing& ring : rings_) {
    if (ring.used()) used.insert(ring.engines().begin(), ring.engines().end());
  }
  return used.size();
}

void Core::bind(Engine& engine) {
  engine.supply(window_);
  engine.semaphores(semaphores_);
  for (DmaRing& ring : rings_) engine.rings(ring);
}

Engine::Parts Core::parts(EngineKind kind, double ghz) {
  return {kind,   Clock(ghz), DmaTiming(config_.dma), from_ns(config_.sequencer.semaphore_hop_ns), names_sources_ ? &sources_ : nullptr,
          number_};
}

bool Core::finished() const {
  const bool taken = std::ranges::all_of(engines(), [&](const Engine* e) { return window_.exhausted(e->which()); });
  return taken && std::all_of(rings_.begin(), rings_.end(), [](const DmaRing& ring) { return ring.outstanding() == 0; });
}

Time Core::end() const {
  Time end = semaphores_.last_visible();
  for (const Engine* engine : engines()) end = std::max(end, engine->booked_until());
  return end;
}

Time Core::last_start() const {
  Time last;
  for (const Engine* engine : engines()) last = std::max(last, engine->last_start());
  return last;
}

void Core::describe_waits(std::vector<std::string>& lines) const {
  for (const Engine* engine : engines()) {
    const std::string waits = engine->waiting_for();
    if (!waits.empty()) lines.push_back(fmt::format("core {}: {}", number_, waits));
  }
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    if (rings_[i].outstanding() > 0)
      lines.push_back(fmt::format("core {}: DMA ring {} has {} copies under way", number_, i, rings_[i].outstanding()));
  }
}

CoreSnapshot Core::snapshot(Time end) {
  CoreSnapshot snapshot;
  snapshot.core = number_;
  snapshot.end_fs = std::min(end, this->end()).value;
  for (Engine* engine : std::initializer_list<Engine*>{&tensor_, &vector_, &scalar_, &gpsimd_, &sync_}) {
    snapshot.engines[static_cast<std::size_t>(engine->which())] = engine->finish(end);
  }
  snapshot.tensor = tensor_.tensor_counters();
  const auto memory = [&](const TileAllocator& tiles, std::uint64_t per_partition) {
    TrafficCounters counters;
    counters.peak_bytes = tiles.peak_bytes();
    counters.peak_bytes_per_partition = tiles.peak_bytes_per_partition();
    counters.capacity_bytes = per_partition * config_.sbuf.partitions;
    return counters;
  };
  snapshot.sbuf = memory(planner_.sbuf(), config_.sbuf_bytes_per_partition());
  snapshot.psum = memory(planner_.psum(), config_.psum_bytes_per_partition());
  for (const Engine* engine : engines()) {
    snapshot.sbuf.read_bytes += engine->traffic().sbuf_read;
    snapshot.sbuf.write_bytes += engine->traffic().sbuf_write;
    snapshot.psum.read_bytes += engine->traffic().psum_read;
    snapshot.psum.write_bytes += engine->traffic().psum_write;
  }
  snapshot.dma = dma_account_.counters;
  for (const DmaRing& ring : rings_) snapshot.dma.issue_limited_fs = std::max(snapshot.dma.issue_limited_fs, ring.front_end_fs(end));
  snapshot.dma.engines_used = dma_engines_used();
  snapshot.window_limited = window_.window_limited();
  return snapshot;
}

void Core::add_partitions(std::vector<PartitionPeak>& to) const {
  for (const auto& [buffer, tiles] : {std::pair(Buffer::Sbuf, &planner_.sbuf()), std::pair(Buffer::Psum, &planner_.psum())}) {
    std::uint32_t first = 0;
    for (const TileAllocator::Range& range : tiles->ranges()) {
      const bool same = first > 0 && to.back().peak_bytes == range.peak;
      if (same) to.back().end = range.end;
      else to.push_back({number_, buffer, first, range.end, range.peak});
      first = range.end;
    }
  }
}

void Core::add_sources(std::vector<SourceCounters>& to) const {
  std::size_t number = 0;
  for (SourceCounters counters : sources_.lines()) {
    counters.core = number_;
    counters.at = planner_.sources()[number++];
    if (counters.instructions != 0 || counters.exposed_fs != 0) to.push_back(counters);
  }
}

}  // namespace trnsim
