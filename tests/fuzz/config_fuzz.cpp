// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
// The chip reader on arbitrary bytes: only the project's own error classes may leave it, and what it
// accepts is consistent and survives being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"

namespace {

/// Text before a NUL is the file, each further part an override.
trnsim::LoadOptions options_of(std::string_view& text) {
  trnsim::LoadOptions options;
  const std::size_t end = text.find('\0');
  std::string_view rest = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  text = text.substr(0, end);
  options.allow_unknown = !rest.empty() && rest.front() == '?';
  while (!rest.empty()) {
    const std::size_t part = rest.find('\0');
    options.set.emplace_back(rest.substr(0, part));
    rest.remove_prefix(part == std::string_view::npos ? rest.size() : part + 1);
  }
  return options;
}

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const trnsim::LoadOptions options = options_of(text);
  std::vector<std::string> warnings;
  try {
    const trnsim::ChipConfig config = trnsim::parse_chip(text, "fuzz.json", options, warnings);
    require(trnsim::check_chip(config).empty());
    const std::string written = trnsim::to_json(config);
    require(trnsim::to_json(trnsim::parse_chip(written, "again.json", {}, warnings)) == written);
  } catch (const trnsim::InputError& error) {
    require(!error.problems().empty());
  } catch (const trnsim::IoError&) {
  }
  return 0;
}
