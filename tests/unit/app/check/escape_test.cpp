// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/escape.hpp"

#include <gtest/gtest.h>

namespace trnsim::app {
namespace {

TEST(XmlEscape, MarkupBecomesReferences) { EXPECT_EQ(xml_escape(R"(a<b>&"c'd)"), "a&lt;b&gt;&amp;&quot;c&apos;d"); }

TEST(XmlEscape, LineEndsAndTabsSurviveInAttributes) { EXPECT_EQ(xml_escape("a\nb\rc\td"), "a&#10;b&#13;c&#9;d"); }

TEST(XmlEscape, OtherControlCharactersAreReplaced) {
  EXPECT_EQ(xml_escape(std::string("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(xml_escape("\x1b[31m"), "\xEF\xBF\xBD[31m");
  EXPECT_EQ(xml_escape("\x7f"), "\x7f") << "allowed in XML 1.0";
}

TEST(XmlEscape, ValidUtf8IsKept) {
  const std::string text = "µs \xE2\x82\xAC \xF0\x9F\x98\x80";
  EXPECT_EQ(xml_escape(text), text);
}

TEST(XmlEscape, WhatIsNotACharacterOfXmlIsReplaced) {
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(xml_escape("\xEF\xBF\xBE"), replaced + replaced + replaced) << "U+FFFE";
  EXPECT_EQ(xml_escape("\xED\xA0\x80"), replaced + replaced + replaced) << "a surrogate";
  EXPECT_EQ(xml_escape("\xC0\x80"), replaced + replaced) << "overlong";
  EXPECT_EQ(xml_escape("\xE0\x80\x80"), replaced + replaced + replaced) << "overlong";
  EXPECT_EQ(xml_escape("\xE2\x82"), replaced + replaced) << "cut";
  EXPECT_EQ(xml_escape("\xFF"), replaced);
  EXPECT_EQ(xml_escape("\xE2x"), replaced + "x");
}

TEST(GithubEscape, MessagesKeepColonsAndCommas) { EXPECT_EQ(github_message("50%: a,\r\nb"), "50%25: a,%0D%0Ab"); }

TEST(GithubEscape, PropertiesDoNot) { EXPECT_EQ(github_property("a,b:c%\n"), "a%2Cb%3Ac%25%0A"); }

TEST(MarkdownEscape, ACellIsOneLineWithoutMarkup) {
  EXPECT_EQ(markdown_cell("a|b\nc"), "a\\|b c");
  EXPECT_EQ(markdown_cell("*x* `y` <z> [l](u)"), "\\*x\\* \\`y\\` \\<z\\> \\[l\\](u)");
  EXPECT_EQ(markdown_cell("m=1,n=2 +3.5 %"), "m=1,n=2 +3.5 %");
}

}  // namespace
}  // namespace trnsim::app
