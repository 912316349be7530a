// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "trnsim/error.hpp"
#include "trnsim/trace.hpp"
#include "workload/compress.hpp"

namespace trnsim {

struct TraceFile::Impl {
  std::string path;
  std::ofstream file;
  std::ostream* target = nullptr;  ///< The file, or stdout.
  std::unique_ptr<CompressingBuffer> compressor;
  std::ostream text{nullptr};
  bool open = true;
};

TraceFile::TraceFile(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->target = &std::cout;
  if (path != "-") {
    errno = 0;
    impl_->file.open(path, std::ios::binary | std::ios::trunc);
    if (!impl_->file) throw IoError(path + ": cannot write: " + std::strerror(errno));
    impl_->target = &impl_->file;
  }
  impl_->compressor = CompressingBuffer::make(compression_of_name(path), *impl_->target->rdbuf());
  impl_->text.rdbuf(impl_->compressor ? impl_->compressor.get() : impl_->target->rdbuf());
}

TraceFile::~TraceFile() {
  try {
    close();
  } catch (const IoError&) {
    return;  // `close` is the way to hear of it
  }
}

std::ostream& TraceFile::stream() { return impl_->text; }

void TraceFile::close() {
  if (!impl_->open) return;
  impl_->open = false;
  bool good = impl_->text.good();
  if (impl_->compressor) good = impl_->compressor->finish() && good;
  good = impl_->target->flush().good() && good;
  if (impl_->file.is_open()) {
    impl_->file.close();
    good = impl_->file.good() && good;
  }
  if (!good) throw IoError(impl_->path + ": cannot write everything: " + std::strerror(errno));
}

}  // namespace trnsim
