// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/error.hpp"

namespace trnsim {
namespace {

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  return text;
}

}  // namespace

InputError::InputError(std::vector<std::string> problems) : Error(ExitCode::BadInput, join(problems)), problems_(std::move(problems)) {}

}  // namespace trnsim
