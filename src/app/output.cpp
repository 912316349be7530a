// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/options.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw IoError(fmt::format("{}: cannot write: {}", path == "-" ? "standard output" : path, std::strerror(error)));
}

/// 0 or the errno of the write that failed.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// A descriptor that is closed on every way out; `close` reports what closing finds.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return fd_; }
  int close() {
    const int status = fd_ >= 0 && ::close(fd_) != 0 ? errno : 0;
    fd_ = -1;
    return status;
  }

 private:
  int fd_;
};

/// The file itself where `path` is a symbolic link, so that a rename does not replace the link.
std::string resolved(const std::string& path) {
  std::error_code ignored;
  const fs::path real = fs::canonical(path, ignored);
  return real.empty() ? path : real.string();
}

void write_in_place(const std::string& path, std::string_view text) {
  Descriptor file(path, O_WRONLY);
  if (file.get() < 0) fail(path, errno);
  if (const int error = write_all(file.get(), text)) fail(path, error);
  if (const int error = file.close()) fail(path, error);
}

std::string first_line(int descriptor) {
  std::string line;
  std::array<char, 4096> buffer{};
  off_t offset = 0;
  for (ssize_t n = 0; (n = ::pread(descriptor, buffer.data(), buffer.size(), offset)) > 0; offset += n) {
    line.append(buffer.data(), static_cast<std::size_t>(n));
    if (const std::size_t end = line.find('\n'); end != std::string::npos) line.resize(end);
    if (static_cast<std::size_t>(offset + n) > line.size()) break;
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

void check_header(int descriptor, const std::string& path, const std::string& header) {
  const std::string found = first_line(descriptor);
  if (found.empty() || found == header) return;
  throw InputError(fmt::format("{}: its first line is not the header of the columns this version writes; choose another file", path));
}

bool ends_in_newline(int descriptor, off_t size) {
  char last = '\n';
  return size == 0 || ::pread(descriptor, &last, 1, size - 1) != 1 || last == '\n';
}

}  // namespace

struct DescriptorStream::Impl : std::streambuf {
  explicit Impl(int fd) : descriptor(fd), out(this) { setp(buffer.data(), buffer.data() + buffer.size()); }

  bool drain() {
    if (error == 0) error = write_all(descriptor, {pbase(), static_cast<std::size_t>(pptr() - pbase())});
    setp(buffer.data(), buffer.data() + buffer.size());
    return error == 0;
  }
  int overflow(int c) override {
    if (!drain()) return traits_type::eof();
    return c == traits_type::eof() ? 0 : sputc(static_cast<char>(c));
  }
  int sync() override { return drain() ? 0 : -1; }

  int descriptor;
  int error = 0;
  std::array<char, 65536> buffer{};
  std::ostream out;
};

DescriptorStream::DescriptorStream(int descriptor) : impl_(std::make_unique<Impl>(descriptor)) {}
DescriptorStream::~DescriptorStream() { impl_->drain(); }
std::ostream& DescriptorStream::stream() { return impl_->out; }
int DescriptorStream::flush() {
  impl_->drain();
  return impl_->error;
}

bool is_special(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return path == "-" || (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status));
}

void check_writable(const std::string& path) {
  if (path == "-") return;
  if (path.empty()) throw IoError("\"\" is not the name of a file");
  const fs::path parent = fs::path(path).parent_path();
  const std::string directory = parent.empty() ? "." : parent.string();
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0) fail(path, errno);
  if (!S_ISDIR(status.st_mode)) fail(path, ENOTDIR);
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail(path, EISDIR);
    if (::access(path.c_str(), W_OK) != 0) fail(path, errno);
    if (!S_ISREG(status.st_mode)) return;
  } else if (errno != ENOENT) {
    fail(path, errno);
  }
  const std::string beside = fs::path(resolved(path)).parent_path().string();
  if (::access(beside.empty() ? "." : beside.c_str(), W_OK) != 0) fail(path, errno);
}

void check_places(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  const auto place = [](const std::string& path) {
    std::error_code failed;
    const fs::path whole = path == "-" ? fs::path(path) : fs::weakly_canonical(fs::absolute(path, failed), failed);
    return failed ? path : whole.string();
  };
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    if (output->empty() || (*output != "-" && is_special(*output))) continue;
    for (auto other = outputs.begin(); other != output; ++other) {
      if (!other->empty() && place(*other) == place(*output))
        throw UsageError(fmt::format("two outputs go to the same place, '{}' and '{}'; choose two", *other, *output));
    }
    for (const std::string& input : inputs) {
      if (!input.empty() && *output != "-" && place(input) == place(*output))
        throw UsageError(fmt::format("'{}' is an input and an output; choose another place for the output", *output));
    }
  }
}

TemporaryBeside::TemporaryBeside(const std::string& path) : path_(path), target_(resolved(path)) {
  const fs::path target(target_);
  for (unsigned n = 0;; ++n) {
    name_ = (target.parent_path() / fmt::format(".trnsim-{}-{}{}", ::getpid(), n, target.extension().string())).string();
    Descriptor file(name_, O_WRONLY | O_CREAT | O_EXCL);
    if (file.get() >= 0) break;
    if (errno != EEXIST) fail(path_, errno);
  }
  // A file that is replaced keeps its permissions.
  struct stat old {};
  if (::stat(target_.c_str(), &old) == 0) ::chmod(name_.c_str(), old.st_mode & 07777);
}

TemporaryBeside::~TemporaryBeside() {
  if (!kept_) ::unlink(name_.c_str());
}

void TemporaryBeside::keep() {
  if (::rename(name_.c_str(), target_.c_str()) != 0) fail(path_, errno);
  kept_ = true;
}

void write_file(const std::string& path, std::string_view text, Console& console) {
  if (path == "-") {
    console.out << text;
    return;
  }
  check_writable(path);
  if (is_special(path)) return write_in_place(path, text);
  TemporaryBeside temporary(path);
  Descriptor file(temporary.name(), O_WRONLY | O_TRUNC);
  if (file.get() < 0) fail(path, errno);
  if (const int error = write_all(file.get(), text)) fail(path, error);
  if (const int error = file.close()) fail(path, error);
  temporary.keep();
}

void check_csv(const std::string& path, const std::string& header) {
  check_writable(path);
  if (is_special(path)) return;
  Descriptor file(path, O_RDONLY);
  if (file.get() >= 0) check_header(file.get(), path, header);
}

void append_csv(const std::string& path, const std::string& header, const std::string& row, Console& console) {
  if (path == "-" || is_special(path)) return write_file(path, header + "\n" + row + "\n", console);
  check_writable(path);
  Descriptor file(path, O_RDWR | O_CREAT | O_APPEND);
  if (file.get() < 0) fail(path, errno);
  // Several processes may add to one file.
  while (::flock(file.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(path, errno);
  check_header(file.get(), path, header);
  std::string text = status.st_size == 0 ? header + "\n" : ends_in_newline(file.get(), status.st_size) ? "" : "\n";
  text += row + "\n";
  if (const int error = write_all(file.get(), text)) {
    if (::ftruncate(file.get(), status.st_size) != 0) fail(path, errno);
    if (status.st_size == 0) ::unlink(path.c_str());
    fail(path, error);
  }
  if (const int error = file.close()) fail(path, error);
}

}  // namespace trnsim::app
