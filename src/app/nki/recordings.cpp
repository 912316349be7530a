// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/nki/recordings.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>

#include "app/fnv.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

const Recordings* living = nullptr;

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {
    if (fd_ < 0 && errno != ENOENT) throw IoError(fmt::format("{}: cannot keep a recorded trace: {}", path, std::strerror(errno)));
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

/// Ours alone: the folder above may be everybody's.
void make_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0) return;
  const int error = errno;
  struct stat status {};
  if (error == EEXIST && ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid()) return;
  throw IoError(fmt::format("{}: cannot make a folder for recorded traces: {}", folder, std::strerror(error)));
}

}  // namespace

Recordings::Recordings() : owner_(::getpid()) {
  std::error_code ignored;
  std::random_device random;
  const std::filesystem::path above = std::filesystem::temp_directory_path(ignored);
  folder_ = (above / fmt::format("trnsim-{}-{:08x}{:08x}", owner_, random(), random())).string();
  living = this;
}

Recordings::~Recordings() {
  living = nullptr;
  std::error_code ignored;
  if (::getpid() == owner_) std::filesystem::remove_all(folder_, ignored);
}

const Recordings* Recordings::now() { return living; }

int Recordings::open(const std::string& key, const std::function<void(int)>& record) const {
  make_folder(folder_);
  const std::string path = fmt::format("{}/{:016x}.jsonl", folder_, fnv1a(key));
  const Descriptor lock(path + ".lock", O_RDWR | O_CREAT);
  while (::flock(lock.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  if (Descriptor known(path, O_RDONLY); known.get() >= 0) return known.release();
  const std::string temporary = path + ".part";
  Descriptor file(temporary, O_RDWR | O_CREAT | O_TRUNC);
  record(file.get());
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    throw IoError(fmt::format("{}: cannot keep a recorded trace: {}", path, std::strerror(errno)));
  return file.release();
}

}  // namespace trnsim::app
