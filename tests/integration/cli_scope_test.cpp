// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Figures of several cores: each says what it covers, and the cores add up.
#include "integration/cli.hpp"

namespace trnsim {
namespace {

using nlohmann::ordered_json;

class CliScope : public Cli {
 protected:
  [[nodiscard]] ordered_json two_cores() const {
    const Outcome outcome =
        trnsim({"run", "--chip", "trn2", "--cores", "2", "--kernel", "matmul", "--param", "m=512,n=512,k=256", "--json", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return ordered_json::parse(outcome.out);
  }
};

/// Expects every count of `total` that the cores have as well to be their sum.
void expect_sum(const ordered_json& total, const ordered_json& cores, const ordered_json::json_pointer& place) {
  for (const auto& [name, value] : total.items()) {
    if (value.is_object()) expect_sum(value, cores, place / name);
    if (!value.is_number_integer() || name == "peak_bytes_per_partition") continue;
    std::uint64_t sum = 0;
    for (const ordered_json& core : cores) sum += core.at(place / name).get<std::uint64_t>();
    EXPECT_EQ(value.get<std::uint64_t>(), sum) << place / name;
  }
}

TEST_F(CliScope, CoresAddUpToTheirTotals) {
  const ordered_json json = two_cores();
  ASSERT_EQ(json["cores"].size(), 2u);
  for (const char* group : {"engines", "tensor", "dma", "sbuf", "psum"})
    expect_sum(json[group], json["cores"], ordered_json::json_pointer("/" + std::string(group)));
  EXPECT_GT(json["dma"]["bytes"].get<std::uint64_t>(), json["cores"][0]["dma"]["bytes"].get<std::uint64_t>());
}

TEST_F(CliScope, StacksCarryWhatTheCoresMoved) {
  const ordered_json json = two_cores();
  for (const char* direction : {"read_bytes", "write_bytes"}) {
    std::uint64_t sum = 0;
    for (const ordered_json& core : json["cores"]) sum += core["dma"]["hbm_" + std::string(direction)].get<std::uint64_t>();
    EXPECT_EQ(json["hbm"][direction].get<std::uint64_t>(), sum) << direction;
  }
}

TEST_F(CliScope, EveryGroupOfMemoryAndEnergyNamesWhatItCovers) {
  const ordered_json json = two_cores();
  EXPECT_EQ(json["hbm"]["scope"], "stacks in use");
  EXPECT_EQ(json["energy"]["scope"], "chip, idle cores included");
  for (const char* group : {"tensor", "dma", "sbuf", "psum"})
    EXPECT_NE(json[group]["scope"].get<std::string>().find("cores used"), std::string::npos) << group;
}

TEST_F(CliScope, TheReportNamesCoresAndStacks) {
  const Outcome outcome = trnsim({"run", "--chip", "trn2", "--cores", "2", "--kernel", "matmul", "--param", "m=512,n=512,k=256"});
  for (const char* part :
       {"2 of 8 cores", "(2 cores summed)", "GB/s of 2 cores", "of 1 stack", "(2 cores)", "of the chip", "for the cores used"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << '\n' << outcome.out;
}

}  // namespace
}  // namespace trnsim
