// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/nki/recorder.hpp"
#include "app/progress.hpp"
#include "app/request.hpp"
#include "trnsim/result.hpp"
#include "trnsim/trace.hpp"

namespace trnsim::app {

/// A program that hashes what is read from it, so that the work is read once.
class HashingProgram : public Program {
 public:
  explicit HashingProgram(std::unique_ptr<Program> program);
  [[nodiscard]] const ProgramInfo& info() const override { return program_->info(); }
  const Record* next() override;
  /// Reads what is left and returns the hash of the whole.
  std::string hash();

 private:
  std::unique_ptr<Program> program_;
  ProgramHasher hasher_;
  bool ended_ = false;
};

/// Programs that are hashed while a simulation reads them.
class HashedWorkload {
 public:
  explicit HashedWorkload(Workload workload);
  [[nodiscard]] Workload& workload() { return workload_; }
  [[nodiscard]] const std::vector<ProgramInfo>& infos() const { return infos_; }
  [[nodiscard]] std::uint64_t instructions() const;  ///< Expected number, all cores.
  /// Reads what is left and returns one hash for the programs of all cores.
  std::string hash();

 private:
  Workload workload_;
  std::vector<ProgramInfo> infos_;
  std::vector<HashingProgram*> hashing_;
};

/// One hash for several programs: FNV-1a over theirs; that of a single one is its own.
std::string combined_hash(const std::vector<std::string>& hashes);

/// The kernel or trace of a request, for this chip. An NKI kernel is recorded, as the hooks say.
Workload open_workload(const RunRequest& request, const ChipConfig& chip, const RecorderHooks& hooks);

/// Simulates a request in this process, which works once (a list of layers runs in forked ones): loads nothing but the workload, shows
/// progress, stops on SIGINT and SIGTERM, and computes the result.
Result execute(const RunRequest& request, const ChipConfig& chip, std::vector<std::string> warnings, ProgressMode progress,
               Console& console);

/// The same for a process of its own that talks to nobody: loads the chip, shows no progress, and leaves
/// warnings to the result.
Result execute_quietly(const RunRequest& request);
/// The same on a chip that no file or preset describes; the request's own is not looked at.
Result execute_quietly(const RunRequest& request, const ChipConfig& chip, std::vector<std::string> warnings = {});

/// Prints warnings, one a line.
void print_warnings(const std::vector<std::string>& warnings, Console& console);

}  // namespace trnsim::app
