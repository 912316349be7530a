// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/report/page_output.hpp"

#include <fmt/format.h>

#include "app/json.hpp"
#include "app/output.hpp"
#include "page/page_template.hpp"

namespace trnsim::app {

void add_page_option(Options& options) {
  options.value("html", "FILE", "Write a page with the result, the timeline of the engines and curves over time; - is stdout");
}

PageOutput::PageOutput(const ParsedOptions& options) : path_(options.value("html")) {
  if (options.has("html")) check_writable(path_);
}

RunObserver* PageOutput::open(const RunRequest& request) {
  if (path_.empty() || !request.gemm_list.empty()) return nullptr;
  observer_ = std::make_unique<PageObserver>();
  return observer_.get();
}

void PageOutput::write(const Result& result, const std::string& json, Console& console) {
  PageRun run;
  run.result = Json::parse(json).dump();  // on one line
  run.timeline = observer_ ? observer_->timeline(result) : layers_page_timeline(result);
  run.name = run_name(run.result);
  write_file(path_, page_html({run.name, {run}, {}}, page_template()), console);
}

std::string run_name(const std::string& result) {
  const Json json = Json::parse(result);
  return fmt::format("{} on {}", json.at("workload").at("name").get<std::string>(), json.at("chip").at("name").get<std::string>());
}

}  // namespace trnsim::app
