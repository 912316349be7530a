// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timeline/trace_sink.hpp"

#include <filesystem>
#include <ostream>

#include "timeline/chrome_sink.hpp"
#include "timeline/perfetto_sink.hpp"

namespace trnsim {

TraceSink::TraceSink(const std::string& path) : path_(path), packed_(path.ends_with(".gz") || path.ends_with(".zst")), file_(path) {
  buffer_.reserve(kBlock + kBlock / 8);
}

void TraceSink::flush() {
  file_.stream().write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  written_ += buffer_.size();
  buffer_.clear();
}

std::uint64_t TraceSink::file_bytes() {
  if (!packed_) return written_ + buffer_.size();
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(path_, ignored);
  return (ignored ? 0 : size) + buffer_.size() / 4;
}

std::uint64_t TraceSink::close() {
  end();
  flush();
  file_.close();
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(path_, ignored);
  return ignored ? written_ : size;
}

std::unique_ptr<TraceSink> open_sink(const TimelineOptions& options) {
  if (options.format == TimelineFormat::Chrome) return std::make_unique<ChromeSink>(options.path);
  return std::make_unique<PerfettoSink>(options.path);
}

}  // namespace trnsim
