// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/command.hpp"
#include "app/sweep/store.hpp"
#include "unit/app/sweep/sweep_support.hpp"
#include "unit/app/sweep/table_support.hpp"

namespace trnsim::app {
namespace {

/// A folder with a sweep of four points, one of them refused.
class AnalysisCommands : public SweepFolder {
 protected:
  void SetUp() override {
    SweepFolder::SetUp();
    SweepStore store = SweepStore::create(database_file(path("")), {"0123456789abcdef", "{}", "0.1.0", {"chip", "cores"}, 4, {}});
    store.add({{done_row(0, {"trn1", "1"}, {{"time_ns", "40"}, {"energy_total_pj", "1"}}), "", "", 0, {}},
               {done_row(1, {"trn1", "2"}, {{"time_ns", "20"}, {"energy_total_pj", "2"}}), "", "", 0, {}},
               {done_row(2, {"trn2", "1"}, {{"time_ns", "10"}, {"energy_total_pj", "9"}}), "", "", 0, {}},
               {failed_row(3, {"trn2", "2"}), "", "", 0, {}}});
  }

  /// Exit code; what was printed is kept.
  ExitCode run(Args args) {
    out_.str("");
    Console console{out_, err_};
    args.insert(args.begin() + 1, path(""));
    return run_cli(args, console);
  }
  [[nodiscard]] std::string out() const { return out_.str(); }

 private:
  std::ostringstream out_, err_;
};

TEST_F(AnalysisCommands, BestPrintsATableAndCountsWhatFailed) {
  EXPECT_EQ(run({"best", "--by", "time_ns", "-n", "2"}), ExitCode::Done);
  EXPECT_TRUE(contains(out(), "best | by time_ns | smallest first | 4 points | 1 failed")) << out();
  EXPECT_LT(out().find("10"), out().find("20"));
  EXPECT_FALSE(contains(out(), "40")) << out();
}

TEST_F(AnalysisCommands, BestTakesConditionsWithCoresAsAnAxis) {
  EXPECT_EQ(run({"best", "--under", "chip=trn1", "--under", "axis.cores=1", "--csv", "-"}), ExitCode::Done);
  EXPECT_EQ(out(), "point,chip,axis.cores,time_ns\n0,trn1,1,40\n");
}

TEST_F(AnalysisCommands, BestWithoutAPointExitsWithOne) {
  EXPECT_EQ(run({"best", "--under", "time_ns<1"}), ExitCode::CheckFailed);
  EXPECT_TRUE(contains(out(), "No point is left."));
}

TEST_F(AnalysisCommands, ParetoWritesJson) {
  EXPECT_EQ(run({"pareto", "--x", "time_ns", "--y", "energy_total_pj", "--json", "-"}), ExitCode::Done);
  const auto json = nlohmann::json::parse(out());
  EXPECT_EQ(json["kind"], "pareto");
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["rows"].size(), 3U);
}

TEST_F(AnalysisCommands, ParetoWantsBothColumns) {
  EXPECT_THROW(run({"pareto", "--x", "time_ns"}), UsageError);
  EXPECT_THROW(run({"pareto", "--x", "time_ns", "--y", "energy"}), InputError);
}

TEST_F(AnalysisCommands, SensitivityShowsEveryAxis) {
  EXPECT_EQ(run({"sensitivity", "--markdown", "-"}), ExitCode::Done);
  EXPECT_TRUE(contains(out(), "| chip | 2 | 1 | 4.0000 | 4.0000 | 4.0000 |")) << out();
  EXPECT_TRUE(contains(out(), "| cores | 2 | 1 | 2.0000 | 2.0000 | 2.0000 |")) << out();
}

TEST_F(AnalysisCommands, FilesAndTableComeFromOneReading) {
  EXPECT_EQ(run({"best", "--csv", path("b.csv"), "--json", path("b.json"), "--markdown", path("b.md")}), ExitCode::Done);
  EXPECT_TRUE(contains(out(), "best"));
  for (const char* name : {"b.csv", "b.json", "b.md"}) EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
}

TEST_F(AnalysisCommands, TwoFormsDoNotShareAPlace) { EXPECT_THROW(run({"best", "--csv", "-", "--json", "-"}), UsageError); }

TEST_F(AnalysisCommands, ACountIsAWholeNumber) {
  for (const char* count : {"0", "x", "-1", "1.5"}) EXPECT_THROW(run({"best", "-n", count}), UsageError) << count;
}

TEST(AnalysisCommandWords, HelpHasAnExample) {
  std::ostringstream out, err;
  Console console{out, err};
  for (const char* name : {"best", "pareto", "sensitivity"}) {
    EXPECT_EQ(run_cli({name, "--help"}, console), ExitCode::Done);
    EXPECT_TRUE(contains(out.str(), std::string("trnsim ") + name + " results")) << name;
  }
}

TEST(AnalysisCommandWords, AFolderThatIsNotThereIsAnIoError) {
  std::ostringstream out, err;
  Console console{out, err};
  EXPECT_THROW(run_cli({"best", "/no/such/folder"}, console), IoError);
}

}  // namespace
}  // namespace trnsim::app
