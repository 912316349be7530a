// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "integration/cli.hpp"

namespace trnsim {

/// The built program running beside the test.
class Background {
 public:
  Background(const std::vector<std::string>& args, const std::string& folder);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void kill(int signal) const;
  int wait();  ///< Exit code, or 128 + signal.
  /// A child process of it, 0 if there is none now.
  [[nodiscard]] pid_t some_worker(unsigned choice) const;
  [[nodiscard]] bool running();
  [[nodiscard]] double own_cpu_seconds();                     ///< So far, without its workers.
  [[nodiscard]] long peak_kib() const { return peak_kib_; }   ///< Of the process itself, as far as it was seen.
  [[nodiscard]] const rusage& used() const { return used_; }  ///< With its workers, once it has ended.

 private:
  pid_t process_;
  int code_ = -1;
  rusage used_{};
  long peak_kib_ = 0;
};

/// Sweeps in a scratch folder.
class SweepCli : public Cli {
 protected:
  /// A sweep of a matmul: `m` and `bandwidths` values of HBM bandwidth, and more keys of the file.
  void write_sweep(const std::string& name, const std::vector<int>& m, int bandwidths, const std::string& more = "") const;
  /// Seconds and date of each point that has ended: a run leaves those of earlier runs alone.
  [[nodiscard]] std::map<std::int64_t, std::pair<double, std::string>> timings(const std::string& folder) const;
  /// Rows of a query as text, cells separated by a bar.
  std::vector<std::string> query(const std::string& folder, const std::string& sql) const;
  /// The table's cells, without quotes in them.
  [[nodiscard]] static std::vector<std::map<std::string, std::string>> rows(const std::string& csv);
};

}  // namespace trnsim
