// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <filesystem>
#include <fstream>

#include "analysis/source_lines.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kLongest = 160;  ///< Bytes of a line that are kept.
constexpr std::size_t kMostLines = 1'000'000;

/// A trace may name any file; only sources of kernels are opened.
std::optional<std::filesystem::path> kernel_file(const std::filesystem::path& name, const std::filesystem::path& beside) {
  std::error_code error;
  if (name.extension() != ".py") return std::nullopt;
  if (std::filesystem::is_regular_file(name, error)) return name;
  const std::filesystem::path neighbour = beside.parent_path() / (name.is_absolute() ? name.filename() : name);
  if (std::filesystem::is_regular_file(neighbour, error)) return neighbour;
  return std::nullopt;
}

/// Without the space around it, and cut between characters.
std::string trimmed(const std::string& line) {
  constexpr std::string_view kSpace = " \t\r\f\v";
  const std::size_t begin = line.find_first_not_of(kSpace);
  if (begin == std::string::npos) return {};
  std::string text = line.substr(begin, line.find_last_not_of(kSpace) - begin + 1);
  for (char& c : text) c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  if (text.size() <= kLongest) return text;
  std::size_t cut = kLongest;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0U) == 0x80U) --cut;
  return text.substr(0, cut) + "…";
}

}  // namespace

SourceText::SourceText(const std::string& file, const std::string& beside) {
  const auto path = kernel_file(file, beside);
  if (!path) return;
  std::ifstream in(*path, std::ios::binary);
  for (std::string line; lines_.size() < kMostLines && std::getline(in, line);) lines_.push_back(trimmed(line));
}

std::optional<std::string> SourceText::line(std::uint32_t number) const {
  if (number == 0 || number > lines_.size()) return std::nullopt;
  return lines_[number - 1];
}

}  // namespace trnsim
