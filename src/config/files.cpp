// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "config/files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "config/key_match.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"
#include "trnsim/file_limit.hpp"

namespace trnsim {
namespace {

namespace fs = std::filesystem;

/// Where the base of `file` is, or the places that were tried.
struct Located {
  std::string path;
  std::vector<std::string> tried;
};

Located locate(const std::string& base, const std::string& file) {
  Located located;
  const bool looks_like_path = base.find('/') != std::string::npos || base.ends_with(".json");
  if (!looks_like_path) {
    if (auto preset = preset_file(base)) return {*preset, {}};
    located.tried.push_back(config_directory() + "/chips");
  }
  const fs::path beside = fs::path(file).parent_path() / base;
  std::error_code ignored;
  if (fs::is_regular_file(beside, ignored)) located.path = beside.string();
  located.tried.push_back(beside.string());
  return located;
}

/// A name for one file however it is spelled.
std::string identity(const std::string& file) {
  std::error_code failed;
  const fs::path canonical = fs::weakly_canonical(file, failed);
  return failed ? file : canonical.string();
}

std::string missing_base(const std::string& base, const std::vector<std::string>& tried) {
  return fmt::format("\"{}\" is not a preset or a file; looked in {}; did you mean \"{}\"?", base, fmt::join(tried, " and "),
                     nearest_key(base, preset_names()));
}

}  // namespace

std::string read_text(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw IoError(fmt::format("cannot read {}: it is a directory", path));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw IoError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  const auto too_large = [&path] {
    return IoError(fmt::format("cannot read {}: it is larger than the {} MiB that such a file may have", path, kMaxFileBytes >> 20));
  };
  if (fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > kMaxFileBytes) throw too_large();
  std::string text;
  std::array<char, 65536> block{};
  errno = 0;
  do {
    in.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxFileBytes) throw too_large();  // a pipe or a device
  } while (in);
  if (in.bad()) throw IoError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return text;
}

std::optional<std::string> preset_file(const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos) return std::nullopt;
  const fs::path path = fs::path(config_directory()) / "chips" / (name + ".json");
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  return path.string();
}

std::string no_presets() { return fmt::format("there is no preset in {}/chips (TRNSIM_CONFIGS)", config_directory()); }

std::string unknown_preset(const std::string& name) {
  const std::vector<std::string> names = preset_names();
  if (names.empty()) return fmt::format("unknown chip \"{}\"; {}", name, no_presets());
  return fmt::format("unknown chip \"{}\"; did you mean \"{}\"? Presets: {} (trnsim chips list), or the path of a chip file", name,
                     nearest_key(name, names), fmt::join(names, ", "));
}

std::vector<ChipFile> collect_chain(JsonNode tree, const std::string& file, std::vector<std::string>& problems) {
  std::vector<ChipFile> chain;
  std::vector<std::string> seen{identity(file)};
  std::vector<std::string> shown{file};
  chain.push_back({file, std::move(tree), false});
  while (const JsonNode* base = chain.back().tree.find("extends")) {
    ChipFile& current = chain.back();
    const std::string place = fmt::format("{}:{}: extends: ", current.name, base->line);
    current.extends = true;
    if (!base->is(JsonNode::Kind::String)) {
      problems.push_back(place + "expected the name of a preset or a file, found " + base->describe());
      break;
    }
    const Located located = locate(base->text, current.name);
    if (located.path.empty()) {
      problems.push_back(place + missing_base(base->text, located.tried));
      break;
    }
    shown.push_back(located.path);
    if (std::find(seen.begin(), seen.end(), identity(located.path)) != seen.end()) {
      problems.push_back(place + fmt::format("the files extend each other: {}", fmt::join(shown, " -> ")));
      break;
    }
    seen.push_back(identity(located.path));
    try {
      JsonNode next = parse_json(read_text(located.path), located.path, problems);
      chain.push_back({located.path, std::move(next), false});
    } catch (const IoError& error) {  // named in a file, not on the command line
      problems.push_back(place + error.what());
      break;
    }
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace trnsim
