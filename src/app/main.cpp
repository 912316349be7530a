// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fcntl.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "app/command.hpp"
#include "app/output.hpp"

namespace {

using trnsim::ExitCode;

int report(std::string_view kind, std::string_view message, ExitCode code) {
  std::cerr << "trnsim: " << kind;
  // Every line of the message names the program, so that it stands out in a log.
  for (const char c : message) std::cerr << c << (c == '\n' ? "trnsim: " : "");
  std::cerr << '\n' << std::flush;
  return static_cast<int>(code);
}

/// A standard stream that was closed gets a descriptor that cannot be used, so that a file opened later
/// is not taken for it: reading stdin and writing stdout then fail as they would on the closed one.
void keep_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free number is this one.
    if (::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) return;
  }
}

int run(const trnsim::app::Args& args) {
  trnsim::app::DescriptorStream out(STDOUT_FILENO);
  trnsim::app::Console console{out.stream(), std::cerr, trnsim::app::terminal_of(STDOUT_FILENO), trnsim::app::terminal_of(STDERR_FILENO)};
  const ExitCode code = trnsim::app::run_cli(args, console);
  if (const int error = out.flush()) {
    throw trnsim::IoError(std::string("standard output: cannot write: ") + std::strerror(error));
  }
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  keep_standard_descriptors();
  std::setlocale(LC_CTYPE, "");
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error of the write
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  try {
    return run({argv + 1, argv + argc});
  } catch (const trnsim::InternalError& error) {
    return report("internal error: ", error.what(), error.code());
  } catch (const trnsim::Error& error) {
    return report("", error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return report("", "out of memory", ExitCode::Fault);
  } catch (const std::exception& error) {
    return report("internal error: ", error.what(), ExitCode::Fault);
  }
}
