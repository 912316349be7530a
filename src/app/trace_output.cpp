// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/trace_output.hpp"

#include "app/output.hpp"
#include "trnsim/error.hpp"
#include "trnsim/trace.hpp"

namespace trnsim::app {
namespace {

void write_in_place(const std::string& path, const std::function<void(std::ostream&)>& write) {
  TraceFile file(path);
  write(file.stream());
  file.close();
}

}  // namespace

void write_trace_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  check_writable(path);
  if (is_special(path)) return write_in_place(path, write);
  TemporaryBeside temporary(path);
  try {
    write_in_place(temporary.name(), write);
  } catch (const IoError& error) {
    // The user knows the file by the name it was to get.
    std::string message = error.what();
    if (const auto at = message.find(temporary.name()); at != std::string::npos) message.replace(at, temporary.name().size(), path);
    throw IoError(message);
  }
  temporary.keep();
}

}  // namespace trnsim::app
