// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/stop_signal.hpp"

#include <csignal>

namespace trnsim::app {
namespace {

// A signal handler reaches nothing but globals.
std::atomic<bool> stop_requested{false};
int alive = 0;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_stop(int) { stop_requested.store(true, std::memory_order_relaxed); }

void install(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  if (alive++ > 0) return;
  stop_requested = false;
  // SA_RESETHAND: the second signal has the default effect.
  for (const int signal : {SIGINT, SIGTERM}) install(signal, on_stop, static_cast<int>(SA_RESETHAND) | SA_RESTART);
}

StopSignal::~StopSignal() {
  if (--alive > 0) return;
  for (const int signal : {SIGINT, SIGTERM}) install(signal, SIG_DFL, 0);
}

const std::atomic<bool>& StopSignal::flag() const { return stop_requested; }

}  // namespace trnsim::app
