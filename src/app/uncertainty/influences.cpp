// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/uncertainty/influences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "app/job_pool.hpp"
#include "app/read_file.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

constexpr std::uint64_t kShort = 50'000;  ///< Instructions: a tenth of a second or so.
constexpr std::size_t kStrongest = 3;     ///< Of the estimate; the report names two.
constexpr double kMatters = 0.05;

/// Whether the work can be opened again and costs nothing but its simulation: no pipe, no recording.
bool can_repeat(const RunRequest& request, const Result& result) {
  if (!request.gemm_list.empty() || !request.nki.kernel.empty() || result.instructions > kShort) return false;
  return can_be_read_again(request.trace);
}

/// Time of the work with one number changed, to the last digit.
std::string time_with(const RunRequest& request, const std::string& path, double value) {
  RunRequest changed = request;
  changed.set.push_back(fmt::format("{}={}", path, value));
  changed.max_time.clear();
  changed.jobs = 1;
  return fmt::format("{}", execute_quietly(changed).time_ns);
}

}  // namespace

void simulate_influences(const RunRequest& request, Result& result, unsigned workers) try {
  if (!result.snapshot.truncated.empty() || !can_repeat(request, result)) return;
  std::vector<Influence*> strongest;
  for (Influence& i : result.influences) {
    if (strongest.size() < kStrongest && share_of(i, result.time_ns) > kMatters) strongest.push_back(&i);
  }
  if (strongest.empty()) return;
  const auto outcomes = run_jobs(
      2 * strongest.size(),
      [&](std::size_t job) {
        const Influence& i = *strongest[job / 2];
        return time_with(request, i.path, job % 2 == 0 ? i.lo : i.hi);
      },
      workers);
  for (std::size_t n = 0; n < strongest.size(); ++n) {
    double ends[2] = {};
    bool both = true;
    for (const JobOutcome& outcome : outcomes) {
      if (outcome.id / 2 != n) continue;
      const std::string& text = outcome.text;
      both = both && outcome.end == JobEnd::Done &&
             std::from_chars(text.data(), text.data() + text.size(), ends[outcome.id % 2]).ec == std::errc{};
    }
    if (!both) continue;
    strongest[n]->lo_ns = ends[0];
    strongest[n]->hi_ns = ends[1];
    strongest[n]->simulated = true;
  }
  std::stable_sort(result.influences.begin(), result.influences.end(),
                   [&](const Influence& a, const Influence& b) { return share_of(a, result.time_ns) > share_of(b, result.time_ns); });
} catch (const Error& e) {
  if (e.code() != ExitCode::Stopped) throw;  // Ctrl-C: the run is done, its estimates stay estimates
}

}  // namespace trnsim::app
