// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timeline/perfetto_sink.hpp"

#include <algorithm>

namespace trnsim {
namespace {

// Field numbers of perfetto/trace/*.proto.
namespace packet {
enum : std::uint32_t {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInterned = 12,
  kFlags = 13,
  kClock = 58,
  kDefaults = 59,
  kDescriptor = 60,
  kFirstOnSequence = 87
};
}
namespace event {
enum : std::uint32_t {
  kAnnotation = 4,
  kType = 9,
  kNameNumber = 10,
  kTrack = 11,
  kName = 23,
  kNumberValue = 44,
  kFlow = 47,
  kLastFlow = 48
};
enum : std::uint64_t { kBegin = 1, kEnd = 2, kCounter = 4 };
}  // namespace event
namespace interned {
enum : std::uint32_t { kNames = 2, kArgNames = 3, kTexts = 29 };
}

constexpr std::uint32_t kPacket = 1;
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;
constexpr std::uint64_t kBootTime = 6, kIncrementalClock = 64;
constexpr std::uint64_t kExplicitOrder = 3;

std::uint64_t rounded_ns(Time t) { return (t.value + kFsPerNs / 2) / kFsPerNs; }

void introduce(Protobuf& data, std::uint32_t field, std::uint64_t number, std::string_view text) {
  data.message(field, [&](Protobuf& entry) {
    entry.varint(1, number);
    entry.text(2, text);
  });
}

}  // namespace

TrackId PerfettoSink::group(const std::string& name) { return describe(0, name, {}, false); }

TrackId PerfettoSink::track(TrackId group, const std::string& name) {
  const TrackId track = describe(group, name, {}, false);
  open_sequence(track);
  return track;
}

TrackId PerfettoSink::counter(TrackId group, const std::string& name, const std::string& unit) {
  const TrackId track = describe(group, name, unit, true);
  open_sequence(track);
  return track;
}

TrackId PerfettoSink::describe(TrackId group, const std::string& name, const std::string& unit, bool is_counter) {
  const auto track = static_cast<TrackId>(sequences_.size());
  sequences_.emplace_back();
  Protobuf(buffer()).message(kPacket, [&](Protobuf& p) {
    p.varint(packet::kSequence, track);
    p.message(packet::kDescriptor, [&](Protobuf& descriptor) {
      descriptor.varint(1, track);
      descriptor.text(2, name);
      if (group != 0) descriptor.varint(5, group);
      if (is_counter) descriptor.message(8, [&](Protobuf& counter) { counter.text(6, unit); });
      descriptor.varint(11, kExplicitOrder);
      descriptor.varint(12, track);
    });
  });
  return track;
}

void PerfettoSink::open_sequence(TrackId track) {
  Protobuf(buffer()).message(kPacket, [&](Protobuf& p) {
    p.varint(packet::kSequence, track);
    p.varint(packet::kFlags, kStateCleared);
    p.message(packet::kClockSnapshot, [&](Protobuf& snapshot) {
      snapshot.message(1, [](Protobuf& clock) {
        clock.varint(1, kBootTime);
        clock.varint(2, 0);
      });
      snapshot.message(1, [](Protobuf& clock) {
        clock.varint(1, kIncrementalClock);
        clock.varint(2, 0);
        clock.varint(3, 1);
      });
    });
    p.message(packet::kDefaults, [&](Protobuf& defaults) {
      defaults.message(packet::kTrackEvent, [&](Protobuf& e) { e.varint(event::kTrack, track); });
      defaults.varint(packet::kClock, kIncrementalClock);
    });
    p.varint(packet::kFirstOnSequence, 1);
  });
}

std::uint64_t PerfettoSink::step_to(Sequence& sequence, Time at) {
  const std::uint64_t ns = std::max(rounded_ns(at), sequence.last_ns);
  const std::uint64_t step = ns - sequence.last_ns;
  sequence.last_ns = ns;
  return step;
}

PerfettoSink::Interned PerfettoSink::intern(Strings& strings, std::string_view text) {
  if (const auto found = strings.find(text); found != strings.end()) return {found->second, false};
  if (strings.size() >= kMostStrings) return {};
  const std::uint64_t number = strings.size() + 1;
  strings.emplace(text, number);
  return {number, true};
}

void PerfettoSink::slice(const TraceSlice& s) {
  Sequence& sequence = sequences_[s.track];
  const Interned name = intern(sequence.names, s.name);
  arg_numbers_.clear();
  text_numbers_.clear();
  bool fresh = name.is_new;
  for (const TraceArg& arg : s.args) {
    arg_numbers_.push_back(intern(sequence.arg_names, arg.name));
    text_numbers_.push_back(arg.text.empty() ? Interned{} : intern(sequence.texts, arg.text));
    fresh = fresh || arg_numbers_.back().is_new || text_numbers_.back().is_new;
  }
  const std::uint64_t step = step_to(sequence, s.from);
  Protobuf out(buffer());
  out.message(kPacket, [&](Protobuf& p) {
    p.varint(packet::kTimestamp, step);
    p.varint(packet::kSequence, s.track);
    p.varint(packet::kFlags, kNeedsState);
    if (fresh) {
      p.message(packet::kInterned, [&](Protobuf& data) {
        if (name.is_new) introduce(data, interned::kNames, name.number, s.name);
        for (std::size_t i = 0; i < s.args.size(); ++i) {
          if (arg_numbers_[i].is_new) introduce(data, interned::kArgNames, arg_numbers_[i].number, s.args[i].name);
          if (text_numbers_[i].is_new) introduce(data, interned::kTexts, text_numbers_[i].number, s.args[i].text);
        }
      });
    }
    p.message(packet::kTrackEvent, [&](Protobuf& e) {
      e.varint(event::kType, event::kBegin);
      name.number != 0 ? e.varint(event::kNameNumber, name.number) : e.text(event::kName, s.name);
      for (std::size_t i = 0; i < s.args.size(); ++i) {
        e.message(event::kAnnotation, [&](Protobuf& annotation) {
          const TraceArg& arg = s.args[i];
          annotation.varint(1, arg_numbers_[i].number);
          if (arg.text.empty()) return annotation.varint(3, arg.number);
          text_numbers_[i].number != 0 ? annotation.varint(17, text_numbers_[i].number) : annotation.text(6, arg.text);
        });
      }
      for (const std::uint64_t flow : s.flows_out) e.fixed64(event::kFlow, flow);
      for (const std::uint64_t flow : s.flows_in) e.fixed64(event::kLastFlow, flow);
    });
  });
  const std::uint64_t length = step_to(sequence, s.until);
  out.message(kPacket, [&](Protobuf& p) {
    p.varint(packet::kTimestamp, length);
    p.varint(packet::kSequence, s.track);
    p.message(packet::kTrackEvent, [](Protobuf& e) { e.varint(event::kType, event::kEnd); });
  });
  flush_if_full();
}

void PerfettoSink::value(TrackId counter, Time at, double value) {
  const std::uint64_t step = step_to(sequences_[counter], at);
  Protobuf(buffer()).message(kPacket, [&](Protobuf& p) {
    p.varint(packet::kTimestamp, step);
    p.varint(packet::kSequence, counter);
    p.message(packet::kTrackEvent, [&](Protobuf& e) {
      e.varint(event::kType, event::kCounter);
      e.number(event::kNumberValue, value);
    });
  });
  flush_if_full();
}

}  // namespace trnsim
