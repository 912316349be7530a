// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timeline/chrome_sink.hpp"

#include <fmt/format.h>

#include <iterator>

namespace trnsim {
namespace {

void append_quoted(std::string& to, std::string_view text) {
  to.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') to.push_back('\\');
    if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(to), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      to.push_back(c);
    }
  }
  to.push_back('"');
}

std::string quoted(std::string_view text) {
  std::string result;
  append_quoted(result, text);
  return result;
}

/// Microseconds with six decimals: whole picoseconds.
void append_us(std::string& to, std::uint64_t ps) { fmt::format_to(std::back_inserter(to), "{}.{:06}", ps / 1'000'000, ps % 1'000'000); }

std::uint64_t rounded_ps(Time t) { return (t.value + kFsPerPs / 2) / kFsPerPs; }

}  // namespace

ChromeSink::ChromeSink(const std::string& path) : TraceSink(path) {
  buffer() +=
      "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"name\":\"trace_format\",\"args\":{\"name\":\"trnsim\"}}";
}

TrackId ChromeSink::group(const std::string& name) {
  const auto id = static_cast<TrackId>(tracks_.size());
  tracks_.push_back({id, {}});
  fmt::format_to(std::back_inserter(buffer()),
                 ",\n{{\"ph\":\"M\",\"pid\":{0},\"name\":\"process_name\",\"args\":{{\"name\":{1}}}}},\n"
                 "{{\"ph\":\"M\",\"pid\":{0},\"name\":\"process_sort_index\",\"args\":{{\"sort_index\":{0}}}}}",
                 id, quoted(name));
  return id;
}

TrackId ChromeSink::track(TrackId group, const std::string& name) {
  const auto id = static_cast<TrackId>(tracks_.size());
  tracks_.push_back({group, {}});
  fmt::format_to(std::back_inserter(buffer()),
                 ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_name\",\"args\":{{\"name\":{2}}}}},\n"
                 "{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{1}}}}}",
                 group, id, quoted(name));
  return id;
}

TrackId ChromeSink::counter(TrackId group, const std::string& name, const std::string& unit) {
  const auto id = static_cast<TrackId>(tracks_.size());
  tracks_.push_back({group, quoted(fmt::format("{} ({})", name, unit))});
  return id;
}

void ChromeSink::head(std::string_view phase, TrackId track, Time at) {
  fmt::format_to(std::back_inserter(buffer()), ",\n{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":", phase, tracks_[track].group, track);
  append_us(buffer(), rounded_ps(at));
}

void ChromeSink::arrow(std::string_view phase, TrackId track, Time at, std::uint64_t number) {
  head(phase, track, at);
  fmt::format_to(std::back_inserter(buffer()), ",\"id\":{},\"name\":\"result\",\"cat\":\"result\"{}}}", number,
                 phase == "f" ? ",\"bp\":\"e\"" : "");
}

void ChromeSink::slice(const TraceSlice& s) {
  std::string& out = buffer();
  head("X", s.track, s.from);
  out += ",\"dur\":";
  append_us(out, rounded_ps(s.until) - rounded_ps(s.from));
  out += ",\"name\":";
  append_quoted(out, s.name);
  out += ",\"args\":{";
  for (const TraceArg& arg : s.args) {
    if (&arg != s.args.data()) out.push_back(',');
    append_quoted(out, arg.name);
    out.push_back(':');
    if (arg.text.empty()) {
      fmt::format_to(std::back_inserter(out), "{}", arg.number);
    } else {
      append_quoted(out, arg.text);
    }
  }
  out += "}}";
  for (const std::uint64_t flow : s.flows_out) arrow("s", s.track, s.from, flow);
  for (const std::uint64_t flow : s.flows_in) arrow("f", s.track, s.from, flow);
  flush_if_full();
}

void ChromeSink::value(TrackId counter, Time at, double value) {
  head("C", counter, at);
  fmt::format_to(std::back_inserter(buffer()), ",\"name\":{},\"args\":{{\"value\":{}}}}}", tracks_[counter].name, value);
  flush_if_full();
}

void ChromeSink::end() { buffer() += "\n]}\n"; }

}  // namespace trnsim
