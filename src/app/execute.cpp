// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/execute.hpp"

#include <fmt/format.h>

#include <functional>
#include <sstream>
#include <utility>

#include "app/execute_layers.hpp"
#include "app/execute_observed.hpp"
#include "app/fnv.hpp"
#include "app/nki/open_nki.hpp"
#include "app/stop_signal.hpp"
#include "trnsim/simulator.hpp"
#include "trnsim/spill.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::app {

std::string combined_hash(const std::vector<std::string>& hashes) {
  if (hashes.size() == 1) return hashes.front();
  std::uint64_t value = kFnvStart;
  for (const std::string& hash : hashes) value = fnv1a(hash, value);
  std::string digits(16, '0');
  for (unsigned i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
  return digits;
}

namespace {

void add_spills(const SpillCounts& counts, ResultContext& context) {
  if (counts.stored_bytes + counts.reloaded_bytes == 0) return;
  context.warnings.push_back(
      fmt::format("the tiles do not fit in SBUF: {} bytes were copied to HBM and {} bytes back, in the traffic above", counts.stored_bytes,
                  counts.reloaded_bytes));
}

}  // namespace

Workload open_workload(const RunRequest& request, const ChipConfig& chip, const RecorderHooks& hooks) {
  if (!request.nki.kernel.empty()) return open_nki(request.nki, chip, hooks);
  if (!request.trace.empty()) return open_trace(request.trace, chip);
  return make_kernel(request.kernel, parse_params(request.params), chip, request.cores);
}

HashingProgram::HashingProgram(std::unique_ptr<Program> program) : program_(std::move(program)), hasher_(program_->info()) {}

const Record* HashingProgram::next() {
  const Record* record = program_->next();
  if (record == nullptr) {
    ended_ = true;
  } else {
    hasher_.add(*record);
  }
  return record;
}

std::string HashingProgram::hash() {
  while (!ended_) next();
  return hasher_.digits();
}

HashedWorkload::HashedWorkload(Workload workload) : workload_(std::move(workload)) {
  for (auto& program : workload_.programs) {
    infos_.push_back(program->info());
    auto wrapped = std::make_unique<HashingProgram>(std::move(program));
    hashing_.push_back(wrapped.get());
    program = std::move(wrapped);
  }
}

std::uint64_t HashedWorkload::instructions() const {
  std::uint64_t sum = 0;
  for (const ProgramInfo& info : infos_) sum += info.instructions;
  return sum;
}

std::string HashedWorkload::hash() {
  std::vector<std::string> hashes;
  for (HashingProgram* program : hashing_) hashes.push_back(program->hash());
  return combined_hash(hashes);
}

Result execute(const RunRequest& request, const ChipConfig& chip, std::vector<std::string> warnings, ProgressMode mode, Console& console) {
  return execute_observed(request, chip, std::move(warnings), mode, console, nullptr);
}

Result execute_observed(const RunRequest& request, const ChipConfig& chip, std::vector<std::string> warnings, ProgressMode mode,
                        Console& console, RunObserver* observer) {
  if (!request.gemm_list.empty()) return execute_layers(request, chip, std::move(warnings), mode, console);
  const StopSignal stop;  // before the work is opened, which may take seconds
  HashedWorkload work(open_workload(request, chip, {{}, mode == ProgressMode::Off ? nullptr : &console.err, &stop.flag()}));
  ResultContext context;
  context.command = command_line(request);
  context.iterations = request.iterations;
  context.warnings = std::move(warnings);
  context.workload_name = work.workload().name;
  context.workload_source = work.workload().source;
  context.programs = work.infos();

  Progress progress(mode, work.instructions(), console);
  RunOptions options;
  options.max_time = time_limit(request);
  options.stop = &stop.flag();
  options.observer = observer;
  options.order = issue_order_from(request.order);
  if (options.order) {
    for (ProgramInfo& info : context.programs) info.order = *options.order;
  }
  options.progress = [&progress](std::uint64_t done, Time now) { progress.update(done, now); };
  const auto spilled = request.allow_spill ? allow_spills(chip, work.workload()) : std::function<SpillCounts()>{};
  Snapshot snapshot = simulate(chip, work.workload(), options);
  progress.finish();
  // In the words of the command line, which the library does not know.
  if (!snapshot.truncated.empty()) snapshot.truncated = stop.flag() ? "interrupted" : "--max-time " + request.max_time + " reached";
  if (snapshot.truncated.empty()) context.workload_hash = work.hash();  // a stopped run has not read the rest, which may take minutes
  if (spilled) add_spills(spilled(), context);
  context.host_seconds = progress.seconds();
  return make_result(chip, snapshot, context);
}

Result execute_quietly(const RunRequest& request) {
  std::vector<std::string> warnings;
  const ChipConfig chip = load(request, warnings);
  return execute_quietly(request, chip, std::move(warnings));
}

Result execute_quietly(const RunRequest& request, const ChipConfig& chip, std::vector<std::string> warnings) {
  std::ostringstream nowhere;
  Console silent{nowhere, nowhere};
  return execute(request, chip, std::move(warnings), ProgressMode::Off, silent);
}

void print_warnings(const std::vector<std::string>& warnings, Console& console) {
  for (const std::string& warning : warnings) console.err << "trnsim: warning: " << warning << '\n';
}

}  // namespace trnsim::app
