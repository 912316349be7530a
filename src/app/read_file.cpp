// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/read_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "trnsim/error.hpp"

namespace trnsim::app {

std::string read_file(const std::string& path) {
  const int descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto fail = [&path](int error) {
    return IoError(fmt::format("{}: cannot read: {}", path == "-" ? "standard input" : path, std::strerror(error)));
  };
  if (descriptor < 0) throw fail(errno);
  std::string text;
  std::array<char, 65536> buffer{};
  int error = 0;
  for (;;) {
    const ssize_t n = ::read(descriptor, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) error = errno;
    if (n <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  if (descriptor != STDIN_FILENO) ::close(descriptor);
  if (error != 0) throw fail(error);
  return text;
}

}  // namespace trnsim::app
