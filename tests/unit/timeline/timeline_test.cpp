// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/timeline.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/forked.hpp"
#include "trnsim/workload.hpp"

namespace trnsim {
namespace {

using test::preset;

/// Fields of a protobuf message, in order; throws on bytes that are none.
struct Field {
  std::uint64_t number = 0, value = 0;
  std::string_view bytes;
};

std::vector<Field> fields_of(std::string_view data) {
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(data.at(at++));
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
  };
  std::vector<Field> fields;
  while (at < data.size()) {
    const std::uint64_t key = varint();
    Field field{key >> 3, 0, {}};
    if ((key & 7) == 0) {
      field.value = varint();
    } else if ((key & 7) == 1) {
      for (unsigned i = 0; i < 8; ++i) field.value |= std::uint64_t{static_cast<unsigned char>(data.at(at++))} << 8 * i;
    } else if ((key & 7) == 2) {
      const std::uint64_t length = varint();
      if (length > data.size() - at) throw std::runtime_error("a message is cut short");
      field.bytes = data.substr(at, length);
      at += length;
    } else {
      throw std::runtime_error("an unknown wire type");
    }
    fields.push_back(field);
  }
  return fields;
}

/// What a viewer knows of the file.
struct Reader {
  struct Slice {
    std::string name;
    std::uint64_t from = 0, until = 0;
    std::map<std::string, std::uint64_t> numbers;
    std::map<std::string, std::string> texts;
  };
  struct Track {
    std::string name, unit;
    std::uint64_t parent = 0, ns = 0;
    std::map<std::uint64_t, std::string> names, arg_names, texts;
    std::vector<Slice> slices;
    std::size_t open = 0;
    std::vector<std::pair<std::uint64_t, double>> values;
  };
  std::map<std::uint64_t, Track> tracks;
  std::multiset<std::uint64_t> flows_out, flows_in;

  explicit Reader(const std::string& data) {
    for (const Field& packet : fields_of(data)) read(packet.bytes);
  }

  [[nodiscard]] const Track& track(const std::string& group, const std::string& name) const {
    for (const auto& [id, t] : tracks) {
      if (t.name == name && t.parent != 0 && tracks.at(t.parent).name == group) return t;
    }
    throw std::runtime_error("no track " + group + "/" + name);
  }

  /// Of a counter over the file's own time.
  [[nodiscard]] static double integral(const Track& t) {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < t.values.size(); ++i)
      sum += t.values[i].second * static_cast<double>(t.values[i + 1].first - t.values[i].first);
    return sum;
  }

 private:
  void read(std::string_view packet) {
    std::uint64_t sequence = 0, step = 0;
    for (const Field& f : fields_of(packet)) {
      if (f.number == 8) step = f.value;
      if (f.number == 10) sequence = f.value;
    }
    Track& t = tracks[sequence];
    t.ns += step;
    for (const Field& f : fields_of(packet)) {
      if (f.number == 60) describe(f.bytes);
      if (f.number == 12) introduce(t, f.bytes);
    }
    for (const Field& f : fields_of(packet)) {
      if (f.number == 11) event(t, f.bytes);
    }
  }
  void describe(std::string_view bytes) {
    Track described;
    std::uint64_t id = 0;
    for (const Field& f : fields_of(bytes)) {
      if (f.number == 1) id = f.value;
      if (f.number == 2) described.name = f.bytes;
      if (f.number == 5) described.parent = f.value;
      if (f.number == 8) described.unit = fields_of(f.bytes).at(0).bytes;
    }
    tracks[id] = described;
  }
  static void introduce(Track& t, std::string_view bytes) {
    for (const Field& f : fields_of(bytes)) {
      const auto entry = fields_of(f.bytes);
      auto& table = f.number == 2 ? t.names : f.number == 3 ? t.arg_names : t.texts;
      EXPECT_TRUE(table.emplace(entry.at(0).value, entry.at(1).bytes).second);
    }
  }
  void event(Track& t, std::string_view bytes) {
    std::uint64_t type = 0;
    double value = 0;
    Slice slice;
    for (const Field& f : fields_of(bytes)) {
      if (f.number == 9) type = f.value;
      if (f.number == 10) slice.name = t.names.at(f.value);
      if (f.number == 44) value = std::bit_cast<double>(f.value);
      if (f.number == 47) flows_out.insert(f.value);
      if (f.number == 48) flows_in.insert(f.value);
      if (f.number == 4) annotate(t, slice, f.bytes);
    }
    if (type == 1) {
      EXPECT_EQ(t.open++, 0U) << "slices overlap";
      slice.from = t.ns;
      t.slices.push_back(slice);
    } else if (type == 2) {
      EXPECT_EQ(t.open--, 1U);
      t.slices.back().until = t.ns;
    } else {
      t.values.emplace_back(t.ns, value);
    }
  }
  static void annotate(const Track& t, Slice& slice, std::string_view bytes) {
    std::string name;
    for (const Field& f : fields_of(bytes)) {
      if (f.number == 1) name = t.arg_names.at(f.value);
      if (f.number == 3) slice.numbers[name] = f.value;
      if (f.number == 17) slice.texts[name] = t.texts.at(f.value);
      if (f.number == 6) slice.texts[name] = f.bytes;
    }
  }
};

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Written {
  Snapshot snapshot;
  Result result;
  TimelineSummary summary;
  std::string file;
};

Written run(TimelineOptions options, const std::string& chip, const std::string& kernel, const std::string& params, unsigned cores = 1,
            std::optional<Time> max_time = {}) {
  options.path = (std::filesystem::path(testing::TempDir()) /
                  (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".timeline"))
                     .string();
  std::ranges::replace(options.path.begin() + static_cast<std::ptrdiff_t>(testing::TempDir().size()), options.path.end(), '/', '_');
  const ChipConfig config = preset(chip);
  Workload workload = make_kernel(kernel, parse_params({params}), config, cores);
  Timeline timeline(options);
  RunOptions how;
  how.observer = &timeline;
  how.max_time = max_time;
  Written written;
  ResultContext context;
  for (const auto& program : workload.programs) context.programs.push_back(program->info());
  written.snapshot = simulate(config, workload, how);
  forget_simulation();
  written.result = make_result(config, written.snapshot, context);
  written.summary = timeline.finish(written.result);
  written.file = read_all(options.path);
  std::filesystem::remove(options.path);
  return written;
}

/// Busy and stalled cycles of the slices, as the account of an engine has them.
EngineCounters sums_of(const Reader::Track& track) {
  EngineCounters sums;
  for (const Reader::Slice& slice : track.slices) {
    const bool merged = slice.numbers.contains("instructions");
    if (merged) sums.busy_cycles += slice.numbers.at("busy");
    bool stall = false;
    for (std::size_t i = 0; i < kStallReasonCount; ++i) {
      const std::string name(name_of(static_cast<StallReason>(i)));
      if (merged && slice.numbers.contains(name)) sums.stall_cycles[i] += slice.numbers.at(name);
      if (!merged && slice.name == name) sums.stall_cycles[i] += slice.numbers.at("cycles");
      stall = stall || slice.name == name;
    }
    if (!merged && !stall) sums.busy_cycles += slice.numbers.at("cycles");
  }
  return sums;
}

void expect_engines(const Reader& file, const Snapshot& snapshot) {
  for (const CoreSnapshot& core : snapshot.cores) {
    for (std::size_t e = 0; e < kEngineCount; ++e) {
      const std::string name(name_of(static_cast<EngineKind>(e)));
      const EngineCounters sums = sums_of(file.track("core " + std::to_string(core.core), name));
      EXPECT_EQ(sums.busy_cycles, core.engines[e].busy_cycles) << name;
      EXPECT_EQ(sums.stall_cycles, core.engines[e].stall_cycles) << name;
    }
  }
}

constexpr const char* kAttention = "batch=1,heads=1,seq_q=512,seq_k=512,head_dim=64";

TEST(Timeline, SlicesOfAnEngineAddUpToItsAccount) {
  const Written r = run({}, "trn2", "attention", kAttention);
  expect_engines(Reader(r.file), r.snapshot);
}

TEST(Timeline, EveryCoreHasItsTracks) {
  const Written r = run({}, "trn2", "matmul", "m=512,n=512,k=512,schedule=naive", 2);
  expect_engines(Reader(r.file), r.snapshot);
}

TEST(Timeline, MergedSlicesAddUpToo) {
  TimelineOptions options;
  options.merge = 7;
  const Written r = run(options, "trn2", "attention", kAttention);
  expect_engines(Reader(r.file), r.snapshot);
  EXPECT_LT(r.summary.slices, run({}, "trn2", "attention", kAttention).summary.slices / 2);
}

TEST(Timeline, PowerOverTimeIsTheEnergyOfTheRun) {
  for (const char* chip : {"trn1", "trn2"}) {
    const Written r = run({}, chip, "attention", kAttention);
    const double pj = Reader::integral(Reader(r.file).track("chip", "power"));
    EXPECT_NEAR(pj / r.result.energy.total_pj, 1.0, 1e-6);
  }
}

TEST(Timeline, BandwidthOverTimeIsTheTraffic) {
  const Written r = run({}, "trn2", "matmul", "m=512,n=1024,k=512", 2);
  const Reader file(r.file);
  double read = 0, write = 0, dma = 0;
  for (const HbmStackCounters& s : r.snapshot.hbm) {
    read += static_cast<double>(s.read_bytes);
    write += static_cast<double>(s.write_bytes);
  }
  for (const CoreSnapshot& c : r.snapshot.cores) dma += static_cast<double>(c.dma.completed_bytes);
  EXPECT_NEAR(Reader::integral(file.track("chip", "HBM read bandwidth")) / read, 1.0, 1e-9);
  EXPECT_NEAR(Reader::integral(file.track("chip", "HBM write bandwidth")) / write, 1.0, 1e-9);
  EXPECT_NEAR(Reader::integral(file.track("chip", "DMA bandwidth")) / dma, 1.0, 1e-9);
}

TEST(Timeline, UtilisationOverTimeIsTheBusyTimeOfTheArray) {
  const Written r = run({}, "trn2", "matmul", "m=512,n=1024,k=512");
  const double busy_ns = Reader::integral(Reader(r.file).track("core 0", "PE utilisation")) / 100;
  const double cycles = static_cast<double>(r.snapshot.cores[0].tensor.array_cycles);
  EXPECT_NEAR(busy_ns * r.result.chip.tensor.clock_ghz / cycles, 1.0, 1e-6);
}

TEST(Timeline, OccupancyStaysWithinTheMemoryAndEndsEmpty) {
  const Written r = run({}, "trn2", "attention", kAttention);
  for (const auto& [name, memory] : {std::pair("SBUF in use", r.snapshot.cores[0].sbuf), {"PSUM in use", r.snapshot.cores[0].psum}}) {
    const Reader reader(r.file);
    const Reader::Track& track = reader.track("core 0", name);
    double most = 0;
    for (const auto& [ns, value] : track.values) {
      EXPECT_GE(value, 0);
      most = std::max(most, value);
    }
    EXPECT_GT(most, 0);
    EXPECT_LE(most, static_cast<double>(memory.capacity_bytes));
    EXPECT_EQ(track.values.back().second, 0);
  }
}

TEST(Timeline, EveryArrowHasTwoEnds) {
  const Written r = run({}, "trn2", "attention", kAttention);
  const Reader file(r.file);
  EXPECT_GT(r.summary.flows, 0U);
  EXPECT_EQ(file.flows_in.size(), r.summary.flows);
  EXPECT_EQ(file.flows_in, file.flows_out);
}

TEST(Timeline, SlicesNameTheInstructionItsOperandsAndBytes) {
  const Written r = run({}, "trn2", "matmul", "m=256,n=512,k=256");
  const Reader file(r.file);
  bool matmul = false, copy = false;
  for (const Reader::Slice& s : file.track("core 0", "tensor").slices)
    matmul = matmul || (s.name == "nc_matmul" && s.texts.contains("operands") && s.texts.at("operands").find("=") != std::string::npos);
  for (const Reader::Slice& s : file.track("core 0 DMA", "ring 0").slices)
    copy = copy || (s.name == "dma_copy" && s.numbers.at("bytes") > 0);
  EXPECT_TRUE(matmul);
  EXPECT_TRUE(copy);
}

TEST(Timeline, TheSameRunGivesTheSameBytes) {
  EXPECT_EQ(run({}, "trn2", "attention", kAttention).file, run({}, "trn2", "attention", kAttention).file);
}

TEST(Timeline, AStoppedRunIsCutAtItsEnd) {
  const Written r = run({}, "trn2", "matmul", "m=512,n=1024,k=512", 1, Time{9 * kFsPerUs});
  ASSERT_FALSE(r.snapshot.truncated.empty());
  const Reader file(r.file);
  expect_engines(file, r.snapshot);
  for (const auto& [id, track] : file.tracks) {
    EXPECT_EQ(track.open, 0U);
    for (const Reader::Slice& s : track.slices) EXPECT_LE(s.until, 9001U) << track.name;
  }
}

TEST(Timeline, AtItsLimitTheFileIsValidAndSaysSo) {
  TimelineOptions options;
  options.limit_bytes = kLeastTimelineBytes;
  const Written r = run(options, "trn2", "matmul", "m=2048,n=2048,k=2048,schedule=naive");
  EXPECT_GT(r.summary.merge, 1U);
  EXPECT_LE(r.file.size(), options.limit_bytes);
  EXPECT_EQ(r.file.size(), r.summary.bytes);
  const Reader file(r.file);
  EXPECT_NEAR(Reader::integral(file.track("chip", "power")) / r.result.energy.total_pj, 1.0, 1e-6);
  const std::string warning = timeline_warning(r.summary, "t.pftrace");
  EXPECT_NE(warning.find(r.summary.cut ? "limit" : "share a slice"), std::string::npos) << warning;
  if (!r.summary.cut) return expect_engines(file, r.snapshot);
  EXPECT_NE(file.track("chip", "run").slices.at(0).texts.at("cut").find("limit"), std::string::npos);
}

TEST(Timeline, TheChromeFormatHasTheSameSums) {
  TimelineOptions options;
  options.format = TimelineFormat::Chrome;
  const Written r = run(options, "trn2", "attention", kAttention);
  const auto json = nlohmann::json::parse(r.file);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> threads;
  std::map<std::string, std::uint64_t> cycles;
  for (const auto& e : json.at("traceEvents")) {
    if (e.at("name") == "thread_name") threads[{e.at("pid"), e.at("tid")}] = e.at("args").at("name");
    if (e.at("ph") != "X" || !e.at("args").contains("cycles")) continue;
    cycles[threads[{e.at("pid"), e.at("tid")}]] += e.at("args").at("cycles").get<std::uint64_t>();
  }
  for (std::size_t k = 0; k < kEngineCount; ++k) {
    const EngineCounters& engine = r.snapshot.cores[0].engines[k];
    EXPECT_EQ(cycles[std::string(name_of(static_cast<EngineKind>(k)))], engine.elapsed_cycles - engine.idle_cycles);
  }
}

}  // namespace
}  // namespace trnsim
