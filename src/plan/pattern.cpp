// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/pattern.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace trnsim {
namespace {

constexpr std::uint64_t kMaxRuns = 1'000'000;

class Builder {
 public:
  Builder(std::uint64_t lo, std::uint64_t run) {
    pattern_.lo = lo;
    pattern_.run = run;
  }

  void add(std::int64_t stride, std::uint64_t count) {
    if (count <= 1) return;
    if (stride < 0) pattern_.lo -= static_cast<std::uint64_t>(-stride) * (count - 1);
    if (stride == 0) return;
    pattern_.outer[pattern_.rank++] = {static_cast<std::uint64_t>(std::abs(stride)), count};
  }

  Pattern finish() {
    for (unsigned i = 1; i < pattern_.rank; ++i) {  // insertion sort: seven at most
      for (unsigned k = i; k > 0 && pattern_.outer[k].stride < pattern_.outer[k - 1].stride; --k)
        std::swap(pattern_.outer[k], pattern_.outer[k - 1]);
    }
    unsigned kept = 0;
    for (unsigned i = 0; i < pattern_.rank; ++i) {
      const auto d = pattern_.outer[i];
      if (kept == 0 && d.stride <= pattern_.run) {
        pattern_.run += d.stride * (d.count - 1);
      } else if (kept > 0 && d.stride == pattern_.outer[kept - 1].stride * pattern_.outer[kept - 1].count) {
        pattern_.outer[kept - 1].count *= d.count;
      } else {
        pattern_.outer[kept++] = d;
      }
    }
    pattern_.rank = kept;
    for (unsigned i = kept; i < pattern_.outer.size(); ++i) pattern_.outer[i] = {};
    return pattern_;
  }

 private:
  Pattern pattern_;
};

std::uint64_t runs(const Pattern& p) {
  std::uint64_t n = 1;
  for (unsigned i = 0; i < p.rank; ++i) n *= p.outer[i].count;
  return n;
}

/// Whether [lo, hi) meets the pattern's dimensions below `level`, addresses relative to its first byte.
bool meets(const Pattern& p, unsigned level, std::int64_t lo, std::int64_t hi) {
  std::int64_t extent = static_cast<std::int64_t>(p.run);
  for (unsigned i = 0; i < level; ++i) extent += static_cast<std::int64_t>(p.outer[i].stride * (p.outer[i].count - 1));
  if (hi <= 0 || lo >= extent) return false;
  if (level == 0) return true;
  const auto stride = static_cast<std::int64_t>(p.outer[level - 1].stride);
  const auto last = static_cast<std::int64_t>(p.outer[level - 1].count) - 1;
  const std::int64_t inner = extent - stride * last;
  const std::int64_t first = lo - inner < 0 ? 0 : (lo - inner) / stride + 1;
  for (std::int64_t i = first; i <= std::min(last, (hi - 1) / stride); ++i) {
    if (meets(p, level - 1, lo - i * stride, hi - i * stride)) return true;
  }
  return false;
}

bool any_run_meets(const Pattern& a, unsigned level, std::uint64_t offset, const Pattern& b) {
  if (level == 0) {
    const auto lo = static_cast<std::int64_t>(offset) - static_cast<std::int64_t>(b.lo);
    return meets(b, b.rank, lo, lo + static_cast<std::int64_t>(a.run));
  }
  for (std::uint64_t i = 0; i < a.outer[level - 1].count; ++i) {
    if (any_run_meets(a, level - 1, offset + i * a.outer[level - 1].stride, b)) return true;
  }
  return false;
}

}  // namespace

Pattern free_pattern(const Operand& operand, std::uint64_t base) {
  const std::uint64_t bytes = element_bytes(operand.dtype);
  Builder builder(base + operand.offset, bytes);
  for (unsigned i = 0; i < operand.rank; ++i)
    builder.add(std::int64_t{operand.free[i].stride} * static_cast<std::int64_t>(bytes), operand.free[i].count);
  return builder.finish();
}

Pattern hbm_pattern(const Operand& operand, std::uint64_t base) {
  const std::uint64_t bytes = element_bytes(operand.dtype);
  Builder builder(base + operand.offset, bytes);
  for (unsigned i = 0; i < operand.rank; ++i)
    builder.add(std::int64_t{operand.free[i].stride} * static_cast<std::int64_t>(bytes), operand.free[i].count);
  builder.add(operand.row_stride, operand.partitions);
  return builder.finish();
}

bool overlap(const Pattern& a, const Pattern& b) {
  if (a.hi() <= b.lo || b.hi() <= a.lo) return false;
  if (a.dense() && b.dense()) return true;
  const bool a_first = runs(a) <= runs(b);
  const Pattern& fewer = a_first ? a : b;
  if (runs(fewer) > kMaxRuns) return true;
  return any_run_meets(fewer, fewer.rank, fewer.lo, a_first ? b : a);
}

}  // namespace trnsim
