// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/trace_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "trnsim/error.hpp"
#include "workload/compress.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kBlock = 256 * 1024;

class TextInput : public TraceInput {
 public:
  TextInput(std::string text, std::string name) : TraceInput(std::move(name)), text_(std::move(text)) {}
  std::size_t read(std::uint64_t offset, char* to, std::size_t size) const override {
    if (offset >= text_.size()) return 0;
    return text_.copy(to, size, static_cast<std::size_t>(offset));
  }

 private:
  std::string text_;
};

class FileInput : public TraceInput {
 public:
  FileInput(int descriptor, std::string name) : TraceInput(std::move(name)), descriptor_(descriptor) {}
  FileInput(const FileInput&) = delete;
  FileInput& operator=(const FileInput&) = delete;
  ~FileInput() override { ::close(descriptor_); }

  std::size_t read(std::uint64_t offset, char* to, std::size_t size) const override {
    for (;;) {
      const ssize_t n = ::pread(descriptor_, to, size, static_cast<off_t>(offset));
      if (n >= 0) return static_cast<std::size_t>(n);
      if (errno != EINTR) throw IoError(name() + ": cannot read: " + std::strerror(errno));
    }
  }

 private:
  int descriptor_;
};

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw IoError(name + ": " + what + ": " + std::strerror(errno));
}

int temporary_file(const std::string& name) {
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/trnsim-XXXXXX";
  const int descriptor = ::mkstemp(path.data());
  if (descriptor < 0) fail(name, "cannot make a temporary file " + path);
  ::unlink(path.c_str());
  return descriptor;
}

/// Finds a line longer than any trace may have before all of it is copied: a device may never end.
class LineLimit {
 public:
  explicit LineLimit(std::string name) : name_(std::move(name)) {}

  void add(std::string_view block) {
    if (first_) packed_ = compression_of_magic(block.substr(0, 4)) != Compression::None;
    first_ = false;
    const std::size_t newline = block.rfind('\n');
    length_ = newline == std::string_view::npos ? length_ + block.size() : block.size() - newline - 1;
    if (!packed_ && length_ > TraceLines::kLongest) throw ProgramError(name_ + ": " + TraceLines::too_long());
  }

 private:
  std::string name_;
  std::size_t length_ = 0;  ///< Of the line at the end of what was added.
  bool first_ = true, packed_ = false;
};

/// Copies what can be read only once.
std::shared_ptr<const TraceInput> spool(int from, const std::string& name) {
  const int to = temporary_file(name);
  auto input = std::make_shared<FileInput>(to, name);
  LineLimit limit(name);
  std::vector<char> block(kBlock);
  for (;;) {
    const ssize_t n = ::read(from, block.data(), block.size());
    if (n == 0) return input;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(name, "cannot read");
    limit.add({block.data(), static_cast<std::size_t>(n)});
    for (ssize_t done = 0; done < n;) {
      const ssize_t written = ::write(to, block.data() + done, static_cast<std::size_t>(n - done));
      if (written < 0 && errno != EINTR) fail(name, "cannot write a temporary copy");
      if (written > 0) done += written;
    }
  }
}

/// Reads an input from its start to its end.
class InputCursor {
 public:
  explicit InputCursor(std::shared_ptr<const TraceInput> input) : input_(std::move(input)) {}
  std::size_t read(char* to, std::size_t size) {
    const std::size_t n = input_->read(offset_, to, size);
    offset_ += n;
    return n;
  }
  [[nodiscard]] const std::string& name() const { return input_->name(); }

 private:
  std::shared_ptr<const TraceInput> input_;
  std::uint64_t offset_ = 0;
};

class PlainText : public TraceText {
 public:
  explicit PlainText(std::shared_ptr<const TraceInput> input) : cursor_(std::move(input)) {}
  std::size_t read(char* to, std::size_t size) override { return cursor_.read(to, size); }

 private:
  InputCursor cursor_;
};

class GzipText : public TraceText {
 public:
  explicit GzipText(std::shared_ptr<const TraceInput> input) : cursor_(std::move(input)) {
    if (inflateInit2(&z_, 16 + 15) != Z_OK) throw InternalError("zlib cannot start reading");
  }
  GzipText(const GzipText&) = delete;
  GzipText& operator=(const GzipText&) = delete;
  ~GzipText() override { inflateEnd(&z_); }

  std::size_t read(char* to, std::size_t size) override {
    z_.next_out = reinterpret_cast<Bytef*>(to);
    z_.avail_out = static_cast<uInt>(size);
    while (z_.avail_out == size) {
      if (z_.avail_in == 0 && !refill()) break;
      const int code = inflate(&z_, Z_NO_FLUSH);
      if (code == Z_STREAM_END) {
        inside_ = false;
        inflateReset(&z_);  // a further member may follow
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        throw ProgramError(cursor_.name() + ": damaged gzip data");
      } else {
        inside_ = true;
      }
    }
    return size - z_.avail_out;
  }

 private:
  bool refill() {
    z_.next_in = reinterpret_cast<Bytef*>(block_.data());
    z_.avail_in = static_cast<uInt>(cursor_.read(block_.data(), block_.size()));
    if (z_.avail_in == 0 && inside_) throw ProgramError(cursor_.name() + ": gzip data ends too early; the file is cut off");
    return z_.avail_in != 0;
  }

  InputCursor cursor_;
  std::array<char, kBlock> block_{};
  z_stream z_{};
  bool inside_ = false;
};

class ZstdText : public TraceText {
 public:
  explicit ZstdText(std::shared_ptr<const TraceInput> input) : cursor_(std::move(input)), z_(ZSTD_createDCtx(), &ZSTD_freeDCtx) {
    if (!z_) throw InternalError("zstd cannot start reading");
  }

  std::size_t read(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !flushing_ && !refill()) break;
      const std::size_t left = ZSTD_decompressStream(z_.get(), &out, &in_);
      if (ZSTD_isError(left) != 0) throw ProgramError(cursor_.name() + ": damaged zstd data: " + ZSTD_getErrorName(left));
      inside_ = left != 0;
      flushing_ = out.pos == out.size && inside_;  // more may come out without more going in
    }
    return out.pos;
  }

 private:
  bool refill() {
    in_ = {block_.data(), cursor_.read(block_.data(), block_.size()), 0};
    if (in_.size == 0 && inside_) throw ProgramError(cursor_.name() + ": zstd data ends too early; the file is cut off");
    return in_.size != 0;
  }

  InputCursor cursor_;
  std::array<char, kBlock> block_{};
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> z_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool inside_ = false, flushing_ = false;
};

}  // namespace

std::shared_ptr<const TraceInput> TraceInput::of_text(std::string text, std::string name) {
  return std::make_shared<TextInput>(std::move(text), std::move(name));
}

std::shared_ptr<const TraceInput> TraceInput::of_file(int descriptor, std::string name) {
  return std::make_shared<FileInput>(descriptor, std::move(name));
}

std::shared_ptr<const TraceInput> TraceInput::open(const std::string& path) {
  if (path == "-") return spool(STDIN_FILENO, "stdin");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, "cannot read");
  auto file = std::make_shared<FileInput>(descriptor, path);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(path, "cannot read");
  if (S_ISDIR(status.st_mode)) throw IoError(path + ": cannot read: is a directory");
  if (S_ISREG(status.st_mode)) return file;
  return spool(descriptor, path);
}

std::unique_ptr<TraceText> TraceText::open(std::shared_ptr<const TraceInput> input) {
  std::array<char, 4> start{};
  const std::size_t n = input->read(0, start.data(), start.size());
  switch (compression_of_magic({start.data(), n})) {
    case Compression::Gzip: return std::make_unique<GzipText>(std::move(input));
    case Compression::Zstd: return std::make_unique<ZstdText>(std::move(input));
    case Compression::None: break;
  }
  return std::make_unique<PlainText>(std::move(input));
}

}  // namespace trnsim
