// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/version.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace trnsim {
namespace {

constexpr FileFormat kFormat{"trnsim_x", "x", 2, 3, "9.9.9"};

TEST(Version, HasThreeNumbers) {
  const std::string version(tool_version());
  EXPECT_EQ(std::count(version.begin(), version.end(), '.'), 2);
}

TEST(Version, OwnAndOlderMinorVersionsAreRead) {
  EXPECT_EQ(format_problem(kFormat, "2.3"), "");
  EXPECT_EQ(format_problem(kFormat, "2.0"), "");
}

TEST(Version, NewerMinorVersionNamesTheRangeAndTheToolItNeeds) {
  const std::string problem = format_problem(kFormat, "2.4");
  EXPECT_NE(problem.find("x format 2.4"), std::string::npos) << problem;
  EXPECT_NE(problem.find("reads 2.0 to 2.3"), std::string::npos) << problem;
  EXPECT_NE(problem.find("newer than " + std::string(tool_version())), std::string::npos) << problem;
}

TEST(Version, OtherMajorVersionsAreRefused) {
  EXPECT_NE(format_problem(kFormat, "3.0"), "");
  EXPECT_NE(format_problem(kFormat, "1.9").find("older trnsim"), std::string::npos);
}

TEST(Version, TextThatIsNoVersionIsQuoted) {
  for (const char* text : {"", "2", "2.", ".3", "2.3x", "two", "2.3.1", "-2.3"}) {
    EXPECT_NE(format_problem(kFormat, text).find("\"" + std::string(text) + "\""), std::string::npos) << text;
  }
}

TEST(Version, EveryFormatHasItsOwnKey) {
  const auto formats = file_formats();
  for (std::size_t i = 0; i < formats.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(formats[i].key, formats[j].key);
  }
}

/// Keys of documents that the sources write with a version.
std::set<std::string> written_keys() {
  std::set<std::string> keys;
  const std::regex written(R"re("(trnsim_[a-z_]+)"(, *"[0-9]+\.[0-9]+"|\] = "[0-9]+\.[0-9]+"))re");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TRNSIM_SOURCE_DIR "/src")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (std::sregex_iterator it(text.begin(), text.end(), written), end; it != end; ++it) keys.insert((*it)[1]);
  }
  keys.erase("trnsim_page");  // inside a page, no file of its own
  return keys;
}

TEST(Version, EveryDocumentThatIsWrittenIsListed) {
  const auto keys = written_keys();
  EXPECT_TRUE(keys.contains("trnsim_explanation"));
  for (const std::string& key : keys) {
    const auto formats = file_formats();
    EXPECT_TRUE(std::any_of(formats.begin(), formats.end(), [&](const FileFormat& f) { return f.key == key; })) << key;
  }
}

}  // namespace
}  // namespace trnsim
