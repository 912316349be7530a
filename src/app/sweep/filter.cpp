// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/filter.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace trnsim::app {
namespace {

constexpr std::size_t kLongest = 4096;
constexpr unsigned kDeepest = 64;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string described(const FilterValue& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return fmt::format("text '{}'", *text);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return fmt::format("number {}", std::get<double>(value));
}

}  // namespace

FilterValue filter_value(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!text.empty() && error == std::errc{} && end == text.data() + text.size() && std::isfinite(number)) return number;
  return text;
}

/// Recursive descent, one function per level of precedence.
class FilterParser {
 public:
  using Op = Filter::Op;

  FilterParser(Filter& filter, std::string_view text, const Filter::SlotOf& slot_of) : filter_(filter), text_(text), slot_of_(slot_of) {}

  std::uint32_t parse() {
    if (text_.size() > kLongest) throw FilterError(kLongest + 1, fmt::format("longer than {} characters", kLongest));
    const std::uint32_t root = alternatives();
    if (skip() < text_.size()) throw FilterError(at_ + 1, fmt::format("unexpected '{}'", text_[at_]));
    return root;
  }

 private:
  using Level = std::uint32_t (FilterParser::*)();

  std::size_t skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_;
  }

  bool take(std::string_view word) {
    if (!text_.substr(skip()).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::uint32_t add(Filter::Node node) {
    filter_.nodes_.push_back(std::move(node));
    return static_cast<std::uint32_t>(filter_.nodes_.size() - 1);
  }

  /// left OP right OP right …, for the operators of one level; the longer spellings come first.
  template <std::size_t kCount>
  std::uint32_t chain(Level next, const std::array<std::pair<std::string_view, Op>, kCount>& operators) {
    std::uint32_t left = (this->*next)();
    for (;;) {
      const std::size_t column = skip() + 1;
      std::optional<Op> found;
      for (const auto& [word, op] : operators) {
        if (!found && take(word)) found = op;
      }
      if (!found) return left;
      const std::uint32_t right = (this->*next)();
      left = add({*found, column, left, right});
    }
  }

  std::uint32_t alternatives() { return chain<1>(&FilterParser::conditions, {{{"||", Op::Or}}}); }
  std::uint32_t conditions() { return chain<1>(&FilterParser::comparison, {{{"&&", Op::And}}}); }
  std::uint32_t comparison() {
    return chain<6>(
        &FilterParser::sum,
        {{{"==", Op::Equal}, {"!=", Op::Unequal}, {"<=", Op::LessEqual}, {">=", Op::MoreEqual}, {"<", Op::Less}, {">", Op::More}}});
  }
  std::uint32_t sum() { return chain<2>(&FilterParser::product, {{{"+", Op::Add}, {"-", Op::Subtract}}}); }
  std::uint32_t product() { return chain<3>(&FilterParser::prefixed, {{{"*", Op::Multiply}, {"/", Op::Divide}, {"%", Op::Remainder}}}); }

  std::uint32_t prefixed() {
    const std::size_t column = skip() + 1;
    if (++depth_ > kDeepest) throw FilterError(column, fmt::format("nested deeper than {}", kDeepest));
    std::uint32_t node = 0;
    if (take("!")) {
      node = add({Op::Not, column, prefixed()});
    } else if (take("-")) {
      node = add({Op::Negate, column, prefixed()});
    } else {
      node = operand(column);
    }
    --depth_;
    return node;
  }

  std::uint32_t operand(std::size_t column) {
    if (take("(")) {
      const std::uint32_t inner = alternatives();
      if (!take(")")) throw FilterError(skip() + 1, fmt::format("no ')' for the '(' at column {}", column));
      return inner;
    }
    if (at_ >= text_.size()) throw FilterError(column, "the expression ends where a value is wanted");
    if (text_[at_] == '\'' || text_[at_] == '"') return quoted(column);
    if (is_digit(text_[at_]) || text_[at_] == '.') return literal_number(column);
    if (is_letter(text_[at_])) return name(column);
    if (text_[at_] == '=') throw FilterError(column, "unexpected '='; equality is '=='");
    throw FilterError(column, fmt::format("unexpected '{}'; want a name, a number, a text in quotes or '('", text_[at_]));
  }

  std::uint32_t quoted(std::size_t column) {
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) throw FilterError(column, "the text has no closing quote");
    const std::string inner(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return add({Op::Text, column, 0, 0, 0.0, inner});
  }

  std::uint32_t literal_number(std::size_t column) {
    double number = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc{} || !std::isfinite(number)) throw FilterError(column, "not a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && is_letter(text_[at_])) throw FilterError(at_ + 1, "a number ends without unit");
    return add({Op::Literal, column, 0, 0, number});
  }

  std::uint32_t name(std::size_t column) {
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.')) ++end;
    const std::string word(text_.substr(at_, end - at_));
    at_ = end;
    if (word == "true" || word == "false") return add({Op::Literal, column, 0, 0, word == "true"});
    try {
      return add({Op::Name, column, static_cast<std::uint32_t>(slot_of_(word))});
    } catch (const std::out_of_range& error) {
      throw FilterError(column, error.what());
    }
  }

  Filter& filter_;
  std::string_view text_;
  const Filter::SlotOf& slot_of_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

Filter::Filter(std::string text, const SlotOf& slot_of) { root_ = FilterParser(*this, text, slot_of).parse(); }

bool Filter::passes(const std::vector<FilterValue>& values) const {
  const FilterValue value = evaluate(root_, values);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  throw FilterError(nodes_[root_].column, fmt::format("gives the {}; want true or false", described(value)));
}

bool Filter::truth(std::uint32_t node, const std::vector<FilterValue>& values) const {
  const FilterValue value = evaluate(node, values);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  throw FilterError(nodes_[node].column, fmt::format("want true or false, found the {}", described(value)));
}

double Filter::number(std::uint32_t node, const std::vector<FilterValue>& values) const {
  const FilterValue value = evaluate(node, values);
  if (const double* number = std::get_if<double>(&value)) return *number;
  throw FilterError(nodes_[node].column, fmt::format("want a number, found {}", described(value)));
}

FilterValue Filter::evaluate(std::uint32_t index, const std::vector<FilterValue>& values) const {
  const Node& node = nodes_[index];
  switch (node.op) {
    case Op::Literal: return node.value;
    case Op::Text: return std::string_view(node.text);
    case Op::Name: return values[node.left];
    case Op::Or: return truth(node.left, values) || truth(node.right, values);
    case Op::And: return truth(node.left, values) && truth(node.right, values);
    case Op::Not: return !truth(node.left, values);
    case Op::Negate: return -number(node.left, values);
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::Divide:
    case Op::Remainder: return computed(node, number(node.left, values), number(node.right, values));
    default: return compared(node, evaluate(node.left, values), evaluate(node.right, values));
  }
}

FilterValue Filter::computed(const Node& node, double left, double right) const {
  if (node.op == Op::Add) return left + right;
  if (node.op == Op::Subtract) return left - right;
  if (node.op == Op::Multiply) return left * right;
  if (right == 0) throw FilterError(node.column, "division by zero");
  return node.op == Op::Divide ? left / right : std::fmod(left, right);
}

FilterValue Filter::compared(const Node& node, const FilterValue& left, const FilterValue& right) const {
  if (left.index() != right.index()) {
    throw FilterError(node.column, fmt::format("{} and {} cannot be compared", described(left), described(right)));
  }
  if (node.op == Op::Equal) return left == right;
  if (node.op == Op::Unequal) return left != right;
  if (!std::holds_alternative<double>(left)) {
    throw FilterError(node.column, fmt::format("{} and {} have no order; only == and != go with them", described(left), described(right)));
  }
  const double a = std::get<double>(left), b = std::get<double>(right);
  if (node.op == Op::Less) return a < b;
  if (node.op == Op::LessEqual) return a <= b;
  if (node.op == Op::More) return a > b;
  return a >= b;
}

}  // namespace trnsim::app
