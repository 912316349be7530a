// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include "app/check/golden.hpp"

namespace trnsim::app {
namespace {

using Values = std::vector<std::optional<GoldenValues>>;

const std::string kSuite =
    "{\"trnsim_golden\": \"1.0\",\n"
    " \"cases\": [\n"
    "  {\"name\":\"a\",\"args\":[\"--chip\",\"trn2\"],\"cycles\":100},\n"
    "  {\"name\":\"b\", \"cycles\" : 200 , \"args\":[\"--chip\",\"trn2\"],\"energy_pj\":1.5,\"dma_bytes\":64},\n"
    "  {\"name\": \"c\", \"args\": [\"--chip\", \"trn2\"]}\n"
    "]}\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string update(const Values& values, const std::string& text = kSuite) { return updated_golden(parse_golden(text, "g.json"), values); }

TEST(GoldenUpdate, TheSameValuesAreTheSameBytes) {
  EXPECT_EQ(update({GoldenValues{100, 9, 9}, GoldenValues{200, 1.5, 64}, std::nullopt}), kSuite);
}

TEST(GoldenUpdate, OnlyChangedValuesChange) {
  EXPECT_EQ(update({GoldenValues{100, 0, 0}, GoldenValues{201, 1.5, 64}, std::nullopt}), replaced(kSuite, "200", "201"));
  EXPECT_EQ(update({GoldenValues{99, 0, 0}, GoldenValues{200, 1.5, 64}, std::nullopt}), replaced(kSuite, "100", "99"));
}

TEST(GoldenUpdate, EnergyAndBytesChangeWhereTheyAreExpected) {
  EXPECT_EQ(update({std::nullopt, GoldenValues{200, 2.5, 128}, std::nullopt}),
            replaced(replaced(kSuite, "1.5", "2.5"), "\"dma_bytes\":64", "\"dma_bytes\":128"));
}

TEST(GoldenUpdate, LastBitsOfAnEnergyStay) {
  EXPECT_EQ(update({std::nullopt, GoldenValues{200, 1.5000000000000002, 64}, std::nullopt}), kSuite);
}

TEST(GoldenUpdate, NewExpectationsAreSpacedLikeTheirNeighbours) {
  EXPECT_EQ(update({std::nullopt, std::nullopt, GoldenValues{300, 0, 0}}),
            replaced(kSuite, "\"trn2\"]}\n", "\"trn2\"], \"cycles\": 300}\n"));
}

TEST(GoldenUpdate, NewExpectationsGetALineWhereKeysHaveOne) {
  const std::string text =
      "{\"trnsim_golden\": \"1.0\", \"cases\": [{\r\n\t\"name\" : \"a\",\r\n\t\"args\" : [\"--chip\", \"trn2\"]\r\n}]}";
  EXPECT_EQ(update({GoldenValues{7, 0, 0}}, text), replaced(text, "\"trn2\"]", "\"trn2\"],\r\n\t\"cycles\" : 7"));
}

TEST(GoldenUpdate, CasesWithoutValuesAreLeftAlone) { EXPECT_EQ(update({std::nullopt, std::nullopt, std::nullopt}), kSuite); }

TEST(GoldenUpdate, WhatWasWrittenIsReadBack) {
  const std::string text = update({GoldenValues{1, 0, 0}, GoldenValues{22222, 3.25, 7}, GoldenValues{3, 0, 0}});
  const GoldenFile file = parse_golden(text, "g.json");
  EXPECT_EQ(file.cases[0].cycles, 1u);
  EXPECT_EQ(file.cases[1].cycles, 22222u);
  EXPECT_EQ(file.cases[1].energy_pj, 3.25);
  EXPECT_EQ(file.cases[1].dma_bytes, 7u);
  EXPECT_EQ(file.cases[2].cycles, 3u);
}

TEST(GoldenUpdate, AByteOrderMarkAndTextsWithBracketsAreKept) {
  const std::string text = "\xEF\xBB\xBF" + replaced(kSuite, "\"a\"", "\"a]},\\\" \\u0022\"");
  EXPECT_EQ(update({GoldenValues{101, 0, 0}, std::nullopt, std::nullopt}, text), replaced(text, "100", "101"));
}

}  // namespace
}  // namespace trnsim::app
