// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Kernels that multiply nothing: ratios without a denominator are absent, everything else is there.
#include <cctype>
#include <cmath>

#include "integration/cli.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::pair<std::string, std::string>> kWithoutProducts{
    {"copy", "bytes=262144"},         {"vector_add", "rows=130,cols=300"}, {"softmax", "rows=130,cols=300"},
    {"rmsnorm", "rows=130,cols=300"}, {"layernorm", "rows=130,cols=300"},  {"rope", "seq=130,heads=2"},
    {"adamw", "rows=130,cols=300"}};

/// Numbers that are none, spelled as printf and fmt do; words that contain them do not count.
bool has_nan(std::string text) {
  for (char& c : text) c = std::isalpha(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::tolower(c)) : ' ';
  text = ' ' + text + ' ';
  return text.find(" nan ") != std::string::npos || text.find(" inf ") != std::string::npos;
}

void expect_finite(const Json& json, const std::string& place) {
  if (json.is_number()) {
    EXPECT_TRUE(std::isfinite(json.get<double>())) << place;
  }
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) expect_finite(value, place + '/' + key);
}

class CliRatios : public Cli {
 protected:
  std::vector<std::string> run(const std::string& kernel, const std::string& params, const std::vector<std::string>& more) const {
    std::vector<std::string> args{"run", "--chip", "trn2", "--kernel", kernel, "--param", params, "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
};

TEST_F(CliRatios, MfuIsNullAndBandwidthThereWhereNothingIsMultiplied) {
  for (const auto& [kernel, params] : kWithoutProducts) {
    const Outcome outcome = trnsim(run(kernel, params, {"--json", "-"}));
    ASSERT_EQ(outcome.code, 0) << kernel << outcome.err;
    const Json r = Json::parse(outcome.out);
    EXPECT_TRUE(r["mfu"].is_null()) << kernel;
    EXPECT_TRUE(r["array_utilization"].is_null()) << kernel;
    EXPECT_GT(r["hbm"]["gb_per_s"].get<double>(), 0) << kernel;
    EXPECT_GT(r["dma"]["gb_per_s"].get<double>(), 0) << kernel;
    expect_finite(r, kernel);
    EXPECT_FALSE(has_nan(outcome.out)) << kernel;
  }
}

TEST_F(CliRatios, TheReportSaysWhyThereIsNoMfu) {
  for (const auto& [kernel, params] : kWithoutProducts) {
    const Outcome outcome = trnsim(run(kernel, params, {}));
    std::string page = outcome.out;
    for (char& c : page) c = c == '\n' ? ' ' : c;
    EXPECT_NE(page.find("no MFU: no multiply-accumulates"), std::string::npos) << page;
    EXPECT_FALSE(has_nan(page)) << page;
  }
  EXPECT_EQ(trnsim(run("matmul", "m=128,n=128,k=128", {})).out.find("no MFU"), std::string::npos);
}

TEST_F(CliRatios, TheCsvFieldIsEmpty) {
  const std::string table = trnsim(run("rmsnorm", "rows=130,cols=300", {"--csv", "-"})).out;
  EXPECT_FALSE(has_nan(table)) << table;
  EXPECT_NE(table.find("border_reread_bytes"), std::string::npos);
}

TEST_F(CliRatios, ComparisonsSweepsAndDifferencesHaveNoNumbersThatAreNone) {
  const Outcome compared = trnsim({"compare", "--chips", "trn1,trn2", "--kernel", "copy", "--param", "bytes=262144", "--json", "c.json"});
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_FALSE(has_nan(compared.out + read("c.json"))) << compared.out;
  expect_finite(Json::parse(read("c.json")), "compare");

  write("s.json", R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", "kernel": "layernorm", "params": {"rows": 130, "cols": 64}},
                      "axes": [{"path": "params.cols", "values": [64, 300]}]})");
  const Outcome swept = trnsim({"sweep", "s.json", "-o", "d", "--quiet"});
  EXPECT_EQ(swept.code, 0) << swept.err;
  EXPECT_FALSE(has_nan(read("d/results.csv"))) << read("d/results.csv");
  const Outcome best = trnsim({"best", "d", "--by", "time_ns"});
  EXPECT_EQ(best.code, 0) << best.err;
  EXPECT_FALSE(has_nan(best.out)) << best.out;

  trnsim(run("layernorm", "rows=130,cols=64", {"--json", "a.json"}));
  trnsim(run("layernorm", "rows=130,cols=300", {"--json", "b.json"}));
  const Outcome differs = trnsim({"diff", "a.json", "b.json"});
  EXPECT_FALSE(differs.out.empty()) << differs.err;
  EXPECT_FALSE(has_nan(differs.out)) << differs.out;
}

TEST_F(CliRatios, RankingByAColumnThatNoRunHasIsRefusedOrEmpty) {
  write("s.json", R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", "kernel": "copy", "params": {"bytes": 65536}},
                      "axes": [{"path": "params.bytes", "values": [65536, 262144]}]})");
  trnsim({"sweep", "s.json", "-o", "d", "--quiet"});
  const Outcome best = trnsim({"best", "d", "--by", "mfu"});
  EXPECT_NE(best.code, 3) << best.err;
  EXPECT_FALSE(has_nan(best.out + best.err)) << best.out << best.err;
}

TEST_F(CliRatios, SixKernelsHaveFiveGaps) {
  std::string list = "Layer,M,N,K\n";
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) list += std::string(name) + ",128,512,128\n";
  write("net.csv", list);
  const auto total = [&](const std::string& gap) {
    const Outcome outcome =
        trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv", "--set", "chip.launch_gap_ns=" + gap, "--quiet", "--json", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json short_gap = total("13000"), long_gap = total("180000");
  EXPECT_EQ(short_gap["kernels"], 6);
  EXPECT_DOUBLE_EQ(long_gap["host_gap_ns"].get<double>() - short_gap["host_gap_ns"].get<double>(), 5 * 167000.0);
  EXPECT_NEAR(long_gap["total_ns"].get<double>() - short_gap["total_ns"].get<double>(), 5 * 167000.0, 1e-6);
  EXPECT_EQ(long_gap["time_ns"], short_gap["time_ns"]);
}

TEST_F(CliRatios, AKernelAloneAndInAChainHasTheSameBorder) {
  write("net.csv", "Layer,M,N,K\na,128,512,128\nb,128,512,128\n");
  const Json alone = Json::parse(trnsim(run("matmul", "m=128,n=512,k=128", {"--json", "-"})).out);
  const Json chain = Json::parse(trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv", "--quiet", "--json", "-"}).out);
  EXPECT_EQ(alone["border"]["input_bytes"], 2 * (128 * 128 + 128 * 512));
  EXPECT_EQ(alone["border"]["output_bytes"], 2 * 128 * 512);
  EXPECT_EQ(alone["border"]["inner_bytes"], 0);
  EXPECT_EQ(alone["kernels"], 1);
  for (const char* field : {"input_bytes", "output_bytes", "read_bytes", "write_bytes"})
    EXPECT_EQ(chain["border"][field].get<int>(), 2 * alone["border"][field].get<int>()) << field;
  EXPECT_EQ(chain["border"]["read_bytes"].get<int>() + chain["border"]["write_bytes"].get<int>(),
            chain["hbm"]["read_bytes"].get<int>() + chain["hbm"]["write_bytes"].get<int>());
}

}  // namespace
}  // namespace trnsim
