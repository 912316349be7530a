// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Speed of whole simulations: CPU time of a child process per run, since SystemC elaborates once per
// process. Rates are per second of that CPU time.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "trnsim/config/load.hpp"
#include "trnsim/simulator.hpp"
#include "trnsim/workload.hpp"

namespace trnsim {
namespace {

/// What one simulation did, sent from the child.
struct Done {
  double instructions = 0, tensor_cycles = 0, hbm_bursts = 0, events = 0;
};

ChipConfig chip() {
  ::setenv("TRNSIM_CONFIGS", TRNSIM_SOURCE_DIR "/configs", 0);
  std::vector<std::string> warnings;
  return load_chip("trn2", {}, warnings);
}

Done simulate_here(const std::string& kernel, const std::string& params, unsigned cores) {
  const ChipConfig config = chip();
  Workload workload = make_kernel(kernel, parse_params({params}), config, cores);
  const Snapshot snapshot = simulate(config, workload);
  Done done;
  done.instructions = static_cast<double>(snapshot.instructions);
  done.tensor_cycles = static_cast<double>(snapshot.end_fs) * 1e-6 * config.tensor.clock_ghz;
  for (const HbmStackCounters& stack : snapshot.hbm) done.hbm_bursts += static_cast<double>(stack.row_hits + stack.row_misses);
  done.events = static_cast<double>(snapshot.events);
  return done;
}

/// Runs one simulation in a child; returns its CPU seconds.
double run_child(const std::string& kernel, const std::string& params, unsigned cores, Done& done, long& max_rss_kib) {
  int fds[2];
  if (::pipe(fds) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    const Done result = simulate_here(kernel, params, cores);
    const bool sent = ::write(fds[1], &result, sizeof result) == sizeof result;
    ::_exit(sent ? 0 : 1);
  }
  ::close(fds[1]);
  if (::read(fds[0], &done, sizeof done) != sizeof done) std::abort();
  ::close(fds[0]);
  rusage usage{};
  int status = 0;
  ::wait4(child, &status, 0, &usage);
  max_rss_kib = usage.ru_maxrss;
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void simulation(benchmark::State& state, const std::string& kernel, const std::string& params, unsigned cores) {
  Done done;
  long max_rss_kib = 0;
  for (auto _ : state) state.SetIterationTime(run_child(kernel, params, cores, done, max_rss_kib));
  const auto rate = [&](double per_run) { return benchmark::Counter(per_run, benchmark::Counter::kIsIterationInvariantRate); };
  state.counters["instructions/s"] = rate(done.instructions);
  state.counters["cycles/s"] = rate(done.tensor_cycles);
  state.counters["bursts/s"] = rate(done.hbm_bursts);
  state.counters["events/s"] = rate(done.events);
  state.counters["MiB"] = static_cast<double>(max_rss_kib) / 1024;
}

void add(const char* name, const char* kernel, const char* params, unsigned cores = 1) {
  benchmark::RegisterBenchmark(name, simulation, kernel, params, cores)->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(1.0);
}

}  // namespace
}  // namespace trnsim

int main(int argc, char** argv) {
  using trnsim::add;
  add("matmul 4096 optimized", "matmul", "m=4096,n=4096,k=4096");
  add("matmul 4096 naive", "matmul", "m=4096,n=4096,k=4096,schedule=naive");
  add("matmul 4096 on 8 cores", "matmul", "m=4096,n=4096,k=4096", 8);
  add("attention 32768, d = 64", "attention", "seq_q=32768,seq_k=32768,head_dim=64");
  add("copy 256 MiB", "copy", "bytes=268435456");
  add("matmul 16384x16384x128", "matmul", "m=16384,n=16384,k=128");
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
