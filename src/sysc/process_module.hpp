// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <systemc>

#include "sysc/context.hpp"
#include "sysc/process.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// Simulated time. The kernel runs with a resolution of one femtosecond.
inline Time now() { return Time{sc_core::sc_time_stamp().value()}; }

/// A module with one sequential process, written as a coroutine and resumed by a method process.
///
/// Inside the process: `co_await until(t)` and `co_await woken()`. From outside: `wake_at(t)`. A wake-up
/// reaches a process only in `woken()`; it has to check what it waits for, since there may be several.
class ProcessModule : public sc_core::sc_module {
 public:
  /// Ends `woken()` at time t, or at once if t is past.
  void wake_at(Time t);
  /// One line on what the process waits for; empty when it has finished.
  [[nodiscard]] virtual std::string waiting_for() const { return {}; }

 protected:
  ProcessModule(sc_core::sc_module_name name, Context& context);

  /// Starts the process; called once, from the constructor of the concrete module.
  void start(Process process);

  struct Suspension {
    bool ready;
    [[nodiscard]] bool await_ready() const noexcept { return ready; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept {}
  };
  Suspension until(Time t);
  Suspension woken();

  [[nodiscard]] Context& context() const { return *context_; }

 private:
  enum class State { Running, Until, Woken };
  static constexpr std::uint64_t kHeartbeat = 4096;

  void activate();
  void notify(Time t);

  Context* context_;
  Process process_;
  State state_ = State::Running;
  Time resume_at_;
  sc_core::sc_event event_;
};

}  // namespace trnsim
