// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/json.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

/// Refuses a key that stands twice in one object, of which the parser would keep the last without a word.
class DoubledKeys {
 public:
  explicit DoubledKeys(const std::string& file) : file_(file) {}

  bool operator()(int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) seen_.emplace_back();
    if (event == Json::parse_event_t::object_end) seen_.pop_back();
    if (event == Json::parse_event_t::key && !seen_.back().insert(parsed.get<std::string>()).second) {
      throw InputError(fmt::format("{}: key '{}' stands twice in one object", file_, parsed.get<std::string>()));
    }
    return true;
  }

 private:
  const std::string& file_;
  std::vector<std::set<std::string>> seen_;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) throw InputError(file + ": the file is empty");
  try {
    return Json::parse(text, DoubledKeys(file));
  } catch (const Json::exception& error) {
    const std::string what = error.what();
    const std::size_t place = what.find("at line");
    throw InputError(fmt::format("{}: not JSON: {}", file, place == std::string::npos ? what : what.substr(place)));
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
