// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "integration/cli.hpp"

namespace trnsim {
namespace {

using nlohmann::json;

constexpr std::string_view kBegin = R"(<script type="application/json" id="trnsim-data">)";

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

class ReportCli : public Cli {
 protected:
  /// The document of a page; fails unless it stands there once and nothing in it can end its element.
  static json data(const std::string& html) {
    EXPECT_EQ(count(html, kBegin), 1U);
    const std::size_t begin = html.find(kBegin) + kBegin.size(), end = html.find('<', begin);
    EXPECT_EQ(html.substr(end, 9), "</script>");
    return json::parse(html.substr(begin, end - begin));
  }

  static std::vector<std::string> softmax(const std::vector<std::string>& more) {
    std::vector<std::string> args{"run", "--chip", "trn2", "--kernel", "softmax", "--param", "rows=256,cols=512", "-q"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }

  void expect_problem(const Outcome& outcome, int code, const std::string& words) const {
    expect_refusal(outcome, code);
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
};

TEST_F(ReportCli, APageHasTheResultAndItsTimeline) {
  const Outcome outcome = trnsim(softmax({"--json", "r.json", "--html", "p.html", "--timeline", "t.json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json page = data(read("p.html"));
  ASSERT_EQ(page.at("runs").size(), 1U);
  const json& run = page.at("runs")[0];
  EXPECT_EQ(page.at("title"), "softmax on trn2");
  EXPECT_EQ(run.at("name"), "softmax on trn2");
  EXPECT_EQ(run.at("result"), json::parse(read("r.json")));
  EXPECT_EQ(run.at("timeline").at("lanes").at(0).at("name"), "tensor");
  EXPECT_TRUE(page.at("sweep").is_null());
}

TEST_F(ReportCli, APageChangesNoResult) {
  const Outcome plain = trnsim(softmax({"--json", "-"})), seen = trnsim(softmax({"--json", "-", "--html", "p.html"}));
  EXPECT_EQ(result(plain.out), result(seen.out));
}

TEST_F(ReportCli, APageOnStdoutIsAllThatStandsThere) {
  std::vector<std::string> args = softmax({"--html", "-"});
  std::erase(args, "-q");
  const Outcome outcome = trnsim(args);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("<!")) << outcome.out.substr(0, 80);
  EXPECT_EQ(data(outcome.out).at("runs").size(), 1U);
}

TEST_F(ReportCli, OutputsOnOnePlaceAreRefused) {
  expect_problem(trnsim(softmax({"--html", "-", "--json", "-"})), 2, "same place");
  expect_problem(trnsim(softmax({"--html", "p", "--json", "./p"})), 2, "same place");
}

TEST_F(ReportCli, ABoundHasNoPage) {
  expect_problem(trnsim({"run", "--chip", "trn2", "--kernel", "softmax", "--param", "rows=256,cols=512", "--bound", "--html", "p.html"}), 2,
                 "nothing is simulated");
}

TEST_F(ReportCli, APlaceThatCannotBeWrittenIsSaidBefore) {
  EXPECT_EQ(trnsim(softmax({"--html", "no/p.html"})).code, 4);
  ASSERT_EQ(trnsim(softmax({"--json", "r.json"})).code, 0);
  expect_problem(trnsim({"report", "r.json", "-o", "no/p.html"}), 4, "no/p.html");
  EXPECT_EQ(files(), std::vector<std::string>{"r.json"});
}

TEST_F(ReportCli, AStoppedRunHasAPage) {
  const Outcome outcome = trnsim(softmax({"--max-time", "3us", "--html", "p.html", "--json", "r.json"}));
  EXPECT_EQ(outcome.code, 5);
  EXPECT_EQ(data(read("p.html")).at("runs")[0].at("timeline").at("until_ns"), 3000);
  const Outcome again = trnsim({"report", "r.json", "-o", "q.html"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(data(read("q.html")), data(read("p.html")));
}

TEST_F(ReportCli, LayersAreALane) {
  write("net.csv", "Layer,M,N,K\nfirst</script>,128,512,128\nsecond,256,512,128\n");
  const Outcome outcome = trnsim({"run", "--chip", "trn2", "--gemm-list", path("net.csv"), "-q", "--html", "p.html", "--json", "r.json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json run = data(read("p.html")).at("runs")[0], timeline = run.at("timeline");
  ASSERT_EQ(timeline.at("lanes").size(), 1U);
  EXPECT_EQ(timeline.at("lanes")[0].at("name"), "layers");
  EXPECT_TRUE(timeline.at("lanes")[0].at("core").is_null());
  EXPECT_EQ(timeline.at("kinds")[0].at("name"), "first</script>");
  EXPECT_NE(timeline.at("note").get<std::string>().find("no engine"), std::string::npos);
  double length = 0;
  for (const double ns : timeline.at("lanes")[0].at("slices").at("length_ns")) length += ns;
  EXPECT_NEAR(length, run.at("result").at("time_ns").get<double>(), 1);
  ASSERT_EQ(trnsim({"report", "r.json", "-o", "q.html"}).code, 0);
  EXPECT_EQ(data(read("q.html")).at("runs")[0].at("timeline"), timeline);
}

TEST_F(ReportCli, AResultFileGivesThePageOfItsRun) {
  ASSERT_EQ(trnsim(softmax({"--json", "r.json", "--html", "p.html"})).code, 0);
  const Outcome outcome = trnsim({"report", "r.json", "-o", "q.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_EQ(read("q.html"), read("p.html"));
}

TEST_F(ReportCli, SeveralResultsStandSideBySideUnderDifferentNames) {
  ASSERT_EQ(trnsim(softmax({"--json", "a.json"})).code, 0);
  ASSERT_EQ(trnsim({"run", "--chip", "trn3", "--kernel", "softmax", "--param", "rows=256,cols=512", "-q", "--json", "b.json"}).code, 0);
  const Outcome outcome = trnsim({"report", "a.json", "b.json", "a.json", "-o", "p.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json runs = data(read("p.html")).at("runs");
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].at("name"), "softmax on trn2 (a.json)");
  EXPECT_EQ(runs[1].at("name"), "softmax on trn3");
  EXPECT_EQ(runs[2].at("name"), "softmax on trn2 (a.json, 2)");
  for (const json& run : runs) EXPECT_TRUE(run.at("timeline").is_object());
}

TEST_F(ReportCli, TimelinesCanBeLeftOut) {
  ASSERT_EQ(trnsim(softmax({"--json", "r.json"})).code, 0);
  ASSERT_EQ(trnsim({"report", "r.json", "--no-timeline", "-o", "p.html"}).code, 0);
  const json run = data(read("p.html")).at("runs")[0];
  EXPECT_TRUE(run.at("timeline").is_null());
  EXPECT_EQ(run.at("result"), json::parse(read("r.json")));
}

TEST_F(ReportCli, AnExplanationIsThatOfExplain) {
  ASSERT_EQ(trnsim(softmax({"--json", "r.json"})).code, 0);
  const Outcome outcome = trnsim({"report", "r.json", "--explain", "-o", "p.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json run = data(read("p.html")).at("runs")[0];
  EXPECT_EQ(run.at("explanation"), json::parse(trnsim({"explain", "r.json", "-q", "--json", "-"}).out));
  EXPECT_FALSE(run.at("explanation").at("what_if").empty());
  EXPECT_TRUE(run.at("timeline").is_object());
}

TEST_F(ReportCli, WhatCannotBeExplainedHasItsTimeline) {
  ASSERT_EQ(trnsim(softmax({"--max-time", "3us", "--json", "r.json"})).code, 5);
  const Outcome outcome = trnsim({"report", "r.json", "--explain", "-o", "p.html"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("shown without an explanation"), std::string::npos) << outcome.err;
  const json run = data(read("p.html")).at("runs")[0];
  EXPECT_TRUE(run.at("timeline").is_object());
  EXPECT_FALSE(run.contains("explanation"));
}

TEST_F(ReportCli, ARunThatCannotBeRepeatedIsShownWithoutItsTimeline) {
  ASSERT_EQ(trnsim({"trace", "write", "--chip", "trn2", "--kernel", "softmax", "--param", "rows=256,cols=512", "-o", "t.jsonl"}).code, 0);
  ASSERT_EQ(trnsim({"run", "--chip", "trn2", "--trace", path("t.jsonl"), "-q", "--json", "r.json"}).code, 0);
  ASSERT_EQ(trnsim({"report", "r.json", "-o", "p.html"}).code, 0);
  EXPECT_TRUE(data(read("p.html")).at("runs")[0].at("timeline").is_object());
  std::filesystem::remove(path("t.jsonl"));
  const Outcome gone = trnsim({"report", "r.json", "-o", "q.html"});
  EXPECT_EQ(gone.code, 0);
  EXPECT_EQ(lines(gone.err), 1U);
  EXPECT_NE(gone.err.find("warning: r.json: shown without its timeline: "), std::string::npos) << gone.err;
  EXPECT_TRUE(data(read("q.html")).at("runs")[0].at("timeline").is_null());
}

TEST_F(ReportCli, AChangedWorkloadHasNoTimeline) {
  ASSERT_EQ(trnsim(softmax({"--json", "r.json"})).code, 0);
  json changed = json::parse(read("r.json"));
  changed["workload"]["hash"] = "0123456789abcdef";
  write("r.json", changed.dump());
  const Outcome outcome = trnsim({"report", "r.json", "-o", "p.html"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("has changed since"), std::string::npos) << outcome.err;
  EXPECT_EQ(trnsim({"report", "r.json", "-o", "p.html", "-q"}).err, "");
}

TEST_F(ReportCli, ARunStoppedByHandHasNoTimeline) {
  ASSERT_EQ(trnsim(softmax({"--json", "r.json"})).code, 0);
  json stopped = json::parse(read("r.json"));
  stopped["truncated"] = "interrupted";
  write("r.json", stopped.dump());
  const Outcome outcome = trnsim({"report", "r.json", "-o", "p.html"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("stopped by hand"), std::string::npos) << outcome.err;
}

TEST_F(ReportCli, WorkFromStdinHasNoTimeline) {
  ASSERT_EQ(trnsim({"trace", "write", "--chip", "trn2", "--kernel", "softmax", "--param", "rows=256,cols=512", "-o", "t.jsonl"}).code, 0);
  Surroundings with_input;
  with_input.input = read("t.jsonl");
  ASSERT_EQ(trnsim({"run", "--chip", "trn2", "--trace", "-", "-q", "--json", "r.json", "--html", "p.html"}, with_input).code, 0);
  EXPECT_TRUE(data(read("p.html")).at("runs")[0].at("timeline").is_object());
  const Outcome outcome = trnsim({"report", "r.json", "-o", "q.html"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("stdin"), std::string::npos) << outcome.err;
}

TEST_F(ReportCli, WhatIsNoResultIsRefused) {
  write("other.json", R"({"trnsim_sweep":"1.0"})");
  write("broken.json", "{");
  std::filesystem::create_directory(path("empty"));
  expect_problem(trnsim({"report", "other.json", "-o", "p.html"}), 2, "other.json: no key trnsim_result");
  expect_problem(trnsim({"report", "broken.json", "-o", "p.html"}), 2, "broken.json");
  expect_problem(trnsim({"report", "missing.json", "-o", "p.html"}), 4, "missing.json");
  expect_problem(trnsim({"report", "empty", "-o", "p.html"}), 2, "empty");
  EXPECT_EQ(trnsim({"report", "-o", "p.html"}).code, 2);
}

TEST_F(ReportCli, ANameForThePageIsNeededThatIsNoInput) {
  ASSERT_EQ(trnsim(softmax({"--json", "r.json"})).code, 0);
  expect_problem(trnsim({"report", "r.json"}), 2, "needs -o FILE");
  expect_problem(trnsim({"report", "r.json", "-o", "./r.json"}), 2, "input and an output");
  std::filesystem::create_directory(path("folder"));
  expect_problem(trnsim({"report", "r.json", "folder", "-o", "p.html"}), 2, "'folder' is a folder");
}

TEST_F(ReportCli, NamesCannotBreakThePage) {
  std::filesystem::create_directory(path("a<"));
  ASSERT_EQ(trnsim(softmax({"--json", path("a<") + "/script>.json"})).code, 0);
  const Outcome outcome = trnsim({"report", "a</script>.json", "a</script>.json", "-o", "p.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(data(read("p.html")).at("runs")[0].at("name"), "softmax on trn2 (a</script>.json)");
}

TEST_F(ReportCli, ASweepGivesItsPoints) {
  write("s.json", R"({"trnsim_sweep":"1.0","base":{"chip":"trn2","kernel":"matmul","params":{"n":512,"k":128}},
    "axes":[{"path":"params.m","values":[128,256]},{"path":"params.dtype","values":["bf16","mxfp8"]}],"combine":"grid"})");
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "out", "-q"}).code, 1);
  const Outcome outcome = trnsim({"report", "out", "-o", "p.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json page = data(read("p.html")), sweep = page.at("sweep");
  EXPECT_TRUE(page.at("runs").empty());
  EXPECT_EQ(page.at("title"), "sweep out");
  EXPECT_EQ(sweep.at("axes"), json::parse(R"(["params.m","params.dtype"])"));
  EXPECT_EQ(sweep.at("points"), 4);
  EXPECT_EQ(sweep.at("failed"), 2);
  ASSERT_EQ(sweep.at("rows").size(), 4U);
  const auto place = [&](const std::string& name) {
    std::size_t at = sweep.at("axes").size();
    for (const json& column : sweep.at("columns")) {
      if (column.at("name") == name) return at;
      ++at;
    }
    throw std::runtime_error("no column " + name);
  };
  const json &first = sweep.at("rows")[0], &failed = sweep.at("rows")[1];
  EXPECT_EQ(first.size(), sweep.at("axes").size() + sweep.at("columns").size());
  EXPECT_EQ(first[0], 128);
  EXPECT_EQ(first[1], "bf16");
  EXPECT_GT(first[place("time_ns")].get<double>(), 0);
  EXPECT_EQ(failed[place("status")], "refused");
  EXPECT_NE(failed[place("error")].get<std::string>().find("mxfp8"), std::string::npos);
  EXPECT_TRUE(failed[place("time_ns")].is_null());
}

TEST_F(ReportCli, ColumnsThatAreTheSameEverywhereAreListedOnce) {
  write("s.json", R"({"trnsim_sweep":"1.0","base":{"chip":"trn2","kernel":"matmul","params":{"n":512,"k":128}},
    "axes":[{"path":"params.m","values":[128,256]}],"combine":"grid"})");
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "out", "-q"}).code, 0);
  ASSERT_EQ(trnsim({"report", "out", "-o", "p.html"}).code, 0);
  const json sweep = data(read("p.html")).at("sweep");
  const auto named = [](const json& list, const std::string& name) {
    return std::ranges::any_of(list, [&](const json& entry) { return entry.at("name") == name; });
  };
  EXPECT_TRUE(named(sweep.at("same"), "workload"));
  EXPECT_FALSE(named(sweep.at("columns"), "workload"));
  EXPECT_TRUE(named(sweep.at("columns"), "time_ns"));
  EXPECT_FALSE(named(sweep.at("same"), "time_ns"));
}

TEST_F(ReportCli, SlashesAfterTheFolderOfASweepMakeNoDifference) {
  write("s.json", R"({"trnsim_sweep":"1.0","base":{"chip":"trn2","kernel":"matmul","params":{"n":512,"k":128}},
    "axes":[{"path":"params.m","values":[128,256]}],"combine":"grid"})");
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "out", "-q"}).code, 0);
  ASSERT_EQ(trnsim({"report", "out/", "-o", "p.html"}).code, 0);
  EXPECT_EQ(data(read("p.html")).at("sweep").at("name"), "out");
}

TEST_F(ReportCli, HelpHasAnExample) {
  const Outcome outcome = trnsim({"report", "--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("trnsim report result.json -o page.html"), std::string::npos);
}

}  // namespace
}  // namespace trnsim
