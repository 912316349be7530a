// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>
#include <string>

#include "engine/instruction_supply.hpp"
#include "memory/dma_ring_if.hpp"
#include "memory/semaphore_file.hpp"
#include "stats/source_account.hpp"
#include "stats/time_split.hpp"
#include "sysc/process_module.hpp"
#include "timing/clock.hpp"
#include "timing/dma_timing.hpp"
#include "trnsim/observer.hpp"

namespace trnsim {

/// An engine of the core: its sequencer takes instructions in program order, waits on semaphores,
/// starts each on a clock edge and announces its completion as soon as the time is certain.
///
/// A start time that depends on nothing but the engine and known completions is computed ahead of
/// simulated time; what touches a shared port or a DMA ring happens at its own time. Left out:
/// instruction fetch, which never limits, and branches, which a trace has resolved.
class Engine : public ProcessModule {
 public:
  sc_core::sc_port<InstructionSupplyIf> supply{"supply"};
  sc_core::sc_port<SemaphoreIf> semaphores{"semaphores"};
  sc_core::sc_port<DmaRingIf, 0, sc_core::SC_ZERO_OR_MORE_BOUND> rings{"rings"};

  struct Parts {
    EngineKind kind;
    Clock clock;
    DmaTiming dma;
    Time semaphore_hop;
    SourceAccount* sources = nullptr;  ///< Null when the program does not name its sources.
    std::uint32_t core = 0;
  };

  [[nodiscard]] EngineKind which() const { return parts_.kind; }
  [[nodiscard]] std::string waiting_for() const override;
  /// End of the last interval that is booked, for the end of the run.
  [[nodiscard]] Time booked_until() const { return parts_.clock.time_of(account_.booked()); }
  [[nodiscard]] Time last_start() const { return parts_.clock.time_of(account_.last_start()); }
  EngineCounters finish(Time end);

  /// Bytes that the instructions taken so far moved at the memories' ports.
  struct Traffic {
    std::uint64_t sbuf_read = 0, sbuf_write = 0, psum_read = 0, psum_write = 0;
  };
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 protected:
  /// When an instruction's operands are there, and what was last to arrive.
  struct Ready {
    Cycles at;
    StallReason reason = StallReason::WaitEngine;
    Wait wait{0, 0, 0, 0};  ///< The wait that it was; none: the engine itself.
    void later(Cycles t, StallReason why, Wait by = {0, 0, 0, 0}) {
      if (t <= at) return;
      at = t;
      reason = why;
      wait = by;
    }
  };

  Engine(sc_core::sc_module_name name, const Parts& parts, Context& context);

  /// Work on reaching an instruction, before its waits: the Scalar engine's table load.
  virtual void arrive(const Step&) {}
  /// First cycle at which the step may start, from the engine's own state and its waits.
  virtual Cycles earliest(const Step& step, const Ready& load, const Ready& ready) = 0;
  /// Whether the step touches something shared, so that it has to start at its own simulated time.
  [[nodiscard]] virtual bool shared(const Step& step) const = 0;
  /// Start allowed by shared ports at `start`; later than `start` if they are taken.
  virtual Cycles admit(const Step&, Cycles start) { return start; }
  /// What determined that start, for an observer; asked between `admit` and `execute`.
  [[nodiscard]] virtual StartedBy cause(const Step& step, Cycles start, const Ready& load, const Ready& ready) const = 0;
  /// Books and announces the step, which starts at `start`.
  virtual void execute(const Step& step, Cycles start, const Ready& load, const Ready& ready) = 0;

  /// Completion for dependants, one semaphore hop after the result is visible.
  void announce(Cycles visible);
  void count(const Step& step);
  /// The step being executed, for the observer; null if there is none.
  [[nodiscard]] ExecutedInstruction* observed() { return watch_ ? &watch_->seen : nullptr; }
  /// Number of the step that the engine works on, from 1.
  [[nodiscard]] std::uint64_t number() const { return counters_.instructions + 1; }
  /// That it was what `ready` says, or the instruction before, if the engine was not free by then.
  [[nodiscard]] StartedBy cause_of(const Ready& ready, Cycles engine_free) const;
  [[nodiscard]] static StartedBy cause_of(const Wait& wait, bool load);
  [[nodiscard]] const Clock& clock() const { return parts_.clock; }
  [[nodiscard]] TimeSplit& account() { return account_; }
  [[nodiscard]] const TimeSplit& account() const { return account_; }

 private:
  Process run();
  [[nodiscard]] SourceCounters& source_of(const Step& step) const { return (*parts_.sources)[step.source]; }
  [[nodiscard]] Cycles trigger_cycles(const Step& step) const;
  void trigger(const Step& step, Cycles start);
  void control(const Step& step, Cycles start, StallReason reason);
  void begin_watch(const Step& step);
  void end_watch(bool started);
  [[nodiscard]] bool collect(const Step& step, unsigned& next, Ready& load, Ready& ready);

  /// What an observer makes the engine remember.
  struct Watch {
    RunObserver* observer;
    ExecutedInstruction seen;
    std::vector<BookedInterval> booked;
    std::vector<ObservedInterval> intervals;
    Time usable;
  };

  Parts parts_;
  TimeSplit account_;
  EngineCounters counters_;
  Traffic traffic_;
  std::unique_ptr<Watch> watch_;
  const Step* current_ = nullptr;
  Cycles held_;  ///< End of the last instruction of the sequencer itself.
  Wait blocking_{0, 0, 0, 0};
  std::uint64_t missing_id_ = 0;  ///< It waits for an instruction that does not exist.
};

}  // namespace trnsim
