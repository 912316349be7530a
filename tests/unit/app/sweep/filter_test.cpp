// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/filter.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "unit/app/sweep/sweep_support.hpp"

namespace trnsim::app {
namespace {

const std::vector<std::pair<std::string, std::string>> kNames{{"params.m", "4"}, {"params.n", "6"}, {"chip", "trn2"}, {"flag", "true"}};

std::size_t slot_of(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i].first == name) return i;
  }
  throw std::out_of_range("unknown " + name);
}

bool passes(const std::string& text) {
  std::vector<FilterValue> values;
  for (const auto& [name, value] : kNames) values.push_back(filter_value(value));
  return Filter(text, slot_of).passes(values);
}

/// "12: what" of the mistake in an expression.
std::string mistake(const std::string& text) {
  try {
    passes(text);
  } catch (const FilterError& error) {
    return std::to_string(error.column()) + ": " + error.what();
  }
  return {};
}

TEST(Filter, ComparesNumbers) {
  EXPECT_TRUE(passes("params.m <= params.n"));
  EXPECT_FALSE(passes("params.m > params.n"));
  EXPECT_TRUE(passes("params.m == 4 && params.n != 4"));
  EXPECT_TRUE(passes("params.m >= 4 && params.m < 4.5"));
}

TEST(Filter, ComputesInTheUsualOrder) {
  EXPECT_TRUE(passes("params.m + params.n * 2 == 16"));
  EXPECT_TRUE(passes("(params.m + params.n) * 2 == 20"));
  EXPECT_TRUE(passes("params.n - 3 - 2 == 1"));
  EXPECT_TRUE(passes("params.n / 3 / 2 == 1"));
  EXPECT_TRUE(passes("params.n % params.m == 2"));
  EXPECT_TRUE(passes("-params.m < -3"));
  EXPECT_TRUE(passes("1e3 == 1000 && .5 == 0.5"));
}

TEST(Filter, AndBindsCloserThanOr) {
  EXPECT_TRUE(passes("true || false && false"));
  EXPECT_FALSE(passes("(true || false) && false"));
  EXPECT_TRUE(passes("!false && !(params.m == 5)"));
}

TEST(Filter, DoesNotLookAtWhatDecidesNothing) {
  EXPECT_FALSE(passes("params.m != 4 && params.m / 0 == 1"));
  EXPECT_TRUE(passes("params.m == 4 || params.m / 0 == 1"));
}

TEST(Filter, ComparesTextsInEitherQuotes) {
  EXPECT_TRUE(passes("chip == 'trn2'"));
  EXPECT_TRUE(passes("chip != \"trn3\""));
}

TEST(Filter, TakesFlags) {
  EXPECT_TRUE(passes("flag"));
  EXPECT_TRUE(passes("flag == true"));
}

TEST(Filter, MistakesNameTheirColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"params.m <", "11: the expression ends"},
      {"params.q < 1", "1: unknown params.q"},
      {"params.m = 1", "10: unexpected '='"},
      {"(params.m < 1", "14: no ')' for the '(' at column 1"},
      {"params.m < 1)", "13: unexpected ')'"},
      {"chip == 'trn2", "9: the text has no closing quote"},
      {"params.m < 10us", "14: a number ends without unit"},
      {"params.m / 0 == 1", "10: division by zero"},
      {"params.m % 0 == 1", "10: division by zero"},
      {"chip == 2", "6: text 'trn2' and number 2 cannot be compared"},
      {"chip < 'trn3'", "6: text 'trn2' and text 'trn3' have no order"},
      {"chip + 1 == 2", "1: want a number, found text 'trn2'"},
      {"params.m && true", "1: want true or false, found the number 4"},
      {"params.m + 1", "10: gives the number 5; want true or false"},
      {"params.m == 4 params.n", "15: unexpected 'p'"},
      {"", "1: the expression ends"},
      {"@", "1: unexpected '@'"},
      {"1e999 > 1", "1: not a number"},
  };
  for (const auto& [text, wanted] : cases) EXPECT_TRUE(mistake(text).starts_with(wanted)) << text << "\n" << mistake(text);
}

TEST(Filter, DepthAndLengthAreLimited) {
  EXPECT_TRUE(contains(mistake(std::string(100, '(') + "1" + std::string(100, ')') + " == 1"), "nested deeper"));
  EXPECT_TRUE(contains(mistake(std::string(100, '-') + "1 == 1"), "nested deeper"));
  EXPECT_TRUE(contains(mistake(std::string(5000, ' ') + "true"), "longer than"));
  EXPECT_TRUE(passes(std::string(30, '(') + "true" + std::string(30, ')')));
}

/// A random expression with its value, written with parentheses only where needed by construction.
struct Sum {
  std::string text;
  long value;
};
Sum random_sum() {
  const auto terms = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::pair<int, int>>>(rc::gen::pair(rc::gen::inRange(0, 1000), rc::gen::inRange(0, 1000))));
  Sum sum{"0", 0};
  for (const auto& [a, b] : terms) {
    const bool minus = (a + b) % 2 == 1;
    sum.text += (minus ? " - " : "+") + std::to_string(a) + " * " + std::to_string(b);
    sum.value += (minus ? -1L : 1L) * a * b;
  }
  return sum;
}

RC_GTEST_PROP(FilterLaw, SumsOfProductsAreThoseOfArithmetic, ()) {
  const Sum sum = random_sum();
  RC_PRE(sum.text.size() < 4000);
  RC_ASSERT(passes(sum.text + " == " + (sum.value < 0 ? "-" : "") + std::to_string(std::abs(sum.value))));
}

RC_GTEST_PROP(FilterLaw, AnyTextIsReadOrRefusedWithAColumnInIt, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "params.m", "1", "'x'", "(", ")", "!", "-", "+", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||", " ", "true", "=", "&"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  try {
    passes(text);
  } catch (const FilterError& error) {
    RC_ASSERT(error.column() >= 1);
    RC_ASSERT(error.column() <= text.size() + 1);
  }
}

TEST(FilterValue, IsANumberAFlagOrText) {
  EXPECT_EQ(filter_value("1.5"), FilterValue(1.5));
  EXPECT_EQ(filter_value("false"), FilterValue(false));
  for (const char* text : {"trn2", "", "1x", "inf", "nan", "10us"})
    EXPECT_EQ(filter_value(text), FilterValue(std::string_view(text))) << text;
}

}  // namespace
}  // namespace trnsim::app
