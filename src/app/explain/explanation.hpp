// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/explain/vary.hpp"
#include "trnsim/critical_path.hpp"
#include "trnsim/report.hpp"
#include "trnsim/result.hpp"

namespace trnsim::app {

/// A part of the chip made faster, and the simulated time of the same program with it.
struct WhatIf {
  std::string resource;  ///< "DMA issue"
  std::string change;    ///< "issue interval 0"
  bool free = false;     ///< Takes no time, as far as a description can say that; else twice as fast or as large.
  std::optional<double> time_ns;
  std::string reason;  ///< Why there is no time.
};

/// Something to change in the kernel, with the number that says so.
struct Advice {
  std::string rule;    ///< "bytes_per_copy"
  std::string text;    ///< What to do.
  std::string number;  ///< What it rests on in this run.
  std::string source;  ///< Who measured or published the rule.
};

struct Explanation {
  Result result;
  CriticalPath path;
  Overlap overlap;
  std::vector<WhatIf> what_if;  ///< The largest gain first.
  Variants variants;            ///< Of `--vary`.
  std::vector<Advice> advice;
};

/// Share of the device time that a part of the path, or all parts of a group ("dma"), take.
double path_share(const CriticalPath& path, PathPart part);
double path_share(const CriticalPath& path, std::string_view group);

/// Share of its time that an engine stalls for a reason, over the cores on which it works.
double stall_share(const Result& result, EngineKind engine, StallReason reason);

/// Share of the path that the resource named as the limit has; nothing when none is named.
std::optional<double> limit_on_path(const Explanation& explanation);
/// One sentence when the limit, however long it is in use, is seldom what the run waits for; else "".
std::string path_remark(const Explanation& explanation);

/// Lower bound of the device time that computation or DMA with HBM sets: the largest of its resources.
double compute_bound_ns(const Result& result);
double dma_bound_ns(const Result& result);

/// Time of the same program with a part free, if that was simulated.
std::optional<double> time_if_free(const std::vector<WhatIf>& list, std::string_view resource);

/// Of an explanation that has everything else.
std::vector<Advice> advice_of(const Explanation& explanation);

std::string explain_text(const Explanation& explanation, const ReportStyle& style);
/// docs/explain.md names its keys; ends with a newline.
std::string explain_json(const Explanation& explanation);

}  // namespace trnsim::app
