// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// `trnsim run --gemm-list`: lists of layers, each simulated by itself and added up.
#include <algorithm>

#include "integration/cli.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

const std::string kConvolution = "Layer,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,Pad,Groups\n";

class CliLayers : public Cli {
 protected:
  /// Result of a list on trn2.
  Json list(const std::string& text, const std::vector<std::string>& more = {}) const {
    write("net.csv", text);
    std::vector<std::string> args{"run", "--chip", "trn2", "--gemm-list", "net.csv", "--quiet", "--json", "-"};
    args.insert(args.end(), more.begin(), more.end());
    const Outcome outcome = trnsim(args);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return result(outcome.out);
  }
  Outcome refused(const std::string& text, const std::vector<std::string>& more = {}) const {
    write("net.csv", text);
    std::vector<std::string> args{"run", "--chip", "trn2", "--gemm-list", "net.csv"};
    args.insert(args.end(), more.begin(), more.end());
    return trnsim(args);
  }
  /// The same without what names the file.
  static Json anonymous(Json json) {
    json.erase("command");
    json.erase("warnings");
    json["workload"].erase("source");
    return json;
  }
};

std::uint64_t sum(const Json& result, const char* field) {
  std::uint64_t total = 0;
  for (const Json& layer : result["layers"]) total += layer[field].get<std::uint64_t>();
  return total;
}

double sum_of_numbers(const Json& result, const char* field) {
  double total = 0;
  for (const Json& layer : result["layers"]) total += layer[field].get<double>();
  return total;
}

const std::string kThree = "Layer,M,N,K\na,256,512,128\nb,128,128,128\nc,512,384,256\n";

TEST_F(CliLayers, TotalsAreTheSumsOfTheLayers) {
  const Json r = list(kThree);
  ASSERT_EQ(r["layers"].size(), 3u);
  EXPECT_EQ(sum(r, "macs"), r["workload"]["macs"]);
  EXPECT_EQ(sum(r, "macs"), 256u * 512 * 128 + 128u * 128 * 128 + 512u * 384 * 256);
  EXPECT_EQ(sum(r, "flops"), r["workload"]["flops"]);
  EXPECT_EQ(sum(r, "instructions"), r["workload"]["instructions"]);
  EXPECT_EQ(sum(r, "cycles"), r["cycles"]);
  EXPECT_EQ(sum(r, "dma_bytes"), r["dma"]["bytes"]);
  EXPECT_EQ(sum(r, "hbm_read_bytes"), r["hbm"]["read_bytes"]);
  EXPECT_EQ(sum(r, "hbm_write_bytes"), r["hbm"]["write_bytes"]);
  EXPECT_DOUBLE_EQ(sum_of_numbers(r, "time_ns"), r["time_ns"].get<double>());
  EXPECT_DOUBLE_EQ(sum_of_numbers(r, "energy_pj"), r["energy"]["total_pj"].get<double>());
  EXPECT_GT(r["mfu"].get<double>(), 0);
}

TEST_F(CliLayers, CoresThatNoLayerUsesDoNotCount) {
  const std::string text = "Layer,M,N,K\nx,512,512,512\ny,64,64,64\n";
  const Json four = list(text, {"--cores", "4"}), eight = list(text, {"--cores", "8"});
  EXPECT_EQ(eight["cores"].size(), 4U);
  EXPECT_EQ(eight["mfu"], four["mfu"]);
  EXPECT_EQ(eight["time_ns"], four["time_ns"]);
}

TEST_F(CliLayers, MoreCoresThanTheChipHasAreRefused) {
  const Outcome outcome = refused("Layer,M,N,K\nx,64,64,64\n", {"--cores", "9"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("cores=9 is not allowed; trn2 has 8"), std::string::npos) << outcome.err;
}

TEST_F(CliLayers, TheListIsNoPlaceForTheResult) {
  expect_refusal(refused("Layer,M,N,K\nx,64,64,64\n", {"--json", "./net.csv"}), 2);
  EXPECT_EQ(read("net.csv"), "Layer,M,N,K\nx,64,64,64\n");
}

TEST_F(CliLayers, LayerIsWhatItsKernelAloneIs) {
  const Json r = list(kThree);
  const Json alone = result(trnsim({"run", "--chip", "trn2", "--kernel", "matmul", "--param", "m=512,n=384,k=256", "--json", "-"}).out);
  const Json& layer = r["layers"][2];
  EXPECT_EQ(layer["name"], "c");
  EXPECT_EQ(layer["cycles"], alone["cycles"]);
  EXPECT_EQ(layer["time_ns"], alone["time_ns"]);
  EXPECT_EQ(layer["energy_pj"], alone["energy"]["total_pj"]);
  EXPECT_EQ(layer["mfu"], alone["mfu"]);
  EXPECT_EQ(layer["bottleneck"], alone["bottleneck"]["resource"]);
  EXPECT_TRUE(alone["layers"].empty());
}

TEST_F(CliLayers, EqualLayersCountEachAndAreSimulatedOnce) {
  const Json one = list("Layer,M,N,K\na,256,512,128\n"), three = list("Layer,M,N,K\na,256,512,128\nb,256,512,128\nb,256,512,128\n");
  ASSERT_EQ(three["layers"].size(), 3u);
  EXPECT_EQ(three["layers"][1]["repeats"], 3);
  EXPECT_EQ(three["cycles"].get<std::uint64_t>(), 3 * one["cycles"].get<std::uint64_t>());
  EXPECT_EQ(three["dma"]["bytes"].get<std::uint64_t>(), 3 * one["dma"]["bytes"].get<std::uint64_t>());
  EXPECT_EQ(three["launch_ns"], one["launch_ns"]);
}

TEST_F(CliLayers, CommaAtTheEndAndLineEndsChangeNothing) {
  const Json plain = anonymous(list("a,128,512,1536\n"));
  EXPECT_EQ(plain, anonymous(list("a,128,512,1536,\n")));
  EXPECT_EQ(anonymous(list("Layer,M,N,K,\nG0,128,128,128,\n")), anonymous(list("Layer,M,N,K,\r\nG0,128,128,128,\r\n")));
  EXPECT_EQ(list("Layer,M,N,K,\r\nG0,128,128,128,\r\n").dump().find("\\r"), std::string::npos);
}

TEST_F(CliLayers, NumberOfLayersIsInTheReport) {
  const Outcome outcome = refused("Layer,M,N,K\n\nG0,64,64,64\n,,,\nG1,64,64,32");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("layers: 2\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("G1"), std::string::npos);
}

TEST_F(CliLayers, PositionsWithoutAHeaderAreReported) {
  EXPECT_NE(refused("a,64,64,64").out.find("by position"), std::string::npos);
  EXPECT_EQ(refused("a,64,64,64", {"--strict"}).code, 2);
}

TEST_F(CliLayers, UnknownColumnIsAWarningAndAnErrorWhenStrict) {
  const std::string text = "Layer,M,N,K,Eh\na,64,64,64,1\n";
  const Outcome loose = refused(text), strict = refused(text, {"--strict"});
  EXPECT_EQ(loose.code, 0);
  EXPECT_NE(loose.err.find("'Eh'"), std::string::npos) << loose.err;
  expect_refusal(strict, 2);
  EXPECT_NE(strict.err.find("'Eh'"), std::string::npos) << strict.err;
}

TEST_F(CliLayers, BadNumbersAreAllNamedAndNothingIsSimulated) {
  const Outcome outcome = refused("Layer,M,N,K\nG,1 2,64,64\nG,B,64,64\nG,64.5,64,64\nG,0x40,64,64\nG,1e3,64,64\nG,0,64,64\nG,-1,64,64\n",
                                  {"--json", "result.json"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(files(), std::vector<std::string>{"net.csv"});
  int line = 2;
  for (const std::string bad : {"1 2", "B", "64.5", "0x40", "1e3", "0", "-1"}) {
    const std::string wanted = "net.csv:" + std::to_string(line++) + ": column 'M' is '" + bad + "'";
    EXPECT_NE(outcome.err.find(wanted), std::string::npos) << wanted << "\n" << outcome.err;
  }
}

TEST_F(CliLayers, LayersThatTheChipCannotRunAreNamedBeforeTheFirstRuns) {
  const Outcome outcome = refused("Layer,M,N,K,Dtype\na,64,64,64,\nb,64,64,64,mxfp8\nc,64,64,64,mxfp4\n");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("net.csv:3: layer 'b'"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("net.csv:4: layer 'c'"), std::string::npos) << outcome.err;
}

TEST_F(CliLayers, DepthwiseConvolutionHasTheMacsOfItsGroups) {
  const Json depthwise = list(kConvolution + "c,16,16,3,3,64,64,1,1,64\n"), full = list(kConvolution + "c,16,16,3,3,64,64,1,1,1\n");
  EXPECT_EQ(depthwise["workload"]["macs"], 147'456);
  EXPECT_EQ(full["workload"]["macs"], 64 * 147'456);
  EXPECT_LT(depthwise["array_utilization"].get<double>(), full["array_utilization"].get<double>());
  EXPECT_EQ(depthwise["layers"][0]["groups"], 64);
}

TEST_F(CliLayers, BatchIsAtMostAsLongAsSoManyRuns) {
  const auto batch = [&](int n) { return list("Layer,M,N,K,Batch\na,200,512,256," + std::to_string(n) + "\n"); };
  const Json one = batch(1);
  for (const int n : {2, 8}) {
    const Json more = batch(n);
    EXPECT_EQ(more["workload"]["macs"].get<std::uint64_t>(), n * one["workload"]["macs"].get<std::uint64_t>());
    EXPECT_LE(more["cycles"].get<std::uint64_t>(), n * one["cycles"].get<std::uint64_t>());
    EXPECT_EQ(more["layers"][0]["batch"], n);
  }
  EXPECT_EQ(refused("Layer,M,N,K,Batch\na,200,512,256,0\n").code, 2);
}

TEST_F(CliLayers, NumberOfProcessesChangesNothing) { EXPECT_EQ(list(kThree, {"-j", "1"}), list(kThree, {"-j", "3"})); }

TEST_F(CliLayers, CoresAreSharedAsFarAsALayerHasRows) {
  const Json r = list("Layer,M,N,K\na,512,512,128\nb,1,512,128\n", {"--cores", "4"});
  EXPECT_EQ(r["cores"].size(), 4u);
  EXPECT_EQ(sum(r, "dma_bytes"), r["dma"]["bytes"]);
  EXPECT_EQ(sum(r, "macs"), 512u * 512 * 128 + 512u * 128);
}

TEST_F(CliLayers, TypesOfLayersMayDiffer) {
  const Json r = list("Layer,M,N,K,Dtype\na,512,512,512,fp8_e4m3\nb,512,512,512,\n", {"--param", "dtype=fp32"});
  EXPECT_EQ(r["layers"][0]["dtype"], "fp8_e4m3");
  EXPECT_EQ(r["layers"][1]["dtype"], "fp32");
  EXPECT_TRUE(r["workload"]["dtype"].is_null());
  EXPECT_LE(r["mfu"].get<double>(), 1);
}

TEST_F(CliLayers, CsvHasTheWholeAndLayersCsvEachLayer) {
  write("net.csv", "Layer,M,N,K\n\"a, b\",64,64,64\nc,64,64,64\n");
  const Outcome outcome =
      trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv", "-q", "--csv", "all.csv", "--layers-csv", "layers.csv"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lines(read("all.csv")), 2u);
  EXPECT_EQ(lines(read("layers.csv")), 3u);
  EXPECT_TRUE(read("layers.csv").starts_with("layer,m,n,k,batch,groups,repeats,preset,"));
  EXPECT_NE(read("layers.csv").find("\n\"a, b\",64,64,64,1,1,2,trn2,"), std::string::npos);
}

TEST_F(CliLayers, ResultCanBeRunAgain) {
  write("net.csv", kThree);
  EXPECT_EQ(trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv", "-q", "--json", "r.json", "--set", "hbm.stack_gb_per_s=300"}).code,
            0);
  const Outcome again = trnsim({"rerun", "r.json"});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  write("net.csv", "Layer,M,N,K\na,256,512,128\n");
  EXPECT_EQ(trnsim({"rerun", "r.json"}).code, 1);
}

TEST_F(CliLayers, ListMayComeFromStdin) {
  const Outcome outcome = trnsim({"run", "--chip", "trn2", "--gemm-list", "-", "--json", "-", "-q"}, {.input = kThree});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(result(outcome.out)["workload"]["source"], "stdin");
}

TEST_F(CliLayers, OptionsThatDoNotBelongAreRefused) {
  write("net.csv", kThree);
  expect_refusal(trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv", "--max-time", "1us"}), 2);
  expect_refusal(trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv", "--param", "m=3"}), 2);
  expect_refusal(trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv", "-j", "0"}), 2);
  expect_refusal(trnsim({"run", "--chip", "trn2", "--gemm-list", "gone.csv"}), 4);
  expect_refusal(trnsim(small_run({"--layers-csv", "x.csv"})), 2);
  expect_refusal(trnsim(small_run({"--jobs", "2"})), 2);
}

TEST_F(CliLayers, InterruptedListKeepsTheLayersDone) {
  std::string text = "Layer,M,N,K\nsmall,64,64,64\n";
  for (int i = 0; i < 40; ++i) text += "large,8192,8192," + std::to_string(8192 + i) + "\n";
  write("net.csv", text);
  const Outcome outcome =
      trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv", "-q", "-j", "1", "--json", "r.json"}, {.interrupt_after_ms = 2500});
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  const Json r = result(read("r.json"));
  EXPECT_NE(r["truncated"].get<std::string>().find("of 41 layers done"), std::string::npos);
  EXPECT_LT(r["layers"].size(), 41u);
  EXPECT_TRUE(r["workload"]["hash"].is_null());
}

TEST_F(CliLayers, NameThatIsNotUtf8IsRefusedWithItsLine) {
  write("net.csv", "Layer,M,N,K\na,64,64,64\nb\xff,64,64,64\n");
  const Outcome outcome = trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("net.csv:3: want text in UTF-8"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace trnsim
