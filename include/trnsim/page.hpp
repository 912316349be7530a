// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trnsim/observer.hpp"
#include "trnsim/result.hpp"

namespace trnsim {

/// How much of a run a page holds. A page with several runs shares it out.
struct PageBudget {
  std::size_t slices = 50'000;   ///< Of all lanes together; the longest lanes beyond it become bins.
  std::size_t shares = 200'000;  ///< Numbers of all bins together.
  std::size_t values = 16'384;   ///< Of all series together.
};

/// What engines and rings did over time, as the page shows it: exact slices of lanes with few of them, shares of
/// bins of the others. Its memory does not grow with the run.
class PageObserver : public RunObserver {
 public:
  explicit PageObserver(const PageBudget& budget = {});
  ~PageObserver() override;

  void begin(const ChipConfig& chip, const std::vector<const ProgramInfo*>& programs) override;
  void placed(const PlacedTile& tile, const TensorInfo& info) override;
  void released(std::uint32_t core, TensorId tile) override;
  void planned(const PlannedInstruction& planned, const Instruction& instruction) override;
  void executed(const ExecutedInstruction& executed) override;
  void triggered(const TriggeredCopy& copy) override;
  void moved(const MovedChunk& chunk) override;
  void completed(const CompletedCopy& copy) override;
  void accessed(const HbmAccess& access) override;
  void end(const Snapshot& snapshot) override;

  /// The timeline as JSON, once, after the run; docs/report.md names its keys. InternalError if a lane does not
  /// add up to the account of its engine.
  std::string timeline(const Result& result);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The same for a list of layers: one lane with the layers one after another, and averages of each.
std::string layers_page_timeline(const Result& result, const PageBudget& budget = {});

/// A run on a page: texts of JSON, empty for what there is not.
struct PageRun {
  std::string name;  ///< Unlike those of the other runs.
  std::string result, timeline, explanation;
};

struct Page {
  std::string title;
  std::vector<PageRun> runs;
  std::string sweep;  ///< JSON, empty without one.
};

/// One HTML file that needs nothing else: `form` with the data in place of `<!--trnsim-data-->`. An empty form
/// stands for a plain one, which shows results as text. InternalError if the form has no place.
std::string page_html(const Page& page, std::string_view form = {});

}  // namespace trnsim
