// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trnsim::app {

/// A value in a filter; text belongs to somebody else.
using FilterValue = std::variant<double, bool, std::string_view>;

/// "params.m" as --param writes it: a number, true or false, else text.
FilterValue filter_value(std::string_view text);

/// A mistake in an expression; `column` counts from 1.
class FilterError : public std::runtime_error {
 public:
  FilterError(std::size_t column, const std::string& what) : std::runtime_error(what), column_(column) {}
  [[nodiscard]] std::size_t column() const { return column_; }

 private:
  std::size_t column_;
};

/// An expression over named values: || && ! == != < <= > >= + - * / % and parentheses; numbers, texts in
/// single or double quotes, true, false. Numbers are doubles. Types do not mix.
class Filter {
 public:
  /// `slot` gives each name a number; it throws std::out_of_range with the message for an unknown one.
  using SlotOf = std::function<std::size_t(const std::string& name)>;

  /// FilterError with the first mistake.
  Filter(std::string text, const SlotOf& slot_of);

  /// Values by slot. FilterError when types do not go together, for a division by zero, and when the
  /// whole is not true or false.
  [[nodiscard]] bool passes(const std::vector<FilterValue>& values) const;

 private:
  friend class FilterParser;
  enum class Op : std::uint8_t {
    Literal,
    Text,
    Name,
    Or,
    And,
    Not,
    Negate,
    Equal,
    Unequal,
    Less,
    LessEqual,
    More,
    MoreEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder
  };
  struct Node {
    Op op;
    std::size_t column;
    std::uint32_t left = 0, right = 0;  ///< Nodes; of a name its slot.
    FilterValue value = 0.0;
    std::string text = {};
  };

  [[nodiscard]] FilterValue evaluate(std::uint32_t node, const std::vector<FilterValue>& values) const;
  [[nodiscard]] FilterValue compared(const Node& node, const FilterValue& left, const FilterValue& right) const;
  [[nodiscard]] FilterValue computed(const Node& node, double left, double right) const;
  [[nodiscard]] bool truth(std::uint32_t node, const std::vector<FilterValue>& values) const;
  [[nodiscard]] double number(std::uint32_t node, const std::vector<FilterValue>& values) const;

  std::vector<Node> nodes_;
  std::uint32_t root_ = 0;
};

}  // namespace trnsim::app
