// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "trnsim/error.hpp"
#include "trnsim/page.hpp"

namespace trnsim {
namespace {

constexpr std::string_view kForm = "<html><!--trnsim-data--></html>";
constexpr std::string_view kBegin = R"(<script type="application/json" id="trnsim-data">)";

nlohmann::json data_of(const std::string& html) {
  const std::size_t begin = html.find(kBegin) + kBegin.size();
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

TEST(PageHtml, HoldsTheDataInPlaceOfTheMark) {
  const std::string html = page_html({"a", {{"b", "{\"x\":1}", "", ""}}, ""}, kForm);
  EXPECT_TRUE(html.starts_with("<html><script"));
  EXPECT_TRUE(html.ends_with("</script></html>"));
  const nlohmann::json data = data_of(html);
  EXPECT_EQ(data.at("trnsim_page"), "1.0");
  EXPECT_EQ(data.at("runs").at(0).at("result").at("x"), 1);
  EXPECT_TRUE(data.at("runs").at(0).at("timeline").is_null());
  EXPECT_FALSE(data.at("runs").at(0).contains("explanation"));
  EXPECT_TRUE(data.at("sweep").is_null());
}

TEST(PageHtml, NoTextEndsTheElementOfTheData) {
  const std::string name = "</script><!--<script>";
  const std::string html = page_html({name, {{name, "{\"name\":\"</script>\"}", "", ""}}, "[\"<!--\"]"}, kForm);
  const std::size_t begin = html.find(kBegin) + kBegin.size();
  EXPECT_EQ(html.find('<', begin), html.find("</script></html>"));
  EXPECT_EQ(data_of(html).at("title"), name);
  EXPECT_EQ(data_of(html).at("runs").at(0).at("name"), name);
}

TEST(PageHtml, AnEmptyFormIsAPlainPage) {
  const std::string html = page_html({"plain", {}, ""}, "");
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(data_of(html).at("title"), "plain");
}

TEST(PageHtml, AFormWithoutAPlaceIsOurOwnFault) { EXPECT_THROW(page_html({"x", {}, ""}, "<html></html>"), InternalError); }

}  // namespace
}  // namespace trnsim
