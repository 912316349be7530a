// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/accepted.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <map>

#include "app/check/result_diff.hpp"
#include "app/output.hpp"
#include "app/read_file.hpp"

namespace trnsim::app {
namespace fs = std::filesystem;
namespace {

/// One file name: everything but letters, digits, '-', '_', '+' and '.' as %XX, which keeps names apart.
std::string file_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '+' || (c == '.' && !name.empty());
    name += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return name;
}

std::vector<std::string> explanation(const std::string& path, const CheckedCase& checked) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {fmt::format("no accepted result {} to compare with", path)};
  const ResultFacts accepted = read_facts(path);
  std::vector<std::string> lines;
  if (checked.golden->cycles && accepted.cycles != *checked.golden->cycles) {
    lines.push_back(fmt::format("{} has {} cycles: it is of another state than the golden file", path, accepted.cycles));
  }
  for (std::string& line : diff_summary(diff_results(accepted, parse_facts(checked.run.result, checked.golden->name)))) {
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::string accepted_name(const std::string& folder, const CheckedCase& checked) {
  const std::string suite = checked.file->path == "-" ? "stdin" : fs::path(checked.file->path).stem().string();
  return (fs::path(folder) / file_name(suite) / (file_name(checked.golden->name) + ".json")).string();
}

void prepare_results(const std::string& folder, const std::vector<CheckedCase>& cases) {
  std::map<std::string, const GoldenFile*> taken;
  for (const CheckedCase& one : cases) {
    const std::string path = accepted_name(folder, one);
    if (!taken.emplace(path, one.file).second) {
      throw InputError(
          fmt::format("{} and {} would both write {}; give one of the golden files another name", taken[path]->path, one.file->path, path));
    }
    const fs::path parent = fs::path(path).parent_path();
    std::error_code failed;
    fs::create_directories(parent, failed);
    if (failed) throw IoError(fmt::format("{}: cannot write: {}", parent.string(), failed.message()));
    check_writable(path);
  }
}

void save_results(const std::string& folder, const std::vector<CheckedCase>& cases, Console& console) {
  for (const CheckedCase& one : cases) {
    if (one.has_values()) write_file(accepted_name(folder, one), one.run.result, console);
  }
}

void explain(const std::string& folder, std::vector<CheckedCase>& cases) {
  for (CheckedCase& one : cases) {
    if (one.verdict != Verdict::Ok && one.has_values()) one.explanation = explanation(accepted_name(folder, one), one);
  }
}

}  // namespace trnsim::app
