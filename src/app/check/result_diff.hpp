// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "app/check/result_facts.hpp"

namespace trnsim::app {

/// A text that two results have different; empty where one has none.
struct ChangedText {
  std::string path, before, after;
};

/// A number of both results.
struct ChangedFact {
  FactGroup group = FactGroup::EngineTime;
  std::string name;
  double before = 0, after = 0;

  [[nodiscard]] double change() const { return after - before; }
};

/// What differs between two results, the causes before the effects.
struct ResultDiff {
  ResultFacts a, b;
  std::vector<ChangedText> tool, config, workload;
  std::vector<ChangedFact> facts;   ///< All; per group, by absolute change.
  std::vector<ChangedText> values;  ///< Every value of the files that differs, those of `facts` too, but none of the above.
  bool same_clock = true;           ///< Cycles can be compared.

  /// Nothing but the tool differs.
  [[nodiscard]] bool identical() const;
  /// Engine time that changed most; null if none did. Idle time, waits for another engine and for a buffer that one has to free are
  /// echoes of something else: they are named only if nothing else moved.
  [[nodiscard]] const ChangedFact* largest() const;
};

ResultDiff diff_results(ResultFacts a, ResultFacts b);

/// Which component moved most, and the configuration key if it is the only thing that changed.
std::string diff_sentence(const ResultDiff& diff);
/// The whole comparison; numbers that did not change only with `all`.
std::string diff_report(const ResultDiff& diff, bool all);
/// "trnsim_diff": docs/schemas/diff.schema.json.
std::string diff_json(const ResultDiff& diff);
/// A few lines for a check that failed: what changed in tool and configuration, the largest movers, the sentence.
std::vector<std::string> diff_summary(const ResultDiff& diff);

}  // namespace trnsim::app
