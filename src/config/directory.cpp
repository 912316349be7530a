// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "trnsim/config/load.hpp"

namespace trnsim {
namespace {

namespace fs = std::filesystem;

bool has_chips(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_directory(directory / "chips", ignored);
}

/// The program may lie deep in a build tree (build/src/app) or in PREFIX/bin.
std::optional<fs::path> beside_program() {
  std::error_code failed;
  fs::path directory = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (; !failed && !directory.empty(); directory = directory.parent_path()) {
    for (const char* below : {"configs", "share/trnsim/configs"}) {
      if (has_chips(directory / below)) return directory / below;
    }
    if (directory == directory.parent_path()) break;
  }
  return std::nullopt;
}

/// Place of a preset in lists: generations in order, anything added by the user after them.
std::size_t rank(const std::string& name) {
  constexpr std::array<std::string_view, 5> kOrder{"trn1", "inf2", "trn2", "trn3", "trn4-projected"};
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), name) - kOrder.begin());
}

}  // namespace

std::string config_directory() {
  if (const char* chosen = std::getenv("TRNSIM_CONFIGS"); chosen != nullptr && *chosen != '\0') return chosen;
  if (const auto found = beside_program()) return found->string();
  for (const char* built_in : {TRNSIM_SOURCE_CONFIGS, TRNSIM_INSTALLED_CONFIGS}) {
    if (has_chips(built_in)) return built_in;
  }
  return TRNSIM_INSTALLED_CONFIGS;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(fs::path(config_directory()) / "chips", failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().extension() == ".json") names.push_back(entry->path().stem().string());
  }
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return rank(a) != rank(b) ? rank(a) < rank(b) : a < b; });
  return names;
}

}  // namespace trnsim
