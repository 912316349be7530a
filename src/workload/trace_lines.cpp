// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>
#include <cstring>

#include "trnsim/error.hpp"
#include "workload/trace_source.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kInitial = 128 * 1024;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

TraceLines::TraceLines(std::shared_ptr<const TraceInput> input)
    : input_(std::move(input)), text_(TraceText::open(input_)), buffer_(kInitial + kPadding) {}

std::string TraceLines::too_long() { return "line longer than " + std::to_string(kLongest >> 20) + " MiB"; }

bool TraceLines::fill() {
  if (at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ + kPadding == buffer_.size()) {
    if (end_ >= kLongest) {
      throw ProgramError(input_->name() + ":" + std::to_string(number_ + 1) + ": " + too_long());
    }
    buffer_.resize(2 * end_ + kPadding);
  }
  const std::size_t n = text_->read(buffer_.data() + end_, buffer_.size() - kPadding - end_);
  end_ += n;
  at_end_ = n == 0;
  return !at_end_;
}

bool TraceLines::raw_line(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const char* from = buffer_.data() + searched;
    if (const auto* newline = static_cast<const char*>(std::memchr(from, '\n', end_ - searched))) {
      line = {buffer_.data() + begin_, static_cast<std::size_t>(newline - buffer_.data()) - begin_};
      begin_ += line.size() + 1;
      return true;
    }
    searched = end_ - begin_;  // the rest moves to the front
    if (fill()) continue;
    line = {buffer_.data() + begin_, end_ - begin_};
    begin_ = end_;
    return !line.empty();
  }
}

bool TraceLines::next(std::string_view& line) {
  while (raw_line(line)) {
    ++number_;
    if (number_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!blank(line)) return true;
  }
  return false;
}

}  // namespace trnsim
