// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "config/core_kinds.hpp"

#include <algorithm>
#include <cctype>

namespace trnsim {
namespace {

constexpr const char* kAllAlike =
    "all cores of a chip are alike, so a chip with two kinds of core is not supported; describe each kind as a chip of its own";

bool is_number(std::string_view part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

/// "tensor[1]", "0": one of several.
bool is_indexed(std::string_view part) { return is_number(part) || part.find('[') != std::string_view::npos; }

bool names_cores(std::string_view part) {
  std::string word;
  for (const char c : part) word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word.find("core") != std::string::npos;
}

bool is_composed(const JsonNode& node) { return node.is(JsonNode::Kind::Array) || node.is(JsonNode::Kind::Object); }

}  // namespace

std::string one_kind_of_core(const JsonNode& given) { return given.is(JsonNode::Kind::Array) ? kAllAlike : ""; }

std::string one_kind_of_core(std::string_view path, const JsonNode* given) {
  bool indexed = false, cores = false;
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('.'));
    indexed = indexed || is_indexed(part);
    cores = cores || names_cores(part);
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return indexed || (cores && given != nullptr && is_composed(*given)) ? kAllAlike : "";
}

}  // namespace trnsim
