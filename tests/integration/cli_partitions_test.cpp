// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Peak use of SBUF and PSUM by partition.
#include <algorithm>

#include "integration/cli.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

class CliPartitions : public Cli {
 protected:
  /// A tile of 128 partitions, one of 64 and a row on one partition, all alive at once.
  Outcome run_three_tiles(const std::vector<std::string>& more) const {
    write("tiles.jsonl", R"({"trnsim_trace":"1.0","name":"three tiles","tensors":[]}
{"tile":"whole","buffer":"sbuf","partitions":128,"bytes":1024}
{"op":"memset","engine":"vector","dst":"whole"}
{"tile":"half","buffer":"sbuf","partitions":64,"bytes":2048}
{"op":"memset","engine":"vector","dst":"half"}
{"tile":"row","buffer":"sbuf","partitions":1,"bytes":40960}
{"op":"memset","engine":"vector","dst":"row"}
{"op":"memset","engine":"vector","dst":"half"}
{"op":"memset","engine":"vector","dst":"whole"}
)");
    std::vector<std::string> args{"run", "--chip", "trn2", "--trace", "tiles.jsonl"};
    args.insert(args.end(), more.begin(), more.end());
    return trnsim(args);
  }
};

TEST_F(CliPartitions, EachHasThePeakOfTheTilesThatLieInIt) {
  const Json json = Json::parse(run_three_tiles({"--quiet", "--json", "-"}).out);
  const Json expected = Json::parse(R"([{"first": 0, "last": 0, "peak_bytes": 44032},
                                        {"first": 1, "last": 63, "peak_bytes": 3072},
                                        {"first": 64, "last": 127, "peak_bytes": 1024}])");
  EXPECT_EQ(json["cores"][0]["sbuf"]["partitions"], expected) << "the row uses one partition";
  EXPECT_EQ(json["cores"][0]["sbuf"]["peak_bytes_per_partition"], 44032);
  EXPECT_EQ(json["cores"][0]["psum"]["partitions"], Json::parse(R"([{"first": 0, "last": 127, "peak_bytes": 0}])"));
}

TEST_F(CliPartitions, UnevenUseIsFlagged) {
  const Json json = Json::parse(run_three_tiles({"--quiet", "--json", "-"}).out);
  const double mean = (44032 + 63 * 3072 + 64 * 1024) / 128.0;
  EXPECT_NEAR(json["sbuf"]["partition_skew"].get<double>(), 1 - mean / 44032, 1e-12);
  EXPECT_EQ(json["sbuf"]["skewed"], true);
  EXPECT_TRUE(json["psum"]["partition_skew"].is_null()) << "no tile, no use";
  EXPECT_EQ(json["psum"]["skewed"], false);
}

TEST_F(CliPartitions, TheReportHasTheTableAndTheRemark) {
  const Outcome outcome = run_three_tiles({});
  EXPECT_NE(outcome.out.find("by partition 0: 43.0 KiB; 1-63: 3.00 KiB; 64-127: 1.00 KiB; uneven"), std::string::npos) << outcome.out;
}

TEST_F(CliPartitions, TilesOnAllPartitionsAreEven) {
  const Outcome outcome = trnsim(small_run({"--json", "r.json"}));
  const Json json = Json::parse(read("r.json"));
  for (const char* memory : {"sbuf", "psum"}) {
    const Json& partitions = json["cores"][0][memory]["partitions"];
    ASSERT_EQ(partitions.size(), 1U) << memory << partitions.dump();
    EXPECT_EQ(partitions[0]["last"], 127);
    EXPECT_EQ(json[memory]["partition_skew"], 0);
    EXPECT_EQ(json[memory]["skewed"], false);
  }
  EXPECT_EQ(outcome.out.find("by partition"), std::string::npos) << outcome.out;
}

TEST_F(CliPartitions, FewRowsUseAsManyPartitions) {
  const Outcome outcome = trnsim({"run", "--chip", "trn2", "--kernel", "softmax", "--param", "rows=32,cols=512", "--quiet", "--json", "-"});
  const Json json = Json::parse(outcome.out);
  const Json& partitions = json["cores"][0]["sbuf"]["partitions"];
  ASSERT_EQ(partitions.size(), 2U) << partitions.dump();
  EXPECT_EQ(partitions[0]["last"], 31);
  EXPECT_GT(partitions[0]["peak_bytes"].get<int>(), 0);
  EXPECT_EQ(partitions[1]["peak_bytes"], 0);
  EXPECT_EQ(json["sbuf"]["partition_skew"], 0.75);
}

TEST_F(CliPartitions, LayersHaveTheLargestPeakOfEach) {
  write("net.csv", "Layer,M,N,K\na,128,512,32\nb,64,512,128\n");
  const Json json = Json::parse(trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv", "--quiet", "--json", "-"}).out);
  std::size_t next = 0;
  for (const Json& p : json["cores"][0]["sbuf"]["partitions"]) {
    EXPECT_EQ(p["first"].get<std::size_t>(), next);
    next = p["last"].get<std::size_t>() + 1;
  }
  EXPECT_EQ(next, 128U) << "without gaps";
  std::uint64_t most = 0;
  for (const Json& p : json["cores"][0]["sbuf"]["partitions"]) most = std::max(most, p["peak_bytes"].get<std::uint64_t>());
  EXPECT_EQ(json["cores"][0]["sbuf"]["peak_bytes_per_partition"], most);
}

}  // namespace
}  // namespace trnsim
