// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <utility>

#include "trnsim/nearest.hpp"

namespace trnsim::app {
namespace po = boost::program_options;
namespace {

std::string long_name(const std::string& option) { return option.substr(0, option.find(',')); }

}  // namespace

std::string ParsedOptions::value(const std::string& name, const std::string& fallback) const {
  const auto found = values.find(name);
  return found == values.end() ? fallback : found->second.back();
}

std::vector<std::string> ParsedOptions::list(const std::string& name) const {
  const auto found = values.find(name);
  return found == values.end() ? std::vector<std::string>{} : found->second;
}

Options::Options(std::string name, std::string arguments, std::string summary)
    : name_(std::move(name)), arguments_(std::move(arguments)), summary_(std::move(summary)) {}

Options& Options::flag(std::string option, std::string help) {
  options_.push_back({std::move(option), "", std::move(help), Kind::Flag});
  return *this;
}

Options& Options::value(std::string option, std::string placeholder, std::string help) {
  options_.push_back({std::move(option), std::move(placeholder), std::move(help), Kind::Value});
  return *this;
}

Options& Options::list(std::string option, std::string placeholder, std::string help) {
  options_.push_back({std::move(option), std::move(placeholder), std::move(help), Kind::List});
  return *this;
}

Options& Options::positional(std::size_t least, std::size_t most, std::string what) {
  least_ = least;
  most_ = most;
  what_ = std::move(what);
  return *this;
}

Options& Options::example(std::string line) {
  examples_.push_back(std::move(line));
  return *this;
}

Options& Options::note(std::string text) {
  notes_.push_back(std::move(text));
  return *this;
}

UsageError Options::mistake(const std::string& what) const { return UsageError(fmt::format("{}; see trnsim {} --help", what, name_)); }

UsageError Options::unknown(const std::string& option) const {
  std::vector<std::string> names{"--help"};
  for (const Option& known : options_) names.push_back("--" + long_name(known.name));
  const std::vector<std::string_view> views(names.begin(), names.end());
  return mistake(fmt::format("unknown option '{}'{}", option, nearest_hint(option.substr(0, option.find('=')), views)));
}

void Options::check_count(const Args& positional) const {
  if (positional.size() > most_) throw mistake(fmt::format("unexpected argument '{}'", positional[most_]));
  if (positional.size() < least_) throw mistake(fmt::format("trnsim {} needs {}", name_, what_));
}

ParsedOptions Options::parse(const Args& args) const {
  using Values = std::vector<std::string>;
  po::options_description known;
  known.add_options()("help,h", "")("positional-arguments", po::value<Values>());
  for (const Option& option : options_) {
    auto entry = known.add_options();
    if (option.kind == Kind::Flag) entry(option.name.c_str(), "");
    if (option.kind == Kind::Value) entry(option.name.c_str(), po::value<std::string>(), "");
    if (option.kind == Kind::List) entry(option.name.c_str(), po::value<Values>()->composing(), "");
  }
  po::positional_options_description positional;
  positional.add("positional-arguments", -1);

  ParsedOptions parsed;
  try {
    const auto style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    const auto raw = po::command_line_parser(args).options(known).positional(positional).style(style).run();
    for (const auto& option : raw.options) {
      if (option.string_key == "positional-arguments" && option.position_key < 0) throw unknown(option.original_tokens.front());
      if (option.position_key >= 0) {
        parsed.positional.insert(parsed.positional.end(), option.value.begin(), option.value.end());
        continue;
      }
      Values& values = parsed.values[option.string_key];
      if (option.value.empty()) values.emplace_back();
      values.insert(values.end(), option.value.begin(), option.value.end());
    }
  } catch (const po::unknown_option& error) {
    throw unknown(error.get_option_name());
  } catch (const po::error_with_option_name& error) {
    const auto* syntax = dynamic_cast<const po::invalid_command_line_syntax*>(&error);
    if (syntax == nullptr) throw mistake(error.what());
    const bool extra = syntax->kind() == po::invalid_syntax::extra_parameter;
    throw mistake(fmt::format("option '{}' {}", error.get_option_name(), extra ? "takes no value" : "needs a value"));
  } catch (const po::error& error) {
    throw mistake(error.what());
  }
  if (parsed.help()) return parsed;
  for (const Option& option : options_) {
    const std::string name = long_name(option.name);
    if (option.kind == Kind::Value && parsed.list(name).size() > 1) throw mistake(fmt::format("option '--{}' is given twice", name));
  }
  check_count(parsed.positional);
  return parsed;
}

std::string Options::help() const {
  std::string text = fmt::format("usage: trnsim {}{}{}\n\n{}\n", name_, arguments_.empty() ? "" : " ", arguments_, summary_);
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Option& option : options_) {
    const std::size_t comma = option.name.find(',');
    std::string left = comma == std::string::npos ? "" : fmt::format("-{}, ", option.name.substr(comma + 1));
    left += "--" + long_name(option.name);
    if (!option.placeholder.empty()) left += " " + option.placeholder;
    rows.emplace_back(std::move(left), option.help + (option.kind == Kind::List ? " (repeatable)" : ""));
  }
  rows.emplace_back("-h, --help", "Print this help");
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.first.size());
  text += "\nOptions:\n";
  for (const auto& [left, right] : rows) text += fmt::format("  {:<{}}  {}\n", left, width, right);
  for (const std::string& note : notes_) text += "\n" + note + "\n";
  if (!examples_.empty()) text += examples_.size() > 1 ? "\nExamples:\n" : "\nExample:\n";
  for (const std::string& line : examples_) text += "  " + line + "\n";
  return text;
}

}  // namespace trnsim::app
