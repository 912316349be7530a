// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "support/forked.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "trnsim/config/load.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::test {
namespace {

/// Exit code, message and, if there is none, the snapshot.
std::string encode(const Outcome& outcome) {
  const std::string code = std::to_string(static_cast<int>(outcome.code));
  return code + ' ' + std::to_string(outcome.error.size()) + ' ' + outcome.error +
         (outcome.error.empty() ? to_bytes(outcome.snapshot) : "");
}

Outcome decode(const std::string& in) {
  Outcome outcome;
  char* end = nullptr;
  outcome.code = static_cast<ExitCode>(std::strtol(in.c_str(), &end, 10));
  const std::size_t size = std::strtoul(end, &end, 10), at = static_cast<std::size_t>(end + 1 - in.c_str());
  outcome.error = in.substr(at, size);
  if (outcome.error.empty()) outcome.snapshot = snapshot_from_bytes(std::string_view(in).substr(at));
  return outcome;
}

Outcome run(const ChipConfig& config, const std::function<Workload()>& make, const RunOptions& options) {
  Outcome outcome;
  try {
    Workload workload = make();
    outcome.snapshot = simulate(config, workload, options);
  } catch (const Error& error) {
    outcome.error = error.what();
    outcome.code = error.code();
  } catch (const std::exception& error) {
    outcome.error = std::string("not an error of ours: ") + error.what();
    outcome.code = ExitCode::Fault;
  }
  return outcome;
}

std::string read_all(int fd) {
  std::string text;
  char buffer[65536];
  for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

}  // namespace

Outcome simulate_forked(const ChipConfig& config, const std::function<Workload()>& make, const RunOptions& options) {
  int fds[2];
  if (::pipe(fds) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(fds[0]);
    const std::string out = encode(run(config, make, options));
    for (std::size_t at = 0; at < out.size();) {
      const ssize_t n = ::write(fds[1], out.data() + at, out.size() - at);
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    ::_exit(0);
  }
  ::close(fds[1]);
  const std::string out = read_all(fds[0]);
  ::close(fds[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status) || out.empty()) return {{}, "the simulation crashed", ExitCode::Fault};
  return decode(out);
}

Snapshot simulate_ok(const ChipConfig& config, const std::function<Workload()>& make, const RunOptions& options) {
  const Outcome outcome = simulate_forked(config, make, options);
  EXPECT_EQ(outcome.error, "");
  return outcome.snapshot;
}

ChipConfig preset(const std::string& name, const std::vector<std::string>& set) {
  ::setenv("TRNSIM_CONFIGS", TRNSIM_SOURCE_DIR "/configs", 1);
  std::vector<std::string> warnings;
  LoadOptions options;
  options.set = set;
  return load_chip(name, options, warnings);
}

double kernel_ns(const ChipConfig& config, const std::string& kernel, const std::string& params, unsigned cores) {
  const Snapshot snapshot = simulate_ok(config, [&] { return make_kernel(kernel, parse_params({params}), config, cores); });
  return static_cast<double>(snapshot.end_fs) / 1e6;
}

}  // namespace trnsim::test
