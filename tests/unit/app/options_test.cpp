// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/options.hpp"

#include <gtest/gtest.h>

namespace trnsim::app {
namespace {

Options sample() {
  Options options("go", "FILE", "Goes.");
  options.value("output,o", "FILE", "Where to").list("set", "P=V", "Change").flag("quiet,q", "Less").positional(1, 2, "a file");
  options.example("trnsim go x");
  return options;
}

std::string mistake_of(const Args& args) {
  try {
    (void)sample().parse(args);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Options, ValuesFlagsListsAndPositionalsAreToldApart) {
  const ParsedOptions parsed = sample().parse({"a", "--set", "x=1", "-q", "--set=y=2", "b", "-o", "f"});
  EXPECT_EQ(parsed.positional, (Args{"a", "b"}));
  EXPECT_EQ(parsed.list("set"), (std::vector<std::string>{"x=1", "y=2"}));
  EXPECT_TRUE(parsed.has("quiet"));
  EXPECT_EQ(parsed.value("output"), "f");
  EXPECT_EQ(parsed.value("absent", "fallback"), "fallback");
}

TEST(Options, DashIsAValueAndAPositional) {
  const ParsedOptions parsed = sample().parse({"-", "--output", "-"});
  EXPECT_EQ(parsed.positional, Args{"-"});
  EXPECT_EQ(parsed.value("output"), "-");
}

TEST(Options, ValuesMayBeginWithAMinusSign) { EXPECT_EQ(sample().parse({"a", "--set=x=-1"}).list("set").front(), "x=-1"); }

TEST(Options, EmptyWordIsAValueAndNothingAfterTheEqualsSignIsNone) {
  EXPECT_EQ(sample().parse({"a", "--output", ""}).value("output", "fallback"), "");
  EXPECT_NE(mistake_of({"a", "--output="}).find("needs a value"), std::string::npos);
}

TEST(Options, UnknownOptionNamesTheNearestOneAndTheHelp) {
  const std::string message = mistake_of({"a", "--ouput", "f"});
  EXPECT_NE(message.find("'--ouput'"), std::string::npos) << message;
  EXPECT_NE(message.find("--output"), std::string::npos) << message;
  EXPECT_NE(message.find("trnsim go --help"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(Options, AbbreviationsAreNotGuessed) { EXPECT_NE(mistake_of({"a", "--out", "f"}), ""); }

TEST(Options, RepeatedSingleValueIsRefused) { EXPECT_NE(mistake_of({"a", "-o", "f", "-o", "g"}).find("twice"), std::string::npos); }

TEST(Options, MissingValueNamesTheOption) {
  const std::string message = mistake_of({"a", "--output"});
  EXPECT_NE(message.find("'--output' needs a value"), std::string::npos) << message;
}

TEST(Options, ValueOfAFlagIsRefusedAsSuch) {
  EXPECT_NE(mistake_of({"a", "--quiet=3"}).find("'--quiet' takes no value"), std::string::npos) << mistake_of({"a", "--quiet=3"});
}

TEST(Options, TooFewAndTooManyArgumentsAreRefused) {
  EXPECT_NE(mistake_of({}).find("needs a file"), std::string::npos);
  EXPECT_NE(mistake_of({"a", "b", "c"}).find("'c'"), std::string::npos);
}

TEST(Options, HelpAsksForNothingElse) {
  EXPECT_TRUE(sample().parse({"--help"}).help());
  EXPECT_TRUE(sample().parse({"-h"}).help());
}

TEST(Options, HelpShowsEveryOptionAndTheExample) {
  const std::string help = sample().help();
  for (const char* part : {"usage: trnsim go FILE", "-o, --output FILE", "--set P=V", "-q, --quiet", "-h, --help", "trnsim go x"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace trnsim::app
