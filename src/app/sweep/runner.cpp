// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/runner.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "app/nki/recordings.hpp"
#include "app/sweep/look_ahead.hpp"
#include "app/sweep/point_job.hpp"
#include "trnsim/result.hpp"
#include "trnsim/version.hpp"

namespace trnsim::app {
namespace {

constexpr double kFlushSeconds = 0.5, kWaitSeconds = 0.1;
constexpr std::size_t kFlushRows = 1000;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

PointStatus status_of(JobEnd end) {
  switch (end) {
    case JobEnd::Done: return PointStatus::Done;
    case JobEnd::Refused: return PointStatus::Refused;
    case JobEnd::TimedOut: return PointStatus::TimedOut;
    case JobEnd::OutOfMemory: return PointStatus::OutOfMemory;
    case JobEnd::Crashed: break;
  }
  return PointStatus::Crashed;
}

/// A point between look-ahead and row.
struct Pending {
  std::size_t point = 0;
  std::string identity;
};

/// A point that has ended, as it came. What becomes of it waits for the next writing.
struct Ended {
  Pending pending;
  JobOutcome outcome;
};

/// A point that gets the row of another, but for what its request says otherwise.
struct Copy {
  std::size_t point;
  std::vector<std::string> axes;
  std::string overrides;
};

class Runner {
 public:
  Runner(const PointSource& source, SweepStore& store, const RunControl& control);
  RunSummary run();

 private:
  [[nodiscard]] bool stopped() const { return control_.stop != nullptr && *control_.stop; }
  [[nodiscard]] std::vector<std::size_t> next_points(std::size_t& cursor) const;
  [[nodiscard]] std::string work(std::size_t job);
  bool start_one();
  void handle(JobOutcome outcome);
  void looked_at(const std::vector<std::size_t>& points, const JobOutcome& outcome);
  void place(std::size_t point, KnownPoint known);
  void simulated(Pending pending, JobOutcome outcome);
  void count(bool done) { ++progress_.done, progress_.failed += done ? 0 : 1; }
  [[nodiscard]] StoredRow row_of(const Ended& ended);
  void write_copies();
  void flush();

  const PointSource& source_;
  SweepStore& store_;
  const RunControl& control_;
  JobPool pool_;
  std::vector<bool> has_row_;
  std::size_t cursor_;  ///< The next point to look at.
  std::deque<Pending> ready_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> looking_;  ///< By job.
  std::unordered_map<std::size_t, Pending> simulating_;                ///< By point.
  std::unordered_map<std::string, std::size_t> owners_;                ///< The point that is simulated for all of one identity.
  std::map<std::size_t, std::vector<Copy>> copies_;                    ///< To come, by owner.
  std::set<std::string> configs_;  ///< Hashes of those that need not be handed over; each process adds its own.
  std::vector<StoredRow> refused_;
  std::vector<Ended> ended_;
  double written_ = now();
  RunProgress progress_;
};

Runner::Runner(const PointSource& source, SweepStore& store, const RunControl& control)
    : source_(source),
      store_(store),
      control_(control),
      pool_(
          control.workers, [this](std::size_t job) { return work(job); }, source.limits),
      has_row_(source.size) {
  for (const auto& [point, identity] : store.identities()) {
    has_row_.at(point) = true;
    if (!identity.empty()) owners_.emplace(identity, point);
  }
  cursor_ = store.info().shard.index - 1;
  for (std::size_t point = cursor_; point < source.size; point += store.info().shard.count) progress_.todo += has_row_[point] ? 0 : 1;
}

/// The next points without a row, as many as one job looks at; moves the cursor.
std::vector<std::size_t> Runner::next_points(std::size_t& cursor) const {
  std::vector<std::size_t> points;
  for (; cursor < source_.size && points.size() < kLookAhead; cursor += store_.info().shard.count) {
    if (!has_row_[cursor]) points.push_back(cursor);
  }
  return points;
}

/// In a forked process: simulates a point or, beyond their numbers, looks ahead from one.
std::string Runner::work(std::size_t job) {
  if (job < source_.size) return simulate_point(source_.point(job), source_.chips, configs_);
  std::size_t cursor = job - source_.size;
  return look_ahead(source_, next_points(cursor));
}

/// False when there is nothing to start now.
bool Runner::start_one() {
  if (ready_.size() < kLookAhead / 2 && looking_.empty()) {
    const std::size_t job = source_.size + cursor_;
    if (std::vector<std::size_t> points = next_points(cursor_); !points.empty()) {
      pool_.start(job, kLookAheadLimits.seconds);
      looking_.emplace(job, std::move(points));
      return true;
    }
  }
  if (ready_.empty()) return false;
  pool_.start(ready_.front().point);
  simulating_.emplace(ready_.front().point, std::move(ready_.front()));
  ready_.pop_front();
  return true;
}

void Runner::handle(JobOutcome outcome) {
  if (auto looking = looking_.extract(outcome.id)) return looked_at(looking.mapped(), outcome);
  simulated(simulating_.extract(outcome.id).mapped(), std::move(outcome));
}

void Runner::looked_at(const std::vector<std::size_t>& points, const JobOutcome& outcome) {
  if (outcome.end != JobEnd::Done) {  // whatever it was, the points themselves will tell
    for (const std::size_t point : points) ready_.push_back({point, {}});
    return;
  }
  std::vector<KnownPoint> known = known_points(outcome.text);
  for (std::size_t i = 0; i < points.size(); ++i) place(points[i], std::move(known.at(i)));
}

void Runner::place(std::size_t point, KnownPoint known) {
  if (!known.error.empty()) {
    count(false);
    refused_.push_back({{point, known.axes, PointStatus::Refused, known.error, known.values}, {}, known.config, 0, {}});
    return;
  }
  const auto [owner, is_new] = owners_.emplace(known.identity, point);
  if (is_new) {
    ready_.push_back({point, known.identity});
  } else {
    copies_[owner->second].push_back({point, std::move(known.axes), known.values[result_column("overrides")]});
  }
}

void Runner::simulated(Pending pending, JobOutcome outcome) {
  if (outcome.end == JobEnd::Crashed && stopped()) return;  // by the signal that stops us, perhaps
  count(outcome.end == JobEnd::Done);
  ended_.push_back({std::move(pending), std::move(outcome)});
}

StoredRow Runner::row_of(const Ended& ended) {
  const auto& [pending, outcome] = ended;
  StoredRow stored{{pending.point, {}, status_of(outcome.end), {}, {}}, pending.identity, {}, outcome.seconds, {}};
  if (outcome.end == JobEnd::Done) {
    SimulatedPoint result = simulated_point(outcome.text);
    stored.row.axes = std::move(result.axes);
    stored.row.values = std::move(result.values);
    stored.config = std::move(result.config);
    configs_.insert(config_hash_of(stored.row));
  } else {
    KnownPoint known = look_at(source_.point(pending.point), source_.chips, false);
    stored.row.axes = std::move(known.axes);
    stored.row.error = one_line(outcome.text);
    stored.row.values = std::move(known.values);
    stored.config = std::move(known.config);
  }
  return stored;
}

/// Copies whose owner has its row by now.
void Runner::write_copies() {
  std::vector<StoredRow> rows;
  for (auto waiting = copies_.begin(); waiting != copies_.end();) {
    const std::optional<StoredRow> from = store_.row(waiting->first);
    if (!from) {
      ++waiting;
      continue;
    }
    for (Copy& copy : waiting->second) {
      StoredRow& row = rows.emplace_back(*from);
      row.row.point = copy.point;
      row.row.axes = std::move(copy.axes);
      row.row.values[result_column("overrides")] = copy.overrides;
      row.seconds = 0;
      row.copied_from = waiting->first;
      row.host.clear();
      row.ended.clear();
      ++progress_.copied;
      count(row.row.status == PointStatus::Done);
    }
    waiting = copies_.erase(waiting);
  }
  store_.add(rows);
}

void Runner::flush() {
  std::vector<StoredRow> rows = std::move(refused_);
  refused_.clear();
  for (const Ended& ended : ended_) rows.push_back(row_of(ended));
  ended_.clear();
  store_.add(rows);
  write_copies();
  written_ = now();
}

RunSummary Runner::run() {
  while (!stopped()) {
    while (!pool_.full() && start_one()) {
    }
    if (pool_.idle()) break;
    if (std::optional<JobOutcome> outcome = pool_.wait(kWaitSeconds)) handle(*std::move(outcome));
    if (now() - written_ >= kFlushSeconds || ended_.size() >= kFlushRows) flush();
    if (control_.progress) control_.progress(progress_);
  }
  flush();
  if (control_.progress) control_.progress(progress_);
  return {progress_, progress_.done < progress_.todo};
}

}  // namespace

std::string look_ahead(const PointSource& source, const std::vector<std::size_t>& points) {
  std::vector<KnownPoint> known;
  for (const std::size_t point : points) known.push_back(look_at(source.point(point), source.chips, true));
  return known_points_text(known);
}

PointSource source_of(const SweepSpec& spec) {
  return {spec.axes(),
          spec.size(),
          [&spec](std::size_t index) { return spec.point(index); },
          spec.limits(),
          spec.text(),
          spec.hash(),
          LoadedChips(spec.chips())};
}

SweepInfo info_of(const PointSource& source, const Shard& shard) {
  return {source.hash, source.text, std::string(tool_version()), source.axes, source.size, shard};
}

RunSummary run_points(const PointSource& source, SweepStore& store, const RunControl& control) {
  const Recordings recordings;
  return Runner(source, store, control).run();
}

}  // namespace trnsim::app
