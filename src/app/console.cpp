// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/console.hpp"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace trnsim::app {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : value;
}

unsigned width_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::string_view columns = environment("COLUMNS");
  unsigned width = 0;
  const auto [end, error] = std::from_chars(columns.data(), columns.data() + columns.size(), width);
  return error == std::errc{} && width > 0 ? width : Terminal{}.width;
}

}  // namespace

Terminal terminal_of(int descriptor) {
  Terminal terminal;
  // `main` has set LC_CTYPE from the environment.
  terminal.utf8 = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  if (isatty(descriptor) == 0) return terminal;
  const bool dumb = environment("TERM").empty() || environment("TERM") == "dumb";
  terminal.interactive = !dumb;
  terminal.color = !dumb && environment("NO_COLOR").empty();
  terminal.width = width_of(descriptor);
  return terminal;
}

}  // namespace trnsim::app
