// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// What trnsim check writes: reports, annotations, explanations.
#include <cstdlib>

#include "integration/golden_suite.hpp"
#include "integration/schema_check.hpp"

namespace trnsim {
namespace {

class CliCheckReports : public GoldenCli {
 protected:
  /// A good case, a slower one and a refused one.
  void SetUp() override {
    GoldenCli::SetUp();
    write_suite("g.json", {golden_case("good", cycles_are(copy_cycles())), golden_case("slow", cycles_are(1000)),
                           R"(  {"name":"bad & \"wrong\" \u0001","args":["--chip","trn2","--kernel","copi"],"cycles":5})"});
  }

  [[nodiscard]] bool is_xml(const std::string& file) const {
    return std::system(("python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' " + path(file)).c_str()) == 0;
  }
};

// Every format that can be asked for.
TEST_F(CliCheckReports, EveryReportThatIsAskedForIsThereAndValid) {
  const Outcome outcome = trnsim({"check", "g.json", "--junit", "r.xml", "--markdown", "r.md", "--json", "r.json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(is_xml("r.xml")) << read("r.xml");
  EXPECT_TRUE(contains(read("r.xml"), "tests=\"3\" failures=\"2\""));
  EXPECT_TRUE(contains(read("r.md"), "| slow | 1000 |"));
  EXPECT_TRUE(follows_schema("check-report", nlohmann::json::parse(read("r.json")))) << read("r.json");
  EXPECT_FALSE(outcome.out.empty());
}

TEST_F(CliCheckReports, HelpListsEveryFormat) {
  const std::string help = trnsim({"check", "--help"}).out;
  for (const char* option : {"--junit", "--markdown", "--json", "--github", "--step-summary"})
    EXPECT_TRUE(contains(help, option)) << option;
}

TEST_F(CliCheckReports, AReportThatCannotBeWrittenIsToldBeforeAnythingRuns) {
  for (const char* option : {"--junit", "--markdown", "--json"}) {
    const Outcome outcome = trnsim({"check", "g.json", option, "/nonexistent/r"});
    expect_refusal(outcome, 4);
  }
  expect_refusal(trnsim({"check", "g.json", "--save-results", "/proc/nowhere"}), 4);
  expect_refusal(trnsim({"check", "g.json", "--json", "x", "--junit", "x"}), 2);
}

TEST_F(CliCheckReports, AFullDiskIsAnError) {
  for (const char* option : {"--junit", "--markdown", "--json"}) {
    EXPECT_EQ(trnsim({"check", "g.json", option, "/dev/full"}).code, 4) << option;
  }
}

TEST_F(CliCheckReports, AReportOnStdoutMovesTheTableToStderr) {
  const Outcome outcome = trnsim({"check", "g.json", "--json", "-"});
  EXPECT_TRUE(nlohmann::json::accept(outcome.out)) << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "3 cases: 1 ok, 2 failed"));
}

// The gate looks at simulated quantities only: a machine that is busy, or runs more cases than it has processors, changes no byte.
TEST_F(CliCheckReports, HostTimeAndWorkersLeaveNoTrace) {
  const auto reports = [this](const std::string& workers) {
    const Outcome outcome = trnsim({"check", "g.json", "g.json", "--filter", "*o*", "-j", workers, "--junit", "r.xml", "--markdown", "r.md",
                                    "--json", "r.json", "--github"});
    return outcome.out + outcome.err + read("r.xml") + read("r.md") + read("r.json");
  };
  const std::string once = reports("1");
  EXPECT_EQ(once, reports("1"));
  EXPECT_EQ(once, reports("8"));
}

TEST_F(CliCheckReports, AnnotationsPointIntoTheGoldenFile) {
  const Outcome outcome = trnsim({"check", "g.json", "--github", "--quiet"});
  EXPECT_TRUE(contains(outcome.out, "::error file=g.json,line=4,title=trnsim check%3A slower::slow: slower by ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "%25), must be equal")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "::error file=g.json,line=5,title=trnsim check%3A refused::")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "good"));
}

TEST_F(CliCheckReports, TheStepSummaryIsAddedOnlyIfAskedFor) {
  write("summary.md", "before\n");
  const Surroundings github{.environment = {{"GITHUB_STEP_SUMMARY", path("summary.md")}}};
  (void)trnsim({"check", "g.json", "--github"}, github);
  EXPECT_EQ(read("summary.md"), "before\n");
  (void)trnsim({"check", "g.json", "--step-summary"}, github);
  EXPECT_TRUE(read("summary.md").starts_with("before\n### Simulated cycles: 3 cases")) << read("summary.md");
  expect_refusal(trnsim({"check", "g.json", "--step-summary"}), 2);
}

TEST_F(CliCheckReports, FailuresAreExplainedFromTheAcceptedResults) {
  write("chip.json", R"({"extends": "trn2"})");
  const auto args = R"("args":["--chip","chip.json","--kernel","copy","--param","bytes=65536"])";
  write("h.json", std::string(R"({"trnsim_golden": "1.0", "cases": [{"name": "a b/c", )") + args + "}]}");
  ASSERT_EQ(trnsim({"check", "h.json", "--update", "--save-results", "accepted"}).code, 0);
  EXPECT_TRUE(follows_schema("result", nlohmann::json::parse(read("accepted/h/a%20b%2Fc.json"))));

  write("chip.json", R"({"extends": "trn2", "dma": {"hardware_mode": {"load_start_ns": 1000}}})");
  const Outcome outcome = trnsim({"check", "h.json", "--against", "accepted", "--json", "r.json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.out, "    chip dma.hardware_mode.load_start_ns: 751 -> 1000\n")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "one configuration key differs: dma.hardware_mode.load_start_ns")) << outcome.out;
  EXPECT_FALSE(nlohmann::json::parse(read("r.json"))["cases"][0]["explanation"].empty());
}

TEST_F(CliCheckReports, AMissingOrForeignAcceptedResultIsSaid) {
  const Outcome missing = trnsim({"check", "g.json", "--against", "nowhere"});
  EXPECT_TRUE(contains(missing.out, "no accepted result nowhere/g/slow.json to compare with")) << missing.out;
  (void)trnsim({"check", "g.json", "--save-results", "accepted"});
  const Outcome foreign = trnsim({"check", "g.json", "--against", "accepted"});
  EXPECT_TRUE(contains(foreign.out, "it is of another state than the golden file")) << foreign.out;
}

TEST_F(CliCheckReports, SuitesThatWouldShareAResultFileAreRefused) {
  expect_refusal(trnsim({"check", "g.json", "./g.json", "--save-results", "accepted"}), 2);
}

}  // namespace
}  // namespace trnsim
