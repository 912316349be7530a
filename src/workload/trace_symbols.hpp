// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "workload/check.hpp"
#include "workload/trace_parse.hpp"

namespace trnsim {

std::uint64_t hash_of(std::string_view text);

/// Tensors of HBM and tiles alive, by the names that lines use. Numbers of released tiles are given
/// again, and nothing is kept of them, so that memory does not grow with the length of a trace.
class TraceSymbols {
 public:
  struct Tile {
    std::uint64_t name_hash = 0;
    std::uint32_t declared = 0;  ///< Line.
    std::uint32_t last_use = 0;  ///< Line.
    bool alive = false;
    bool broken = false;  ///< Its declaration was refused; uses are not reported again.
  };

  /// False if the name is taken.
  bool add_tensor(const TensorInfo& tensor);
  /// The new tile's number, or none if the name is taken.
  std::optional<TensorId> declare(std::string_view name, const TensorInfo& info, std::uint32_t line);
  /// A tile without a name that lines could use.
  TensorId declare_unnamed(const TensorInfo& info, std::uint32_t line);
  void release(TensorId id);

  [[nodiscard]] std::optional<TensorId> find(std::string_view name) const { return find(hash_of(name)); }
  [[nodiscard]] std::optional<TensorId> find(std::uint64_t name_hash) const;
  [[nodiscard]] bool is_tile(TensorId id) const { return id >= hbm_; }
  [[nodiscard]] Tile& tile(TensorId id) { return tiles_[id - hbm_]; }
  [[nodiscard]] const TensorTable& table() const { return table_; }
  [[nodiscard]] const TensorInfo& info(TensorId id) const { return table_[id]; }
  [[nodiscard]] const std::vector<Tile>& tiles() const { return tiles_; }
  [[nodiscard]] std::vector<std::string_view> names() const;  ///< For messages; at most some hundred.

 private:
  TensorTable table_;
  std::vector<Tile> tiles_;  ///< From the first tile's number on.
  std::vector<TensorId> free_;
  std::unordered_map<std::uint64_t, TensorId> by_name_;
  TensorId hbm_ = 0;
};

/// Ids of instructions as numbers from 1 in the order of definition. Ids that count up from 1, as
/// written by `write_trace`, take no memory.
class IdTable {
 public:
  /// The new id's number; 0 if it is defined already.
  std::uint64_t define(const IdText& id);
  /// Its number, or 0 while it is not defined.
  [[nodiscard]] std::uint64_t find(const IdText& id) const;
  [[nodiscard]] std::uint64_t find(std::uint64_t id_hash) const;
  [[nodiscard]] static std::uint64_t hash(const IdText& id);
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t number = 0;  ///< 0 = empty.
  };
  [[nodiscard]] std::size_t slot(std::uint64_t hash) const;
  void insert(std::uint64_t hash, std::uint64_t number);
  void grow();
  void leave_counting();

  std::uint64_t count_ = 0;
  bool counting_ = true;
  std::vector<Entry> entries_;  ///< Open addressing, a power of two.
};

/// Ranges at fixed addresses in one memory, joined where they overlap: each becomes a tile.
class RangeSet {
 public:
  struct Range {
    std::uint64_t end = 0;
    std::uint32_t first_partition = 0, end_partition = 0;
    std::uint32_t first_line = 0, last_line = 0;
    TensorId tile = kNoTensor;  ///< While it lives.
  };
  void add(std::uint64_t begin, const Range& range);
  /// The range around an address, and where it begins.
  std::pair<const std::uint64_t, Range>* find(std::uint64_t address);
  [[nodiscard]] const std::map<std::uint64_t, Range>& ranges() const { return ranges_; }

 private:
  std::map<std::uint64_t, Range> ranges_;
};

}  // namespace trnsim
