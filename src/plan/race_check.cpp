// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>

#include "plan/race_ledger.hpp"
#include "plan/written_bytes.hpp"
#include "timing/dma_timing.hpp"
#include "trnsim/error.hpp"
#include "trnsim/races.hpp"

namespace trnsim {
namespace {

constexpr std::uint64_t kGranule = 2048;
constexpr std::size_t kMostWaiting = 65'536;  ///< Instructions that queue behind one that waits for a later line.
constexpr std::size_t kMostAfter = 4;

/// Whether an address that is known at run time picks the rows of this operand.
bool picked(const Instruction& i, const Operand& operand) {
  if (!i.extras) return false;
  const auto rules = info(i.op).operands;
  const auto k = static_cast<std::size_t>(&operand - i.operands.data());
  if (&operand < i.operands.data() || k >= rules.size() || rules[k].role > Role::Src) return false;
  return std::ranges::any_of(i.extras->operands, [&](const auto& item) { return item.role == index_of(rules[k].role); });
}

/// A tile, or an HBM tensor, with what is known of it.
struct Space {
  TensorInfo info;
  Footprint all;
  WrittenBytes written;
  std::shared_ptr<RaceLedger> ledger;  ///< Shared by tiles at fixed addresses of one memory.
  /// Writes through overlapping tiles since this one was written there.
  std::vector<std::pair<Footprint, RaceAccess>> overwritten;

  [[nodiscard]] bool on_chip() const { return info.buffer != Buffer::Hbm; }
  [[nodiscard]] bool fixed() const { return on_chip() && info.address >= 0; }
};

/// One access of an instruction, which may be looked at long after its tile was released.
struct Use {
  std::shared_ptr<Space> space;
  Footprint footprint;
  bool write = false;
};

struct Waiting {
  Toucher by;
  std::vector<Use> uses;
  std::vector<std::uint64_t> after;
  std::uint64_t id = 0;
  bool dma = false;
  std::uint8_t ring = 0;
};

class RaceFinder {
 public:
  RaceFinder(Program& program, const ChipConfig& chip, const RaceOptions& options)
      : program_(program),
        options_(options),
        dma_(chip.dma),
        clocks_(kEngineCount),
        memories_{nullptr, std::make_shared<RaceLedger>(chip.sbuf_bytes_per_partition(), kGranule),
                  std::make_shared<RaceLedger>(chip.psum_bytes_per_partition(), kGranule)} {
    for (const TensorInfo& tensor : program.info().tensors) spaces_.push_back(space_of(tensor));
  }

  RaceReport run() {
    while (const Record* record = program_.next()) {
      switch (record->kind) {
        case Record::Kind::Tile: declare(*record); break;
        case Record::Kind::Release: release(record->tile); break;
        case Record::Kind::Instruction: read(record->instruction); break;
      }
    }
    if (waiting_count_ != 0) refuse_deadlock();
    return std::move(report_);
  }

 private:
  std::shared_ptr<Space> space_of(const TensorInfo& info) {
    Footprint all;
    if (info.buffer == Buffer::Hbm) {
      all.pattern.run = bytes_of(info);
      return std::make_shared<Space>(Space{info, all, WrittenBytes(0, 1, 0, all.pattern.run), std::make_shared<RaceLedger>(0, 0), {}});
    }
    const std::uint64_t address = info.address < 0 ? 0 : static_cast<std::uint64_t>(info.address);
    all.pattern.lo = address;
    all.pattern.run = info.bytes_per_partition;
    all.first_partition = info.partition;
    all.end_partition = std::uint32_t{info.partition} + info.partitions;
    std::shared_ptr<RaceLedger> ledger;
    if (info.address >= 0) ledger = memories_[info.buffer == Buffer::Sbuf ? 1 : 2];
    else if (options_.explicit_waits) ledger = std::make_shared<RaceLedger>(info.bytes_per_partition, kGranule);
    return std::make_shared<Space>(
        Space{info, all, WrittenBytes(info.partition, info.partitions, address, info.bytes_per_partition), std::move(ledger), {}});
  }

  void declare(const Record& record) {
    if (record.tile >= spaces_.size()) spaces_.resize(record.tile + std::size_t{1});
    spaces_[record.tile] = space_of(record.tensor);
    if (record.tensor.address >= 0) fixed_.push_back(spaces_[record.tile]);
  }

  void release(TensorId id) {
    if (id >= spaces_.size() || !spaces_[id]) return;
    if (spaces_[id]->fixed()) std::erase(fixed_, spaces_[id]);
    spaces_[id].reset();
  }

  Use use_of(const Instruction& i, const Operand& operand, bool write) const {
    Use use;
    use.space = operand.tensor < spaces_.size() ? spaces_[operand.tensor] : nullptr;
    if (!use.space) throw ProgramError(fmt::format("line {}: an operand names tile {}, which is not alive", i.line, operand.tensor));
    use.write = write;
    if (picked(i, operand)) {
      use.footprint = use.space->all;
    } else if (!use.space->on_chip()) {
      use.footprint.pattern = hbm_pattern(operand, 0);
    } else {
      use.footprint.pattern = free_pattern(operand, use.space->all.pattern.lo);
      use.footprint.first_partition = use.space->all.first_partition + operand.partition;
      use.footprint.end_partition = use.footprint.first_partition + operand.partition_span();
      use.footprint.partition_step = std::max<std::uint32_t>(1, operand.partition_step);
    }
    return use;
  }

  void read(const Instruction& i) {
    Waiting w;
    w.by.op = i.op;
    w.by.engine = i.engine;
    w.by.line = i.line;
    w.by.at = i.at;
    w.id = i.id;
    w.after.assign(i.after.begin(), i.after.begin() + i.after_count);
    w.dma = is_dma(i.op) && !(i.op == Opcode::Sendrecv && i.engine == EngineKind::GpSimd);
    w.ring = i.ring == kDefaultRing ? std::uint8_t{0} : i.ring;
    if (w.dma && dma_.resolve(i.dge) == DgeMode::Software) w.by.engine = EngineKind::GpSimd;
    // What waits for a later line, or stands behind such an instruction, reads what is written in between.
    if (queues_[static_cast<std::size_t>(w.by.engine)].empty() && ready(w)) {
      i.for_each([&](const Operand& o, bool written) {
        if (!written || i.accumulate) look_for_holes(w, use_of(i, o, false), picked(i, o));
      });
    }
    i.for_each([&](const Operand& o, bool written) {
      w.uses.push_back(use_of(i, o, written));
      if (written) note_written(w, w.uses.back());
    });
    queue(std::move(w));
  }

  /// Reads in program order of what nobody wrote, or of what another tile was written over. Where an address at run time may pick
  /// `any` part of a tile, one written byte will do.
  void look_for_holes(const Waiting& w, const Use& use, bool any) {
    Space& space = *use.space;
    if (!space.on_chip()) return;
    if (const auto hole = space.written.unwritten(use.footprint); hole && (!any || space.written.none())) {
      Race* race = add(RaceKind::NeverWritten);
      if (race != nullptr) {
        race->second = access_of(w.by, use);
        race->detail = fmt::format("the first in partition {}, byte {}", hole->partition - space.all.first_partition, hole->byte);
      }
      space.written.write(use.footprint);  // once is enough
    }
    const auto over = std::ranges::find_if(space.overwritten, [&](const auto& earlier) { return overlap(earlier.first, use.footprint); });
    if (over == space.overwritten.end()) return;
    if (Race* race = add(RaceKind::Overwritten)) {
      race->first = over->second;
      race->second = access_of(w.by, use);
    }
    space.overwritten.erase(over);
  }

  void note_written(const Waiting& w, const Use& use) {
    Space& space = *use.space;
    if (!space.on_chip()) return;
    space.written.write(use.footprint);
    if (!space.fixed()) return;
    std::erase_if(space.overwritten, [&](const auto& earlier) { return covers(use.footprint, earlier.first, 0, ~std::uint64_t{0}); });
    for (const auto& other : fixed_) {
      if (other.get() == &space || other->info.buffer != space.info.buffer || !overlap(other->all, use.footprint)) continue;
      const bool held = !other->written.none();
      other->written.write(use.footprint);
      if (held && other->overwritten.size() < kMostAfter) other->overwritten.emplace_back(use.footprint, access_of(w.by, use));
    }
  }

  // ---- waits

  void queue(Waiting&& w) {
    auto& line = queues_[static_cast<std::size_t>(w.by.engine)];
    if (line.empty() && ready(w)) {
      take(w);
      drain();
      return;
    }
    line.push_back(std::move(w));
    if (++waiting_count_ > kMostWaiting) {
      throw ProgramError(
          fmt::format("line {}: its 'after' waits for an instruction more than {} instructions on", line.front().by.line, kMostWaiting));
    }
  }

  [[nodiscard]] bool ready(const Waiting& w) const {
    return std::ranges::all_of(w.after, [&](std::uint64_t id) { return id < ids_.size() && ids_[id].number != 0; });
  }

  void drain() {
    for (bool moved = waiting_count_ != 0; moved;) {
      moved = false;
      for (auto& line : queues_) {
        while (!line.empty() && ready(line.front())) {
          take(line.front());
          line.pop_front();
          --waiting_count_;
          moved = true;
        }
      }
    }
  }

  [[noreturn]] void refuse_deadlock() const {
    std::string lines;
    for (const auto& line : queues_) {
      if (!line.empty())
        lines += fmt::format("{}line {} ({})", lines.empty() ? "" : ", ", line.front().by.line, name_of(line.front().by.engine));
    }
    throw ProgramError(
        fmt::format("the engines wait for each other for ever, through 'after' and the order of their instructions: {}", lines));
  }

  Actor actor_of_ring(EngineKind engine, std::uint8_t ring) {
    const auto [found, added] = rings_.try_emplace({engine, ring}, Actor{0});
    if (added) {
      if (rings_.size() > 128) throw ProgramError("the program uses more than 128 DMA queues");
      found->second = clocks_.add_ring(actor_of(engine));
    }
    return found->second;
  }

  /// One instruction, all it waits for being known.
  void take(Waiting& w) {
    if (!options_.explicit_waits) {  // the planner adds the waits; only the order of `after` is followed
      if (w.id != 0) note_id(w.id, {1, 0});
      return;
    }
    const Actor engine = actor_of(w.by.engine);
    w.by.completion = {clocks_.start(engine), w.dma ? actor_of_ring(w.by.engine, w.ring) : engine};
    for (const std::uint64_t id : w.after) clocks_.wait(engine, ids_[id]);
    std::vector<Conflict> conflicts;
    for (const Use& use : w.uses) find_conflicts(w, use, conflicts);
    if (!conflicts.empty()) propose(w, engine, conflicts);
    for (const Use& use : w.uses) {
      if (untracked(use)) continue;
      w.by.write = use.write;
      report_.complete = use.space->ledger->add(use.footprint, w.by, clocks_) && report_.complete;
    }
    if (w.id != 0) note_id(w.id, w.by.completion);
  }

  void note_id(std::uint64_t id, const WaitClocks::Completion& completion) {
    if (id >= ids_.size()) ids_.resize(std::max<std::size_t>(id + 1, ids_.size() + ids_.size() / 2));
    ids_[id] = completion;
  }

  struct Conflict {
    Toucher earlier;
    const Use* use;
    Footprint footprint;
    bool operator==(const Conflict& o) const {
      return earlier.line == o.earlier.line && earlier.completion.number == o.earlier.completion.number &&
             earlier.completion.actor == o.earlier.completion.actor && earlier.write == o.earlier.write && use->write == o.use->write &&
             use->space == o.use->space;
    }
  };

  static bool untracked(const Use& use) { return !use.space->on_chip() && use.space->info.use == TensorUse::Input; }

  void find_conflicts(const Waiting& w, const Use& use, std::vector<Conflict>& conflicts) const {
    if (untracked(use)) return;
    const Actor engine = actor_of(w.by.engine);
    use.space->ledger->conflicts(use.footprint, use.write, [&](const Toucher& earlier, const Footprint& footprint) {
      if (clocks_.knows(engine, earlier.completion)) return;
      const bool same = earlier.completion.actor == w.by.completion.actor;
      if (same && (earlier.completion.number == w.by.completion.number || (earlier.write && use.write))) return;
      const Conflict conflict{earlier, &use, footprint};
      if (std::ranges::find(conflicts, conflict) == conflicts.end()) conflicts.push_back(conflict);
    });
  }

  /// The latest of each queue first: a wait for it may stand for the others.
  void propose(const Waiting& w, Actor engine, std::vector<Conflict>& conflicts) {
    std::ranges::stable_sort(conflicts, {}, [](const Conflict& c) { return c.earlier.line; });
    std::vector<std::uint32_t> wait_for(conflicts.size(), 0);
    std::size_t waits = w.after.size();
    for (std::size_t k = conflicts.size(); k-- > 0;) {
      const auto& completion = conflicts[k].earlier.completion;
      if (clocks_.knows(engine, completion)) continue;
      ++waits;
      clocks_.wait(engine, completion);
      for (std::size_t m = 0; m <= k; ++m) {
        if (wait_for[m] == 0 && clocks_.knows(engine, conflicts[m].earlier.completion)) wait_for[m] = conflicts[k].earlier.line;
      }
    }
    for (std::size_t k = 0; k < conflicts.size(); ++k) {
      const Conflict& c = conflicts[k];
      Race* race = add(!c.use->write     ? RaceKind::ReadBeforeWrite
                       : c.earlier.write ? RaceKind::OverlappingWrites
                                         : RaceKind::WriteAfterRead);
      if (race == nullptr) continue;
      race->first = access_of(c.earlier, {c.use->space, c.footprint, c.earlier.write});
      race->second = access_of(w.by, *c.use);
      race->wait_line = wait_for[k];
      race->after_full = waits > kMostAfter;
    }
  }

  // ---- the report

  Race* add(RaceKind kind) {
    if (report_.found++ >= options_.most) return nullptr;
    report_.races.emplace_back().kind = kind;
    return &report_.races.back();
  }

  RaceAccess access_of(const Toucher& by, const Use& use) const {
    RaceAccess access{by.line, by.op, by.engine, by.at, {}};
    const Footprint& f = use.footprint;
    const Space& space = *use.space;
    const char* few = f.pattern.dense() ? "" : " in a pattern";
    if (!space.on_chip()) {
      access.operand = fmt::format("tensor '{}' (hbm), bytes {}-{}{}", space.info.name, f.pattern.lo, f.pattern.hi() - 1, few);
      return access;
    }
    // The other access of a pair may be of another tile at the same addresses; places are those of this one.
    const auto byte = [&](std::uint64_t at) { return static_cast<std::int64_t>(at) - static_cast<std::int64_t>(space.all.pattern.lo); };
    const auto first = static_cast<std::int64_t>(f.first_partition) - space.all.first_partition;
    const auto last = static_cast<std::int64_t>(f.end_partition) - 1 - space.all.first_partition;
    access.operand = fmt::format("tile '{}' ({}), {}, bytes {}-{}{}", space.info.name, name_of(space.info.buffer),
                                 first == last ? fmt::format("partition {}", first) : fmt::format("partitions {}-{}", first, last),
                                 byte(f.pattern.lo), byte(f.pattern.hi() - 1), few);
    return access;
  }

  Program& program_;
  RaceOptions options_;
  DmaTiming dma_;
  WaitClocks clocks_;
  std::array<std::shared_ptr<RaceLedger>, 3> memories_;
  std::vector<std::shared_ptr<Space>> spaces_;  ///< By TensorId; null when released.
  std::vector<std::shared_ptr<Space>> fixed_;   ///< Those alive at fixed addresses.
  std::array<std::deque<Waiting>, kEngineCount> queues_;
  std::size_t waiting_count_ = 0;
  std::vector<WaitClocks::Completion> ids_;
  std::map<std::pair<EngineKind, std::uint8_t>, Actor> rings_;
  RaceReport report_;
};

}  // namespace

std::string_view name_of(RaceKind kind) {
  switch (kind) {
    case RaceKind::NeverWritten: return "never written";
    case RaceKind::Overwritten: return "overwritten";
    case RaceKind::ReadBeforeWrite: return "read before write";
    case RaceKind::WriteAfterRead: return "write after read";
    case RaceKind::OverlappingWrites: return "overlapping writes";
  }
  return "";
}

RaceReport find_races(Program& program, const ChipConfig& chip, const RaceOptions& options) {
  return RaceFinder(program, chip, options).run();
}

}  // namespace trnsim
