// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "sysc/process_module.hpp"

namespace trnsim {

ProcessModule::ProcessModule(sc_core::sc_module_name name, Context& context) : sc_module(name), context_(&context) {}

void ProcessModule::start(Process process) {
  process_ = std::move(process);
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&event_);
  sc_core::sc_spawn([this] { activate(); }, sc_core::sc_gen_unique_name("process"), &options);
}

void ProcessModule::activate() {
  if (state_ == State::Until && now() < resume_at_) {  // a notification left over from an earlier wait
    notify(resume_at_);
    return;
  }
  state_ = State::Running;
  if (++context_->activations % kHeartbeat == 0) {
    if (context_->heartbeat) context_->heartbeat(now());
    if (context_->stop != nullptr && context_->stop->load(std::memory_order_relaxed) && !context_->stopped) {
      context_->stopped = true;
      sc_core::sc_stop();
      return;
    }
  }
  try {
    process_.resume();
  } catch (...) {
    if (!context_->failure) context_->failure = std::current_exception();
    sc_core::sc_stop();
  }
}

void ProcessModule::notify(Time t) {
  const Time present = now();
  if (t <= present) {
    event_.notify(sc_core::SC_ZERO_TIME);
  } else {
    event_.notify(sc_core::sc_time::from_value((t - present).value));
  }
}

void ProcessModule::wake_at(Time t) {
  if (state_ == State::Woken) notify(t);
}

ProcessModule::Suspension ProcessModule::until(Time t) {
  if (t <= now()) return {true};
  state_ = State::Until;
  resume_at_ = t;
  notify(t);
  return {false};
}

ProcessModule::Suspension ProcessModule::woken() {
  state_ = State::Woken;
  return {false};
}

}  // namespace trnsim
