// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <cstring>
#include <type_traits>

#include "trnsim/error.hpp"
#include "trnsim/snapshot.hpp"

namespace trnsim {
namespace {

// The reader is a fork of the writer, or its parent: the layout in memory is the format.
static_assert(std::is_trivially_copyable_v<CoreSnapshot> && std::is_trivially_copyable_v<HbmStackCounters> &&
              std::is_trivially_copyable_v<SourceCounters> && std::is_trivially_copyable_v<PartitionPeak>);

struct Head {
  char mark[8];
  std::uint64_t end_fs, instructions, events, runs, unexposed_fs;
  std::uint64_t truncated, cores, hbm, sources, partitions;  ///< Lengths of what follows.
};
constexpr char kMark[8] = {'s', 'n', 'a', 'p', 's', 'h', 'o', 't'};

void put(std::string& bytes, const void* data, std::size_t size) {
  if (size > 0) bytes.append(static_cast<const char*>(data), size);
}

void take(std::string_view& bytes, void* data, std::size_t size) {
  if (bytes.size() < size) throw InternalError("a snapshot from another process is cut short");
  if (size > 0) std::memcpy(data, bytes.data(), size);
  bytes.remove_prefix(size);
}

template <class T>
void take_list(std::string_view& bytes, std::vector<T>& list, std::uint64_t length) {
  if (length > bytes.size() / sizeof(T)) throw InternalError("a snapshot from another process is cut short");
  list.resize(length);
  take(bytes, list.data(), length * sizeof(T));
}

}  // namespace

std::string to_bytes(const Snapshot& s) {
  Head head{{},           s.end_fs,         s.instructions,     s.events, s.runs, s.unexposed_fs, s.truncated.size(), s.cores.size(),
            s.hbm.size(), s.sources.size(), s.partitions.size()};
  std::memcpy(head.mark, kMark, sizeof kMark);
  std::string bytes;
  put(bytes, &head, sizeof head);
  put(bytes, s.truncated.data(), s.truncated.size());
  put(bytes, s.cores.data(), s.cores.size() * sizeof(CoreSnapshot));
  put(bytes, s.hbm.data(), s.hbm.size() * sizeof(HbmStackCounters));
  put(bytes, s.sources.data(), s.sources.size() * sizeof(SourceCounters));
  put(bytes, s.partitions.data(), s.partitions.size() * sizeof(PartitionPeak));
  return bytes;
}

Snapshot snapshot_from_bytes(std::string_view bytes) {
  Head head{};
  take(bytes, &head, sizeof head);
  if (std::memcmp(head.mark, kMark, sizeof kMark) != 0) throw InternalError("what another process handed over is no snapshot");
  Snapshot s;
  s.end_fs = head.end_fs;
  s.instructions = head.instructions;
  s.events = head.events;
  s.runs = head.runs;
  s.unexposed_fs = head.unexposed_fs;
  if (head.truncated > bytes.size()) throw InternalError("a snapshot from another process is cut short");
  s.truncated = bytes.substr(0, head.truncated);
  bytes.remove_prefix(head.truncated);
  take_list(bytes, s.cores, head.cores);
  take_list(bytes, s.hbm, head.hbm);
  take_list(bytes, s.sources, head.sources);
  take_list(bytes, s.partitions, head.partitions);
  if (!bytes.empty()) throw InternalError("a snapshot from another process is longer than it says");
  return s;
}

}  // namespace trnsim
