// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/workload_file.hpp"

#include <gtest/gtest.h>

#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

std::string problem_of(std::string_view text) {
  try {
    (void)parse_workload_file(text, "w.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(WorkloadFile, NamesKernelParametersAndCores) {
  const WorkloadFile file = parse_workload_file(
      R"({"trnsim_workload":"1.0","about":"x","kernel":"matmul","params":{"m":64,"dtype":"bf16","flag":true},"cores":2})", "w.json");
  EXPECT_EQ(file.kernel, "matmul");
  EXPECT_EQ(file.params, (std::vector<std::string>{"m=64", "dtype=bf16", "flag=true"}));
  EXPECT_EQ(file.cores, 2u);
}

TEST(WorkloadFile, EveryProblemNamesTheFile) {
  for (const char* text :
       {"", " \r\n", "{", "[]", "{}", R"({"trnsim_workload":1,"kernel":"copy"})", R"({"trnsim_workload":"1.0"})",
        R"({"trnsim_workload":"1.0","kernel":["copy"]})", R"({"trnsim_workload":"1.0","kernel":"copy","cores":0})",
        R"({"trnsim_workload":"1.0","kernel":"copy","cores":1.5})", R"({"trnsim_workload":"1.0","kernel":"copy","params":[1]})",
        R"({"trnsim_workload":"1.0","kernel":"copy","params":{"m":[1]}})"}) {
    EXPECT_TRUE(problem_of(text).starts_with("w.json: ")) << text << " -> " << problem_of(text);
  }
}

TEST(WorkloadFile, UnknownKeyNamesTheNearest) {
  const std::string problem = problem_of(R"({"trnsim_workload":"1.0","kernel":"copy","parms":{}})");
  EXPECT_NE(problem.find("parms"), std::string::npos) << problem;
  EXPECT_NE(problem.find("params"), std::string::npos) << problem;
}

TEST(WorkloadFile, NewerFormatIsRefused) {
  EXPECT_NE(problem_of(R"({"trnsim_workload":"1.1","kernel":"copy"})").find("1.1"), std::string::npos);
}

TEST(WorkloadFile, DoubledKeyIsRefusedWithItsLine) {
  EXPECT_EQ(problem_of("{\"trnsim_workload\": \"1.0\",\n\"kernel\": \"copy\",\n\"kernel\":\n\"matmul\"}"),
            "w.json:3: key 'kernel' stands twice in one object");
}

TEST(WorkloadFile, NumberBeyondADoubleIsRefusedWithItsLine) {
  EXPECT_EQ(problem_of("{\"trnsim_workload\": \"1.0\",\n\"cores\": 1e400\n}"), "w.json:2: a number is too large");
}

}  // namespace
}  // namespace trnsim::app
