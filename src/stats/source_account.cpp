// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "stats/source_account.hpp"

#include <algorithm>

namespace trnsim {

void CompletionFrontier::complete(Time now, Time at, std::uint64_t& exposed_fs) {
  while (!waiting_.empty() && waiting_.front().at <= now.value) take_earliest(kForever);
  if (waiting_.empty() && at <= now) return advance(at, exposed_fs);
  waiting_.push_back({at.value, order_++, &exposed_fs});
  std::push_heap(waiting_.begin(), waiting_.end());
  if (waiting_.size() > kMost) take_earliest(kForever);
}

void CompletionFrontier::finish(Time end) {
  while (!waiting_.empty()) take_earliest(end);
}

void CompletionFrontier::take_earliest(Time end) {
  std::pop_heap(waiting_.begin(), waiting_.end());
  const Waiting first = waiting_.back();
  waiting_.pop_back();
  advance(std::min(Time{first.at}, end), *first.exposed_fs);
}

void CompletionFrontier::advance(Time at, std::uint64_t& exposed_fs) {
  if (at <= reached_) return;
  exposed_fs += at.value - reached_.value;
  reached_ = at;
}

}  // namespace trnsim
