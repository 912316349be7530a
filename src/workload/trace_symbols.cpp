// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/trace_symbols.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace trnsim {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  return x ^ (x >> 32);
}

}  // namespace

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL ^ text.size();
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t n = std::min<std::size_t>(text.size(), sizeof word);
    std::memcpy(&word, text.data(), n);
    hash = mixed(hash ^ word) + 0x9e3779b97f4a7c15ULL;
    text.remove_prefix(n);
  }
  return mixed(hash);
}

bool TraceSymbols::add_tensor(const TensorInfo& tensor) {
  table_.push_back(tensor);
  return by_name_.emplace(hash_of(tensor.name), hbm_++).second;
}

std::optional<TensorId> TraceSymbols::declare(std::string_view name, const TensorInfo& info, std::uint32_t line) {
  const std::uint64_t hash = hash_of(name);
  const auto [at, added] = by_name_.emplace(hash, kNoTensor);
  if (!added) return std::nullopt;
  at->second = declare_unnamed(info, line);
  tile(at->second).name_hash = hash;
  return at->second;
}

TensorId TraceSymbols::declare_unnamed(const TensorInfo& info, std::uint32_t line) {
  TensorId id = static_cast<TensorId>(table_.size());
  if (free_.empty()) {
    table_.push_back(info);
    tiles_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
    table_[id] = info;
  }
  tile(id) = {0, line, line, true, false};
  return id;
}

void TraceSymbols::release(TensorId id) {
  if (tile(id).name_hash != 0) by_name_.erase(tile(id).name_hash);
  tile(id).alive = false;
  table_[id].partitions = 0;
  free_.push_back(id);
}

std::optional<TensorId> TraceSymbols::find(std::uint64_t name_hash) const {
  const auto at = by_name_.find(name_hash);
  if (at == by_name_.end()) return std::nullopt;
  return at->second;
}

std::vector<std::string_view> TraceSymbols::names() const {
  constexpr std::size_t kMost = 500;
  std::vector<std::string_view> names;
  for (std::size_t i = table_.size(); i-- > 0 && names.size() < kMost;) {
    if (i < hbm_ || tiles_[i - hbm_].alive) names.push_back(table_[i].name);
  }
  return names;
}

std::uint64_t IdTable::hash(const IdText& id) {
  return id.kind == IdText::Kind::Number ? mixed(id.number ^ 0x5bd1e995a5a5a5a5ULL) : hash_of(id.text);
}

std::size_t IdTable::slot(std::uint64_t hash) const {
  std::size_t at = hash & (entries_.size() - 1);
  while (entries_[at].number != 0 && entries_[at].hash != hash) at = (at + 1) & (entries_.size() - 1);
  return at;
}

void IdTable::grow() {
  std::vector<Entry> old(std::max<std::size_t>(1024, entries_.size() * 2));
  old.swap(entries_);
  for (const Entry& e : old) {
    if (e.number != 0) entries_[slot(e.hash)] = e;
  }
}

void IdTable::insert(std::uint64_t hash, std::uint64_t number) {
  if ((number + 1) * 4 > entries_.size() * 3) grow();
  entries_[slot(hash)] = {hash, static_cast<std::uint32_t>(number)};
}

void IdTable::leave_counting() {
  counting_ = false;
  for (std::uint64_t n = 1; n <= count_; ++n) insert(hash({IdText::Kind::Number, n, {}}), n);
  if (entries_.empty()) grow();
}

std::uint64_t IdTable::define(const IdText& id) {
  if (counting_) {
    if (id.kind == IdText::Kind::Number && id.number == count_ + 1) return ++count_;
    if (id.kind == IdText::Kind::Number && id.number != 0 && id.number <= count_) return 0;
    leave_counting();
  }
  const std::uint64_t h = hash(id);
  if (find(h) != 0) return 0;
  insert(h, ++count_);
  return count_;
}

std::uint64_t IdTable::find(std::uint64_t id_hash) const { return entries_.empty() ? 0 : entries_[slot(id_hash)].number; }

std::uint64_t IdTable::find(const IdText& id) const {
  if (!counting_) return find(hash(id));
  return id.kind == IdText::Kind::Number && id.number <= count_ ? id.number : 0;
}

void RangeSet::add(std::uint64_t begin, const Range& range) {
  Range joined = range;
  auto at = ranges_.upper_bound(begin);
  if (at != ranges_.begin() && std::prev(at)->second.end > begin) --at;
  while (at != ranges_.end() && at->first < joined.end) {
    begin = std::min(begin, at->first);
    joined.end = std::max(joined.end, at->second.end);
    joined.first_partition = std::min(joined.first_partition, at->second.first_partition);
    joined.end_partition = std::max(joined.end_partition, at->second.end_partition);
    joined.first_line = std::min(joined.first_line, at->second.first_line);
    joined.last_line = std::max(joined.last_line, at->second.last_line);
    at = ranges_.erase(at);
  }
  ranges_.emplace(begin, joined);
}

std::pair<const std::uint64_t, RangeSet::Range>* RangeSet::find(std::uint64_t address) {
  auto at = ranges_.upper_bound(address);
  if (at == ranges_.begin()) return nullptr;
  --at;
  return address < at->second.end ? &*at : nullptr;
}

}  // namespace trnsim
