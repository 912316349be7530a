// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>

#include "app/check/golden.hpp"
#include "app/check/golden_places.hpp"
#include "app/json.hpp"

namespace trnsim::app {
namespace {

/// A piece of the text and what takes its place.
struct Edit {
  std::size_t begin, end;
  std::string text;
};

const MemberPlace* find(const std::vector<MemberPlace>& members, std::string_view key) {
  const auto found = std::find_if(members.begin(), members.end(), [key](const MemberPlace& member) { return member.key == key; });
  return found == members.end() ? nullptr : &*found;
}

/// Like the last member: the same text before its key and between key and value.
Edit added_cycles(std::string_view text, const std::vector<MemberPlace>& members, std::uint64_t cycles) {
  const MemberPlace &last = members.back(), &before = members[members.size() - 2];
  const std::string_view between = text.substr(before.value_end, last.key_begin - before.value_end);
  const std::size_t key_end = text.find('"', last.key_begin + 1);  // no key of a case holds a quote
  const std::string_view colon = text.substr(key_end + 1, last.value_begin - key_end - 1);
  return {last.value_end, last.value_end, fmt::format("{}\"cycles\"{}{}", between, colon, cycles)};
}

void add_edits(std::string_view text, std::size_t place, const GoldenCase& golden, const GoldenValues& now, std::vector<Edit>& edits) {
  const std::vector<MemberPlace> members = members_at(text, place);
  const auto replace = [&](std::string_view key, const std::string& value) {
    const MemberPlace* member = find(members, key);
    edits.push_back({member->value_begin, member->value_end, value});
  };
  if (golden.cycles && *golden.cycles != now.cycles) replace("cycles", std::to_string(now.cycles));
  if (!golden.cycles) edits.push_back(added_cycles(text, members, now.cycles));
  if (golden.clock_ghz && *golden.clock_ghz != now.clock_ghz) replace("clock_ghz", Json(now.clock_ghz).dump());
  if (golden.energy_pj && exceeds(*golden.energy_pj, now.energy_pj, {})) replace("energy_pj", Json(now.energy_pj).dump());
  if (golden.dma_bytes && *golden.dma_bytes != now.dma_bytes) replace("dma_bytes", std::to_string(now.dma_bytes));
}

}  // namespace

std::string updated_golden(const GoldenFile& file, const std::vector<std::optional<GoldenValues>>& values) {
  std::vector<Edit> edits;
  const std::vector<MemberPlace> top = members_at(file.text, json_begin(file.text));
  const std::vector<std::size_t> places = elements_at(file.text, find(top, "cases")->value_begin);
  for (std::size_t i = 0; i < file.cases.size(); ++i) {
    if (values[i]) add_edits(file.text, places[i], file.cases[i], *values[i], edits);
  }
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string text;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    text.append(file.text, at, edit.begin - at).append(edit.text);
    at = edit.end;
  }
  return text.append(file.text, at, std::string::npos);
}

}  // namespace trnsim::app
