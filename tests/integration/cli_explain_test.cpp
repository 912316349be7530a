// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// trnsim explain: laws that hold for every kernel, and verdicts with their arithmetic.
#include <algorithm>
#include <cmath>

#include "integration/cli.hpp"
#include "integration/schema_check.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

struct Work {
  std::string chip, kernel, params;
};

const std::vector<Work> kTwenty{{"trn2", "matmul", "m=512,n=512,k=512"},
                                {"trn2", "matmul", "m=512,n=512,k=512,schedule=naive"},
                                {"trn2", "matmul", "m=512,n=512,k=512,schedule=hoisted"},
                                {"trn1", "matmul", "m=512,n=512,k=512,schedule=blocked"},
                                {"trn3", "matmul", "m=512,n=512,k=512,dtype=fp8_e4m3"},
                                {"trn2", "matmul", "m=130,n=700,k=300,dtype=fp32"},
                                {"trn2", "matmul", "m=1,n=1024,k=2048"},
                                {"inf2", "matmul", "m=256,n=256,k=256"},
                                {"trn2", "attention", "batch=1,heads=1,seq_q=512,seq_k=512,head_dim=64"},
                                {"trn2", "attention", "batch=1,heads=2,seq_q=256,seq_k=256,head_dim=128,causal=true"},
                                {"trn3", "attention", "batch=1,heads=1,seq_q=512,seq_k=512,head_dim=64"},
                                {"trn2", "copy", "bytes=1048576"},
                                {"trn1", "copy", "bytes=262144,bytes_per_partition=64"},
                                {"trn2", "vector_add", "rows=512,cols=2048"},
                                {"trn2", "softmax", "rows=512,cols=2048"},
                                {"trn1", "softmax", "rows=300,cols=1000"},
                                {"trn2", "rmsnorm", "rows=512,cols=1024"},
                                {"trn2", "layernorm", "rows=512,cols=1024"},
                                {"trn2", "rope", "seq=512,heads=4"},
                                {"trn2", "adamw", "rows=512,cols=1024"}};

class CliExplain : public Cli {
 protected:
  /// The explanation of a kernel.
  Json explain(const Work& work, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args{"explain", "--chip", work.chip, "--kernel", work.kernel, "--param", work.params, "--json", "-", "-q"};
    args.insert(args.end(), more.begin(), more.end());
    const Outcome outcome = trnsim(args);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.code == 0 ? Json::parse(outcome.out) : Json{};
  }
  /// The result of the same run.
  Json run(const Work& work) const {
    const Outcome outcome = trnsim({"run", "--chip", work.chip, "--kernel", work.kernel, "--param", work.params, "--json", "-", "-q"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
  static double group(const Json& json, const char* name) { return json["critical_path"]["groups"][name]; }
  static double share(const Json& json, const char* part) { return json["critical_path"]["parts"][part]["share"]; }
};

class EveryKernel : public CliExplain, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(EveryKernel, PathAndPartsAreTheDeviceTimeAndFasterPartsAreNotSlower) {
  const Work& work = kTwenty[GetParam()];
  const Json json = explain(work);
  const double time = json["time_ns"];
  EXPECT_EQ(time, run(work)["time_ns"]) << "observing changes nothing";
  EXPECT_NEAR(json["critical_path"]["length_ns"].get<double>(), time, 0.0005);
  double parts = 0, segments = 0;
  for (const auto& [name, part] : json["critical_path"]["parts"].items()) parts += part["ns"].get<double>();
  for (const Json& segment : json["critical_path"]["segments"]) segments += segment["ns"].get<double>();
  EXPECT_NEAR(parts, time, 0.01);
  EXPECT_NEAR(segments, time, 0.01);
  EXPECT_LT(share(json, "other"), 0.02) << "the chain leads to the first instruction";
  EXPECT_GE(json["what_if"].size(), 10U);
  double last = 0;
  for (const Json& what_if : json["what_if"]) {
    ASSERT_TRUE(what_if["time_ns"].is_number()) << what_if.dump();
    EXPECT_LE(what_if["time_ns"].get<double>(), 1.01 * time) << what_if.dump();
    EXPECT_GE(what_if["time_ns"].get<double>(), last) << "sorted by gain";
    last = what_if["time_ns"];
  }
}

TEST_P(EveryKernel, NoWhatIfGainsMoreThanItsPartHasOnThePath) {
  const Work& work = kTwenty[GetParam()];
  const Json json = explain(work);
  const double time = json["time_ns"];
  for (const Json& what_if : json["what_if"]) {
    if (!what_if["free"]) continue;
    const std::string resource = what_if["resource"];
    if (resource != "synchronisation" && resource != "table loads") continue;
    const double on_path = resource == "table loads" ? share(json, "table_load") : group(json, "synchronisation");
    EXPECT_LE(what_if["gain_ns"].get<double>(), (on_path + 0.05) * time) << resource;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernel, ::testing::Range<std::size_t>(0, kTwenty.size()), [](const auto& tested) {
  return kTwenty[tested.param].chip + "_" + kTwenty[tested.param].kernel + "_" + std::to_string(tested.param);
});

TEST_F(CliExplain, NaiveMatmulIsLimitedByDmaIssue) {
  const Work work{"trn2", "matmul", "m=4096,n=4096,k=4096,schedule=naive"};
  const Json json = explain(work, {"--no-what-if"}), config = run(work)["chip"]["config"];
  // 32 × 8 × 32 tile products load two operands each, 32 × 8 results are stored, all on one ring.
  const double copies = 32 * 8 * 32 * 2 + 32 * 8;
  const double issue_ns = copies * config["dma"]["hardware_mode"]["issue_interval_ns"].get<double>();
  EXPECT_EQ(json["bottleneck"]["resource"], "DMA issue");
  EXPECT_GE(json["time_ns"].get<double>(), issue_ns);
  EXPECT_LE(json["time_ns"].get<double>(), 1.1 * issue_ns);
  EXPECT_GT(share(json, "dma_issue"), 0.9);
}

TEST_F(CliExplain, OptimizedMatmulIsLimitedByTheTensorArray) {
  const Work work{"trn2", "matmul", "m=4096,n=4096,k=4096"};
  const Json json = explain(work, {"--no-what-if"}), config = run(work)["chip"]["config"];
  // 128 × 128 multiply-accumulates a cycle.
  const double array_ns = std::pow(4096.0, 3) / (128 * 128) / config["tensor"]["clock_ghz"].get<double>();
  EXPECT_EQ(json["bottleneck"]["resource"], "tensor array");
  EXPECT_GE(json["time_ns"].get<double>(), array_ns);
  EXPECT_LE(json["time_ns"].get<double>(), 1.1 * array_ns);
  EXPECT_GT(group(json, "tensor"), 0.9);
}

TEST_F(CliExplain, DecodeMatmulIsLimitedByTheBandwidthOfDmaAndHbm) {
  const Work work{"trn2", "matmul", "m=1,n=8192,k=8192"};
  const Json json = explain(work, {"--no-what-if"}), config = run(work)["chip"]["config"];
  // Every weight is read once, 2 bytes each.
  const double rate = config["dma"]["engines"].get<double>() * config["dma"]["engine_gb_per_s"].get<double>();
  const double bytes_ns = 2.0 * 8192 * 8192 / std::min(rate, config["hbm"]["stack_gb_per_s"].get<double>());
  const std::string resource = json["bottleneck"]["resource"];
  EXPECT_TRUE(resource == "DMA engines" || resource == "HBM bandwidth") << resource;
  EXPECT_GE(json["time_ns"].get<double>(), bytes_ns);
  EXPECT_LE(json["time_ns"].get<double>(), 1.15 * bytes_ns);
  EXPECT_GT(share(json, "dma_transfer") + group(json, "hbm"), 0.8);
}

TEST_F(CliExplain, AttentionIsLimitedByTheScalarEngineWhoseLargestPartAreTheExponentials) {
  const Work work{"trn2", "attention", "batch=1,heads=1,seq_q=4096,seq_k=4096,head_dim=64"};
  const Json json = explain(work, {"--no-what-if"}), config = run(work)["chip"]["config"];
  // One exponential per pair of positions, one element per lane and cycle on 128 lanes: 109.2 us at 1.2 GHz.
  const double lanes = 128, exponentials_ns = 4096.0 * 4096 / lanes / config["scalar"]["clock_ghz"].get<double>();
  // The transposed exponentials leave PSUM once more, seven of eight pieces by Scalar: 95.6 us. What remains is issue.
  const double copies_ns = 7.0 / 8 * exponentials_ns;
  // Vector: the maximum of every score, 136.5 us at 0.96 GHz, and the eighth piece in its fast mode.
  const double maxima_ns = 4096.0 * 4096 / lanes / config["vector"]["clock_ghz"].get<double>();
  const double scalar_ns = json["resources"]["scalar"]["bound_ns"], vector_ns = json["resources"]["vector"]["bound_ns"];
  EXPECT_GE(scalar_ns, exponentials_ns + copies_ns);
  EXPECT_LE(scalar_ns, 1.15 * (exponentials_ns + copies_ns));
  EXPECT_GE(vector_ns, maxima_ns);
  EXPECT_LE(vector_ns, 0.95 * scalar_ns);
  EXPECT_EQ(json["bottleneck"]["resource"], "scalar");
  const std::string sentence = json["bottleneck"]["sentence"];
  EXPECT_NE(sentence.find("The scalar engine limits"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("; activation exp is 5"), std::string::npos) << sentence;  // 50 to 60 % with its issue; copies are the rest
  for (const auto& [name, part] : json["resources"].items()) EXPECT_LE(part["bound_ns"].get<double>(), scalar_ns) << name;
  EXPECT_LE(json["time_ns"].get<double>(), 1.05 * scalar_ns);
  EXPECT_GT(group(json, "scalar"), 0.5);
}

/// The largest gain of a part that takes no time.
std::string first_free(const Json& json) {
  for (const Json& what_if : json["what_if"]) {
    if (what_if["free"]) return what_if["resource"];
  }
  return {};
}

TEST_F(CliExplain, TheLargestGainIsThatOfTheLimit) {
  EXPECT_EQ(first_free(explain({"trn2", "matmul", "m=512,n=512,k=512,schedule=naive"})), "DMA issue");
  EXPECT_EQ(first_free(explain({"trn2", "matmul", "m=2048,n=2048,k=2048"})), "tensor array");
  EXPECT_EQ(first_free(explain({"trn2", "matmul", "m=1,n=4096,k=4096"})), "DMA engines");
}

/// A chain of `links` products of 128 × 128 by 128 × 128, each of which waits for Vector to copy the one before.
std::string chain(int links) {
  std::string text =
      R"({"trnsim_trace":"1.0","name":"chain","dtype":"bf16","tensors":[{"name":"a","shape":[128,128],"use":"input"},{"name":"c","shape":[128,128],"use":"output"}]}
{"tile":"w","buffer":"sbuf","partitions":128,"bytes":256}
{"op":"dma_copy","dst":"w","src":"a"}
)";
  const auto name = [](const char* letter, int i) { return std::string("\"") + letter + std::to_string(i) + '"'; };
  text += "{\"tile\":\"x0\",\"buffer\":\"sbuf\",\"partitions\":128,\"bytes\":256}\n{\"op\":\"dma_copy\",\"dst\":\"x0\",\"src\":\"a\"}\n";
  for (int i = 0; i < links; ++i) {
    text += "{\"tile\":" + name("p", i) + R"(,"buffer":"psum","partitions":128,"bytes":512,"dtype":"fp32"})" + "\n";
    text += R"({"op":"nc_matmul","dst":)" + name("p", i) + R"(,"stationary":"w","moving":)" + name("x", i) + "}\n";
    text += "{\"tile\":" + name("x", i + 1) + R"(,"buffer":"sbuf","partitions":128,"bytes":256})" + "\n";
    text += R"({"op":"tensor_copy","engine":"vector","dst":)" + name("x", i + 1) + R"(,"data":)" + name("p", i) + "}\n";
  }
  return text + R"({"op":"dma_copy","dst":"c","src":)" + name("x", links) + "}\n";
}

TEST_F(CliExplain, AChainOfProductsAndCopiesTakesItsCriticalPathAndEveryCycleIsAccounted) {
  constexpr int kLinks = 200;
  write("chain.jsonl", chain(kLinks));
  const Outcome ran =
      trnsim({"run", "--chip", "trn2", "--trace", path("chain.jsonl"), "--set", "tensor.throttle_start=1", "--json", path("r.json"), "-q"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Json result = Json::parse(read("r.json")), config = result["chip"]["config"];
  // Independent of the planner: what the trace says depends on what, with the published latencies.
  const auto number = [&](const char* group, const char* key) { return config[group][key].get<double>(); };
  const double product = (128 + number("tensor", "pipe_latency_cycles")) / number("tensor", "clock_ghz");
  const double copy = (128 + number("vector", "pipe_latency_cycles")) / number("vector", "clock_ghz");
  const double hop = number("sequencer", "semaphore_hop_ns");
  const double chain_ns = kLinks * (product + copy + 2 * hop);
  const double time = result["time_ns"];
  EXPECT_GE(time, chain_ns);
  EXPECT_LE(time, 1.05 * chain_ns + 5000) << "besides, two loads and a store";
  for (const auto& [engine, counters] : result["engines"].items()) {
    std::uint64_t sum = counters["busy_cycles"].get<std::uint64_t>() + counters["idle_cycles"].get<std::uint64_t>();
    for (const auto& [cause, cycles] : counters["stall_cycles"].items()) sum += cycles.get<std::uint64_t>();
    EXPECT_EQ(sum, counters["elapsed_cycles"].get<std::uint64_t>()) << engine;
  }
  const Outcome explained = trnsim({"explain", path("r.json"), "--json", "-", "-q", "--no-what-if"});
  ASSERT_EQ(explained.code, 0) << explained.err;
  const Json json = Json::parse(explained.out);
  EXPECT_NEAR(json["critical_path"]["parts"]["tensor_multiply"]["ns"].get<double>() +
                  json["critical_path"]["parts"]["tensor_latency"]["ns"].get<double>(),
              kLinks * product, 0.05 * kLinks * product);
  EXPECT_NEAR(json["critical_path"]["parts"]["synchronisation"]["ns"].get<double>(), 2 * kLinks * hop, kLinks * 2.0);
}

TEST_F(CliExplain, AResultFileIsRepeatedWithTheSameTime) {
  ASSERT_EQ(trnsim(small_run({"--json", path("r.json"), "-q"})).code, 0);
  const Outcome outcome = trnsim({"explain", path("r.json"), "--json", "-", "-q", "--no-what-if"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json result = Json::parse(read("r.json")), json = Json::parse(outcome.out);
  EXPECT_EQ(json["time_ns"], result["time_ns"]);
  EXPECT_EQ(json["command"], result["command"]);
  EXPECT_EQ(json["workload"]["hash"], result["workload"]["hash"]);
}

TEST_F(CliExplain, AResultWhoseTraceHasChangedOrGoneIsRefused) {
  write("t.jsonl", chain(3));
  ASSERT_EQ(trnsim({"run", "--chip", "trn2", "--trace", path("t.jsonl"), "--json", path("r.json"), "-q"}).code, 0);
  write("t.jsonl", chain(4));
  const Outcome changed = trnsim({"explain", path("r.json")});
  expect_refusal(changed, 2);
  EXPECT_NE(changed.err.find("workload has changed"), std::string::npos) << changed.err;
  std::filesystem::remove(path("t.jsonl"));
  const Outcome gone = trnsim({"explain", path("r.json")});
  expect_refusal(gone, 4);
  EXPECT_NE(gone.err.find("t.jsonl"), std::string::npos) << gone.err;
}

TEST_F(CliExplain, AResultWithAnotherTimeIsRefused) {
  ASSERT_EQ(trnsim(small_run({"--json", path("r.json"), "-q"})).code, 0);
  Json result = Json::parse(read("r.json"));
  result["time_ns"] = result["time_ns"].get<double>() + 1;
  write("r.json", result.dump());
  const Outcome outcome = trnsim({"explain", path("r.json")});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("now"), std::string::npos) << outcome.err;
}

TEST_F(CliExplain, WhatIsNotOneWholeRunIsRefused) {
  expect_refusal(trnsim({"explain"}), 2);
  expect_refusal(trnsim({"explain", "--chip", "trn2", "--trace", "-"}), 2);
  expect_refusal(trnsim({"explain", "--chip", "trn2", "--kernel", "copy", "--param", "bytes=4096", "--max-time", "1us"}), 2);
  expect_refusal(trnsim({"explain", path("none.json")}), 4);
  ASSERT_EQ(trnsim(small_run({"--json", path("r.json"), "-q"})).code, 0);
  expect_refusal(trnsim({"explain", path("r.json"), "--chip", "trn1"}), 2);
}

TEST_F(CliExplain, TheTextSaysTheSameOnEveryRun) {
  const std::vector<std::string> args{"explain", "--chip", "trn2", "--kernel", "softmax", "--param", "rows=256,cols=512", "-q"};
  const Outcome first = trnsim(args);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, trnsim(args).out);
  for (const char* block : {"Critical path", "Resources", "Overlap", "Stalls", "What if"})
    EXPECT_NE(first.out.find(block), std::string::npos) << block;
}

TEST_F(CliExplain, AnInterruptEndsItWithCodeFive) {
  const Outcome outcome =
      trnsim({"explain", "--chip", "trn2", "--kernel", "matmul", "--param", "m=4096,n=4096,k=4096,schedule=naive", "-q"},
             {.interrupt_after_ms = 600});
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  EXPECT_TRUE(outcome.out.empty());
}

TEST_F(CliExplain, AdviceNamesItsNumberAndItsSource) {
  const Json json = explain({"trn2", "matmul", "m=512,n=512,k=512,schedule=naive"});
  const auto& list = json["advice"];
  const auto found = std::find_if(list.begin(), list.end(), [](const Json& a) { return a["rule"] == "bytes_per_copy"; });
  ASSERT_NE(found, list.end()) << list.dump();
  for (const Json& advice : list) {
    EXPECT_NE(advice["number"].get<std::string>().find_first_of("0123456789"), std::string::npos) << advice.dump();
    EXPECT_FALSE(advice["source"].get<std::string>().empty());
  }
}

/// The entries of `vary`, for the buffers 1, 2, 3 and 4.
std::vector<Json> by_buffers(const Json& json) { return {json["vary"].begin(), json["vary"].end()}; }

TEST_F(CliExplain, MoreBuffersGainLessAndLess) {
  for (const char* schedule : {"naive", "blocked"}) {
    const Json json = explain({"trn2", "matmul", std::string("m=2048,n=2048,k=2048,schedule=") + schedule},
                              {"--no-what-if", "--vary", "buffers=1,2,3,4"});
    const std::vector<Json> rows = by_buffers(json);
    ASSERT_EQ(rows.size(), 4U);
    std::vector<double> times, overlaps;
    for (const Json& row : rows) {
      ASSERT_TRUE(row["time_ns"].is_number()) << row.dump();
      const Json& overlap = row["overlap"];
      times.push_back(row["time_ns"]);
      overlaps.push_back(overlap["overlap"]);
      EXPECT_GE(times.back(), std::max(overlap["compute_bound_ns"].get<double>(), overlap["dma_bound_ns"].get<double>())) << row.dump();
      EXPECT_NEAR(overlap["exposed_dma_ns"].get<double>(), overlap["dma_ns"].get<double>() - overlap["both_ns"].get<double>(), 0.01);
    }
    EXPECT_LT(times[1], 0.8 * times[0]) << schedule << ": the second buffer lets copies and products overlap";
    EXPECT_LT(times[2], times[1]) << schedule;
    EXPECT_LT(times[2] - times[3], 0.25 * (times[0] - times[1])) << schedule << ": the fourth gains little";
    EXPECT_GT(overlaps[1], overlaps[0]) << schedule;
  }
}

TEST_F(CliExplain, AVariedRunIsTheRunWithThatValue) {
  const Work work{"trn2", "matmul", "m=512,n=512,k=512,schedule=naive"};
  const std::vector<Json> rows = by_buffers(explain(work, {"--no-what-if", "--vary", "buffers=3,auto"}));
  const Json three = explain({"trn2", "matmul", "m=512,n=512,k=512,schedule=naive,buffers=3"}, {"--no-what-if"});
  EXPECT_EQ(rows.at(0)["time_ns"], three["time_ns"]);
  EXPECT_EQ(rows.at(0)["overlap"], three["overlap"]);
  EXPECT_EQ(rows.at(1)["time_ns"], run(work)["time_ns"]);
  EXPECT_EQ(rows.at(1)["value"], "auto");
}

TEST_F(CliExplain, AValueThatAKernelCannotHaveIsARowWithItsReason) {
  const std::vector<std::string> args{"explain",           "--chip",       "trn2",   "--kernel",     "matmul", "--param",
                                      "m=512,n=512,k=512", "--no-what-if", "--vary", "buffers=2,100"};
  const Outcome outcome = trnsim(args);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("By buffers, simulated"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("buffers=100 is not allowed"), std::string::npos) << outcome.out;
}

TEST_F(CliExplain, WhatCannotBeVariedIsRefused) {
  const auto vary = [&](const std::string& what) {
    return trnsim({"explain", "--chip", "trn2", "--kernel", "matmul", "--param", "m=128,n=512,k=128", "--no-what-if", "--vary", what});
  };
  for (const char* what : {"buffers", "=2", "buffers=", "buffers=1,", "buffer=1,2"}) expect_refusal(vary(what), 2);
  write("t.jsonl", chain(3));
  expect_refusal(trnsim({"explain", "--chip", "trn2", "--trace", path("t.jsonl"), "--vary", "buffers=1"}), 2);
}

TEST_F(CliExplain, TheJsonFollowsItsSchema) {
  const Work work{"trn2", "matmul", "m=512,n=512,k=512"};
  for (const Json& json : {explain(work), explain(work, {"--no-what-if", "--vary", "buffers=1,100"}),
                           explain({"trn1", "attention", "batch=1,heads=1,seq_q=256,seq_k=256,head_dim=64"}),
                           explain({"trn2", "copy", "bytes=4096"}, {"--set", "dma.ring_depth=1"})})
    EXPECT_TRUE(follows_schema("explanation", json)) << json.dump(1);
  Json broken = explain(work, {"--no-what-if"});
  broken.erase("critical_path");
  EXPECT_FALSE(follows_schema("explanation", broken));
}

TEST_F(CliExplain, ALimitThatIsSeldomOnThePathIsSaidToBe) {
  const Work work{"trn2", "matmul", "m=512,n=512,k=512"};
  const Json json = explain(work);
  ASSERT_EQ(json["bottleneck"]["resource"], "DMA issue");
  const double bound = json["resources"]["DMA issue"]["bound_ns"].get<double>() / json["time_ns"].get<double>();
  const double on_path = json["bottleneck"]["on_path"];
  EXPECT_NEAR(on_path, share(json, "dma_issue"), 1e-12);
  ASSERT_LT(on_path, 0.5 * bound) << "in use for long, waited for seldom";
  EXPECT_NE(json["bottleneck"]["remark"].get<std::string>().find("critical path is DMA issue"), std::string::npos);
  for (const Json& what_if : json["what_if"]) {
    if (what_if["free"] && what_if["resource"] == "DMA issue") {
      EXPECT_LT(what_if["gain_ns"].get<double>(), 0.2 * json["time_ns"].get<double>()) << "as the remark says";
    }
  }
  EXPECT_NE(json["bottleneck"]["sentence"].get<std::string>().find("latency and dependencies have a part"), std::string::npos)
      << "the run alone does not know the path and is careful";
}

TEST_F(CliExplain, ALimitOnThePathNeedsNoRemark) {
  const Json json = explain({"trn2", "matmul", "m=512,n=512,k=512,schedule=naive"}, {"--no-what-if"});
  EXPECT_EQ(json["bottleneck"]["remark"], "");
  EXPECT_GT(json["bottleneck"]["on_path"].get<double>(), 0.5);
}

/// Whether a rule speaks, with its number.
std::string number_of(const Json& json, const std::string& rule) {
  for (const Json& advice : json["advice"]) {
    if (advice["rule"] == rule) return advice["number"];
  }
  return {};
}

TEST_F(CliExplain, OneRingThatReachesHalfOfTheDmaEnginesIsAdvisedAgainst) {
  const auto copy = [&](const std::string& chip, const std::string& queues) {
    return explain({chip, "copy", "bytes=8388608,bytes_per_partition=16384,dma_queues=" + queues});
  };
  const Json one = copy("trn1", "1");
  const std::string number = number_of(one, "ring_share");
  EXPECT_NE(number.find("reach 8 of 16 DMA engines"), std::string::npos) << one["advice"].dump();
  EXPECT_NE(number.find("exposed"), std::string::npos) << number;
  const Json two = copy("trn1", "2");
  EXPECT_EQ(number_of(two, "ring_share"), "") << "two rings reach all";
  EXPECT_LT(two["time_ns"].get<double>(), 0.8 * one["time_ns"].get<double>()) << "the advice gains something";
  EXPECT_EQ(number_of(copy("trn2", "1"), "ring_share"), "") << "a ring of trn2 reaches all";
}

}  // namespace
}  // namespace trnsim
