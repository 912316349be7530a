// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "plan/pattern.hpp"
#include "plan/step.hpp"

namespace trnsim {

/// Semaphore waits of one instruction: the largest count per actor, with the reason of that count.
class WaitSet {
 public:
  void add(Actor actor, std::uint64_t count, StallReason reason, bool for_load);
  void clear() { size_ = 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Wait& operator[](std::size_t i) const { return waits_[i]; }

 private:
  std::size_t size_ = 0;
  std::array<Wait, 128> waits_{};
};

/// Part of an on-chip memory: partitions × bytes of each. `pattern` is null when every byte of
/// [lo, hi) is touched; of [first_partition, end_partition) every `partition_step`-th counts.
struct Region {
  std::uint32_t lo = 0, hi = 0;
  std::uint16_t first_partition = 0, end_partition = 0, partition_step = 1;
  std::shared_ptr<const Pattern> pattern;
};
bool overlap(const Region& a, const Region& b);

/// An access being planned: who does it and as which of its instructions.
struct Access {
  Actor actor = 0;
  std::uint64_t count = 0;
  bool for_load = false;
};

/// Remembers who last read and wrote each part of one on-chip memory and turns a new access into
/// waits: read after write, write after read, write after write.
///
/// An actor works in order, so its own earlier reads and writes never hold back its writes; a DMA
/// ring is the exception for reads, since its copies move data on several engines.
class AccessLedger {
 public:
  AccessLedger(std::uint64_t bytes_per_partition, std::uint32_t granule_bytes, const Progress& progress);

  void read(const Region& region, const Access& access, WaitSet& waits);
  void write(const Region& region, const Access& access, WaitSet& waits);

 private:
  struct Entry {
    Region region;
    std::uint64_t count;
    Actor actor;
    bool write;
  };
  using Granule = std::vector<Entry>;

  void remember(Granule& granule, const Region& region, const Access& access, bool write);
  void forget_settled(Granule& granule) const;

  std::uint32_t granule_bytes_;
  const Progress* progress_;
  std::vector<Granule> granules_;
};

/// The same for one HBM tensor.
class TensorLedger {
 public:
  void read(const Pattern& pattern, const Access& access, const Progress& progress, WaitSet& waits);
  void write(const Pattern& pattern, const Access& access, const Progress& progress, WaitSet& waits);

 private:
  struct Entry {
    Pattern pattern;
    std::uint64_t count;
    Actor actor;
    bool write;
  };
  void remember(const Pattern& pattern, const Access& access, bool write, const Progress& progress);
  std::vector<Entry> entries_;
  std::size_t limit_ = 64;  ///< Size at which settled entries are dropped.
};

}  // namespace trnsim
