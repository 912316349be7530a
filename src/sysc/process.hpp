// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace trnsim {

/// A sequential process without a stack of its own: a coroutine that a SystemC method resumes.
class Process {
 public:
  struct promise_type {
    std::exception_ptr failure;
    Process get_return_object() { return Process{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }
  };

  Process() = default;
  explicit Process(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Process(Process&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Process& operator=(Process&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (handle_) handle_.destroy();
  }

  /// Runs to the next suspension; rethrows what the body threw.
  void resume() {
    if (done()) return;
    handle_.resume();
    if (handle_.promise().failure) std::rethrow_exception(std::exchange(handle_.promise().failure, nullptr));
  }
  [[nodiscard]] bool done() const { return !handle_ || handle_.done(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace trnsim
