// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trnsim/error.hpp"

namespace trnsim::app {

using Args = std::vector<std::string>;

/// A mistake on the command line; `what()` is one line that ends with where to find help.
class UsageError : public InputError {
 public:
  using InputError::InputError;
};

/// Arguments of one command after parsing.
struct ParsedOptions {
  std::map<std::string, std::vector<std::string>> values;  ///< By long name; flags have one empty value.
  Args positional;

  [[nodiscard]] bool has(const std::string& name) const { return values.contains(name); }
  [[nodiscard]] std::string value(const std::string& name, const std::string& fallback = {}) const;
  [[nodiscard]] std::vector<std::string> list(const std::string& name) const;
  [[nodiscard]] bool help() const { return has("help"); }
};

/// The options of one command: parses them and prints its help.
class Options {
 public:
  /// `name` is the command as typed ("chips show"), `arguments` what follows it in the usage line.
  Options(std::string name, std::string arguments, std::string summary);

  Options& flag(std::string option, std::string help);
  Options& value(std::string option, std::string placeholder, std::string help);  ///< At most once.
  Options& list(std::string option, std::string placeholder, std::string help);   ///< Any number of times.
  Options& positional(std::size_t least, std::size_t most, std::string what);
  Options& example(std::string line);  ///< A command line that works as printed.
  Options& note(std::string text);     ///< A paragraph after the options.

  /// UsageError for an unknown option (with the nearest), a missing or repeated value, too many or too
  /// few arguments. With --help nothing else is checked.
  [[nodiscard]] ParsedOptions parse(const Args& args) const;
  [[nodiscard]] std::string help() const;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  enum class Kind { Flag, Value, List };
  struct Option {
    std::string name;  ///< "output,o": the long name and a letter.
    std::string placeholder;
    std::string help;
    Kind kind;
  };

  [[nodiscard]] UsageError mistake(const std::string& what) const;
  [[nodiscard]] UsageError unknown(const std::string& option) const;
  void check_count(const Args& positional) const;

  std::string name_, arguments_, summary_;
  std::vector<Option> options_;
  std::size_t least_ = 0, most_ = 0;
  std::string what_;
  std::vector<std::string> examples_, notes_;
};

}  // namespace trnsim::app
