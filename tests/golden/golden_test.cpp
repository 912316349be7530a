// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Golden runs: the cycles of each case, exactly. TRNSIM_UPDATE_GOLDEN=1 in the environment writes the cycles
// of now into the files, which keep their order, one case per line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/run_result.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> golden_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(TRNSIM_SOURCE_DIR "/tests/golden")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().stem().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string path_of(const std::string& file) { return TRNSIM_SOURCE_DIR "/tests/golden/" + file + ".json"; }

/// The arguments of `trnsim run` that golden cases use.
struct Arguments {
  std::string chip, kernel;
  std::vector<std::string> params, set;
  unsigned cores = 1;

  explicit Arguments(const Json& args) {
    for (std::size_t i = 0; i + 1 < args.size(); i += 2) {
      const auto option = args[i].get<std::string>(), value = args[i + 1].get<std::string>();
      if (option == "--chip") {
        chip = value;
      } else if (option == "--kernel") {
        kernel = value;
      } else if (option == "--param") {
        params.push_back(value);
      } else if (option == "--set") {
        set.push_back(value);
      } else if (option == "--cores") {
        cores = static_cast<unsigned>(std::stoul(value));
      } else {
        ADD_FAILURE() << "unknown option " << option;
      }
    }
  }
};

std::uint64_t cycles_of(const Json& args) {
  const Arguments a(args);
  const ChipConfig chip = test::preset(a.chip, a.set);
  return test::result_of(chip, [&] { return make_kernel(a.kernel, parse_params(a.params), chip, a.cores); }).cycles;
}

void write(const std::string& file, const Json& golden) {
  std::ofstream out(path_of(file));
  out << "{\"trnsim_golden\": " << golden.at("trnsim_golden") << ",\n \"cases\": [\n";
  const Json& cases = golden.at("cases");
  for (std::size_t i = 0; i < cases.size(); ++i) out << "  " << cases[i] << (i + 1 < cases.size() ? ",\n" : "\n");
  out << "]}\n";
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, CyclesAreExact) {
  std::ifstream in(path_of(GetParam()));
  Json golden = Json::parse(in);
  ASSERT_EQ(golden.at("trnsim_golden"), "1.0");
  const bool update = std::getenv("TRNSIM_UPDATE_GOLDEN") != nullptr;
  for (Json& entry : golden.at("cases")) {
    const std::uint64_t now = cycles_of(entry.at("args"));
    if (update) {
      entry["cycles"] = now;
    } else {
      EXPECT_EQ(entry.at("cycles").get<std::uint64_t>(), now) << entry.at("name");
    }
  }
  if (update) write(GetParam(), golden);
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, testing::ValuesIn(golden_files()), [](const auto& test) {
  std::string name = test.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace trnsim
