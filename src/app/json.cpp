// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <vector>

#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

/// Characters that the parser reads, counted, since its callback and some of its errors do not say where they are.
class Counted {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Counted(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  const char& operator*() const { return *at_; }
  Counted& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  bool operator==(const Counted& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

/// A text that is being parsed.
struct Place {
  std::string_view text;
  const char* furthest;

  /// Of the last token, after which one character may have been read.
  [[nodiscard]] std::size_t line() const {
    const char* const last = std::max(text.data(), furthest - 1);
    return static_cast<std::size_t>(std::count(text.data(), last, '\n')) + 1;
  }
};

/// Refuses a key that stands twice in one object, of which the parser would keep the last without a word.
class DoubledKeys {
 public:
  DoubledKeys(const std::string& file, const Place& place) : file_(file), place_(place) {}

  bool operator()(int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) seen_.emplace_back();
    if (event == Json::parse_event_t::object_end) seen_.pop_back();
    if (event == Json::parse_event_t::key && !seen_.back().insert(parsed.get<std::string>()).second) {
      throw InputError(fmt::format("{}:{}: key '{}' stands twice in one object", file_, place_.line(), parsed.get<std::string>()));
    }
    return true;
  }

 private:
  const std::string& file_;
  const Place& place_;
  std::vector<std::set<std::string>> seen_;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) throw InputError(file + ": the file is empty");
  Place place{text, text.data()};
  try {
    return Json::parse(Counted(text.data(), &place.furthest), Counted(text.data() + text.size(), &place.furthest),
                       DoubledKeys(file, place));
  } catch (const Json::out_of_range&) {
    throw InputError(fmt::format("{}:{}: a number is too large", file, place.line()));
  } catch (const Json::exception& error) {
    const std::string what = error.what();
    const std::size_t at = what.find("at line");
    throw InputError(fmt::format("{}: not JSON: {}", file, at == std::string::npos ? what : what.substr(at)));
  }
}

Json parse_json(std::string_view text, const std::string& file, const FileFormat& format) {
  Json json = parse_json(text, file);
  const std::string key(format.key);
  if (!json.is_object() || !json.contains(key)) throw InputError(fmt::format("{}: no key {}", file, key));
  if (const std::string problem = format_problem(format, text_at(json, ("/" + key).c_str(), file)); !problem.empty()) {
    throw InputError(file + ": " + problem);
  }
  return json;
}

std::string text_at(const Json& json, const char* pointer, const std::string& file) {
  const Json::json_pointer at(pointer);
  if (!json.contains(at)) throw InputError(fmt::format("{}: no text at {}", file, pointer));
  if (!json.at(at).is_string()) throw InputError(fmt::format("{}: {}: want text, not {}", file, pointer, json.at(at).dump()));
  return json.at(at).get<std::string>();
}

}  // namespace trnsim::app
