// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/read_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <filesystem>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "trnsim/error.hpp"
#include "trnsim/file_limit.hpp"

namespace trnsim::app {

std::string read_file(const std::string& path) {
  const int descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto fail = [&path](std::string_view why) {
    return IoError(fmt::format("{}: cannot read: {}", path == "-" ? "standard input" : path, why));
  };
  if (descriptor < 0) throw fail(std::strerror(errno));
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  bool too_large = known && static_cast<std::uint64_t>(status.st_size) > kMaxFileBytes;
  std::string text;
  std::array<char, 65536> buffer{};
  int error = 0;
  while (!too_large) {
    const ssize_t n = ::read(descriptor, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) error = errno;
    if (n <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(n));
    too_large = text.size() > kMaxFileBytes;
  }
  if (descriptor != STDIN_FILENO) ::close(descriptor);
  if (error != 0) throw fail(std::strerror(error));
  if (too_large) throw fail(fmt::format("larger than the {} MiB that such a file may have", kMaxFileBytes >> 20));
  return text;
}

bool can_be_read_again(const std::string& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  return path != "-" &&
         (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status) || std::filesystem::is_directory(status));
}

}  // namespace trnsim::app
