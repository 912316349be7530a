// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/nki/open_nki.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "app/nki/options.hpp"
#include "app/nki/recordings.hpp"
#include "trnsim/error.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::app {
namespace {

/// An open file without a name.
int nameless_file() {
  const char* chosen = std::getenv("TMPDIR");
  std::string name = std::string(chosen != nullptr && *chosen != '\0' ? chosen : "/tmp") + "/trnsim-XXXXXX";
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) throw IoError(fmt::format("{}: cannot make a file for the recorded trace: {}", name, std::strerror(errno)));
  ::unlink(name.c_str());
  return descriptor;
}

void write(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n < 0 && errno != EINTR) throw IoError(std::string("cannot write the recorded trace to a temporary file: ") + std::strerror(errno));
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

/// Equal for calls that record the same.
std::string key_of(const NkiCall& call, const std::string& target) {
  std::error_code failed;
  const auto file = std::filesystem::absolute(kernel_file(call), failed).lexically_normal();
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", file.string(), call.kernel, target, call.grid, fmt::join(call.args, "\n"),
                     fmt::join(call.policy, "\n"));
}

}  // namespace

std::string target_of_chip(const ChipConfig& chip) {
  switch (generation_from(chip.generation).value_or(Generation::V3)) {
    case Generation::V2: return "trn1";
    case Generation::V3: return "trn2";
    case Generation::V4: return "trn3";
  }
  return "trn2";
}

Workload open_nki(const NkiCall& call, const ChipConfig& chip, RecorderHooks hooks) {
  const std::string target = target_of_chip(chip);
  const auto record_into = [&](int descriptor) {
    hooks.trace = [descriptor](std::string_view text) { write(descriptor, text); };
    record_kernel(call, target, hooks);
  };
  if (const Recordings* shared = Recordings::now()) return open_trace(shared->open(key_of(call, target), record_into), call.kernel, chip);
  const int descriptor = nameless_file();
  try {
    record_into(descriptor);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  return open_trace(descriptor, call.kernel, chip);
}

}  // namespace trnsim::app
