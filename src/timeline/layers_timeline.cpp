// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "timeline/counters.hpp"

namespace trnsim {

TimelineSummary write_layers_timeline(const TimelineOptions& options, const Result& result) {
  TimelineWriter writer(options);
  TraceSink& sink = writer.sink();
  const TrackId host = sink.group("host");
  const TrackId launches = sink.track(host, "launch");
  const TrackId gaps = sink.track(host, "gaps");
  const TrackId chip = sink.group("chip");
  const TrackId layers = sink.track(chip, "layers");
  const TrackId power = sink.counter(chip, "power", "mW");
  std::uint64_t at = 0;
  const std::uint64_t launch = from_ns(result.launch_ns).value;
  const std::uint64_t gap = from_ns(result.chip.chip.launch_gap_ns).value;
  for (const LayerResult& layer : result.layers) {
    if (&layer != &result.layers.front() && gap > 0) {
      const TraceArg args[] = {{"gap_ps", (gap + kFsPerPs / 2) / kFsPerPs, {}},
                               {"note", 0, "chip.launch_gap_ns: in no device time and no energy"}};
      writer.slice({gaps, Time{at}, Time{at + gap}, "gap", args, {}, {}});
      writer.value(power, Time{at}, 0);
      at += gap;
    }
    const std::uint64_t until = at + layer.result->snapshot.end_fs;
    const std::string product = fmt::format("{}x{}x{}", layer.layer.m, layer.layer.n, layer.layer.k);
    const TraceArg args[] = {{"product", 0, product},
                             {"cycles", layer.result->cycles, {}},
                             {"limited by", 0, layer.result->bottleneck.resource},
                             {"instructions", layer.result->instructions, {}}};
    writer.slice({layers, Time{at}, Time{until}, layer.layer.name, args, {}, {}});
    const std::uint64_t ns = std::max<std::uint64_t>(1, (until + kFsPerNs / 2) / kFsPerNs - (at + kFsPerNs / 2) / kFsPerNs);
    writer.value(power, Time{at}, layer.result->energy.total_pj / static_cast<double>(ns));
    at = until;
  }
  writer.value(power, Time{at}, 0);
  const std::string note = "the launch of the list, before its device time";
  const TraceArg args[] = {{"launch_ps", (launch + kFsPerPs / 2) / kFsPerPs, {}}, {"note", 0, note}};
  writer.slice({launches, Time{0}, Time{0}, "launch", args, {}, {}});
  writer.summary().bytes = sink.close();
  return writer.summary();
}

}  // namespace trnsim
