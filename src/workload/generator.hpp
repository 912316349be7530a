// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "trnsim/isa/program.hpp"

namespace trnsim {

/// A lazy stream of records written as a coroutine: `co_yield record` hands out a reference, `co_yield
/// stream` runs a nested stream to its end. Only the innermost coroutine is resumed, so that depth
/// costs nothing per record. Streams are member functions and take their arguments by value. Never
/// yield a conditional expression of two streams: g++ 12 destroys its result twice.
class RecordStream {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct promise_type {
    const Record* current = nullptr;  ///< Of the outermost stream only.
    promise_type* root = this;
    Handle innermost;  ///< Of the outermost stream only.
    Handle caller;

    struct Return {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(Handle self) noexcept {
        const Handle outer = self.promise().caller;
        if (!outer) return std::noop_coroutine();
        self.promise().root->innermost = outer;
        return outer;
      }
      void await_resume() noexcept {}
    };
    struct Nest {
      Handle inner;
      bool await_ready() noexcept { return false; }
      Handle await_suspend(Handle outer) noexcept {
        promise_type& p = inner.promise();
        p.root = outer.promise().root;
        p.caller = outer;
        p.root->innermost = inner;
        return inner;
      }
      void await_resume() noexcept {}
    };

    RecordStream get_return_object() { return RecordStream(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Return final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(const Record& record) noexcept {
      root->current = &record;
      return {};
    }
    Nest yield_value(RecordStream&& inner) noexcept { return Nest{inner.handle_}; }
    void return_void() noexcept {}
    void unhandled_exception() { throw; }  // leaves through next(); the stream is then unusable
  };

  RecordStream(const RecordStream&) = delete;
  RecordStream& operator=(const RecordStream&) = delete;
  RecordStream(RecordStream&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  RecordStream& operator=(RecordStream&&) = delete;
  ~RecordStream() {
    if (handle_) handle_.destroy();
  }

  /// The next record, or null at the end. Valid until the next call.
  const Record* next() {
    if (handle_.done()) return nullptr;
    promise_type& p = handle_.promise();
    if (!p.innermost) p.innermost = handle_;
    p.innermost.resume();
    return handle_.done() ? nullptr : p.current;
  }

 private:
  explicit RecordStream(Handle handle) : handle_(handle) {}
  Handle handle_;
};

/// Iterations of a loop that do the same, by the first of them.
struct Alike {
  std::uint64_t first = 0, count = 1;
};

/// The first iterations and the last ones each by itself, those between as one.
inline std::vector<Alike> alike(std::uint64_t iterations, std::uint64_t first_ones = 1, std::uint64_t last_ones = 1) {
  std::vector<Alike> list;
  for (std::uint64_t i = 0; i < iterations;) {
    const bool between = i >= first_ones && i + last_ones < iterations;
    list.push_back({i, between ? iterations - last_ones - i : 1});
    i += list.back().count;
  }
  return list;
}

/// The state behind a stream: loop bounds, buffers, reused records.
class RecordSource {
 public:
  RecordSource() = default;
  RecordSource(const RecordSource&) = delete;
  RecordSource& operator=(const RecordSource&) = delete;
  virtual ~RecordSource() = default;
  virtual RecordStream records() = 0;

  /// Instead of `records`: of instructions that are alike in all but their places one, which stands for `weight()`.
  virtual RecordStream summary() = 0;
  /// Of the record that `summary` handed out last.
  [[nodiscard]] std::uint64_t weight() const { return weight_; }
  /// Rings over which the copies are spread.
  [[nodiscard]] virtual unsigned rings() const = 0;

 protected:
  std::uint64_t weight_ = 1;
};

/// A program whose records a coroutine makes.
class GeneratedProgram final : public Program {
 public:
  GeneratedProgram(ProgramInfo info, std::unique_ptr<RecordSource> source)
      : info_(std::move(info)), source_(std::move(source)), stream_(source_->records()) {}

  [[nodiscard]] const ProgramInfo& info() const override { return info_; }
  const Record* next() override { return stream_.next(); }
  unsigned summarize(const SummarySink& sink) override {
    RecordStream stream = source_->summary();
    while (const Record* record = stream.next()) {
      if (record->kind == Record::Kind::Instruction) sink(record->instruction, source_->weight());
    }
    return source_->rings();
  }

 private:
  ProgramInfo info_;
  std::unique_ptr<RecordSource> source_;
  RecordStream stream_;
};

}  // namespace trnsim
