// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/execute_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "app/execute.hpp"
#include "app/job_pool.hpp"
#include "app/read_file.hpp"
#include "app/stop_signal.hpp"
#include "trnsim/bound.hpp"
#include "trnsim/layers.hpp"
#include "trnsim/simulator.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::app {
namespace {

constexpr const char* kKernel = "matmul";
constexpr std::size_t kHashDigits = 16;
constexpr double kPollSeconds = 1;
constexpr std::uint64_t kRowsPerPart = 128;  ///< Least rows of M worth a core.

/// A product that one layer or several have, and what simulating it gave.
struct Product {
  KernelParams params;
  unsigned cores = 1;
  std::size_t first_layer = 0;
  std::uint64_t repeats = 0;
  std::uint64_t instructions = 0;
  Bound bound;
  ResultContext context;
  std::shared_ptr<const Result> result;  ///< Null until it is done.
};

/// A list and the products in it.
struct Plan {
  std::string file;
  LayerList list;
  std::vector<Product> products;
  std::vector<std::size_t> product_of;  ///< By layer.
};

Plan read_list(const RunRequest& request) {
  Plan plan;
  plan.file = request.gemm_list == "-" ? "stdin" : request.gemm_list;
  plan.list = parse_layers(read_file(request.gemm_list), plan.file, request.strict);
  const KernelParams common = parse_params(request.params);
  std::map<KernelParams, std::size_t> known;
  for (std::size_t i = 0; i < plan.list.layers.size(); ++i) {
    const Layer& layer = plan.list.layers[i];
    const KernelParams params = layer_params(layer, common);
    const auto [entry, is_new] = known.try_emplace(params, plan.products.size());
    if (is_new) {
      // A layer with fewer rows than the cores have parts uses as many as it can.
      const std::uint64_t parts = (layer.m + kRowsPerPart - 1) / kRowsPerPart;
      const auto cores = static_cast<unsigned>(std::min<std::uint64_t>(request.cores, parts));
      plan.products.push_back({params, cores, i, 0, 0, {}, {}, nullptr});
    }
    ++plan.products[entry->second].repeats;
    plan.product_of.push_back(entry->second);
  }
  return plan;
}

/// Builds every product, so that all refusals are known before anything is simulated.
void check_products(Plan& plan, const RunRequest& request, const ChipConfig& chip) {
  if (request.cores > chip.chip.cores) {
    throw WorkloadError(fmt::format("cores={} is not allowed; {} has {}", request.cores, chip.name, chip.chip.cores));
  }
  std::vector<std::string> problems;
  for (Product& product : plan.products) {
    try {
      const HashedWorkload work(make_kernel(kKernel, product.params, chip, product.cores));
      product.context.workload_name = kKernel;
      product.context.workload_source = "kernel";
      product.context.programs = work.infos();
      product.instructions = work.instructions();
      Workload again = make_kernel(kKernel, product.params, chip, product.cores);
      product.bound = lower_bound(chip, again);
    } catch (const InputError& error) {
      const Layer& layer = plan.list.layers[product.first_layer];
      problems.push_back(fmt::format("{}:{}: layer '{}': {}", plan.file, layer.line, layer.name, error.what()));
    }
  }
  if (!problems.empty()) throw WorkloadError(std::move(problems));
}

/// Hash and counters of one product, for the parent.
std::string simulate_product(const Product& product, const ChipConfig& chip) {
  HashedWorkload work(make_kernel(kKernel, product.params, chip, product.cores));
  const Snapshot snapshot = simulate(chip, work.workload());
  return work.hash() + to_bytes(snapshot);
}

void take_outcome(Product& product, const JobOutcome& outcome, const Plan& plan, const ChipConfig& chip) {
  if (outcome.end != JobEnd::Done) {
    JobOutcome failed = outcome;
    const Layer& layer = plan.list.layers[product.first_layer];
    failed.text = fmt::format("{}:{}: layer '{}': {}", plan.file, layer.line, layer.name, outcome.text);
    throw_if_failed(failed);
  }
  product.context.workload_hash = outcome.text.substr(0, kHashDigits);
  product.context.host_seconds = outcome.seconds;
  const Snapshot snapshot = snapshot_from_bytes(std::string_view(outcome.text).substr(std::min(kHashDigits, outcome.text.size())));
  product.result = std::make_shared<const Result>(make_result(chip, snapshot, product.context));
}

/// Runs the products until all are done or the flag is set. True when all are done.
bool run_products(Plan& plan, const RunRequest& request, const ChipConfig& chip, const StopSignal& stop, Progress& progress) {
  JobPool pool(request.jobs, [&](std::size_t i) { return simulate_product(plan.products[i], chip); });
  std::size_t next = 0, done = 0;
  std::uint64_t instructions = 0;
  Time simulated{0};
  while (done < plan.products.size() && !stop.flag()) {
    for (; next < plan.products.size() && !pool.full(); ++next) pool.start(next);
    if (const std::optional<JobOutcome> outcome = pool.wait(kPollSeconds)) {
      Product& product = plan.products[outcome->id];
      take_outcome(product, *outcome, plan, chip);
      instructions += product.instructions;
      simulated = Time{simulated.value + product.repeats * product.result->snapshot.end_fs};
      ++done;
    }
    progress.update(instructions, simulated);
  }
  return done == plan.products.size();
}

std::vector<LayerResult> layer_results(const Plan& plan) {
  std::vector<LayerResult> layers;
  for (std::size_t i = 0; i < plan.list.layers.size(); ++i) {
    const Product& product = plan.products[plan.product_of[i]];
    if (product.result != nullptr) layers.push_back({plan.list.layers[i], product.repeats, product.result, product.bound.ns});
  }
  return layers;
}

/// The most cores that a layer uses.
unsigned cores_used(const Plan& plan) {
  unsigned cores = 1;
  for (const Product& product : plan.products) cores = std::max(cores, product.cores);
  return cores;
}

/// Parameters of the whole: those that every layer has.
ProgramInfo whole_info(const RunRequest& request, std::size_t layers) {
  ProgramInfo info;
  info.params = parse_params(request.params);
  info.params["layers"] = std::to_string(layers);
  return info;
}

}  // namespace

BoundReport bound_layers(const RunRequest& request, const ChipConfig& chip) {
  Plan plan = read_list(request);
  check_products(plan, request, chip);
  BoundReport report;
  report.warnings = plan.list.warnings;
  report.workload_name = std::filesystem::path(plan.file).stem().string();
  report.workload_source = plan.file;
  report.params = whole_info(request, plan.list.layers.size()).params;
  for (std::size_t i = 0; i < plan.list.layers.size(); ++i) {
    const Bound& bound = plan.products[plan.product_of[i]].bound;
    report.layers.push_back({plan.list.layers[i], bound});
    add_bound(report.bound, bound);
  }
  return report;
}

Result execute_layers(const RunRequest& request, const ChipConfig& chip, std::vector<std::string> warnings, ProgressMode mode,
                      Console& console) {
  const StopSignal stop;
  Plan plan = read_list(request);
  if (mode != ProgressMode::Off) print_warnings(plan.list.warnings, console);
  check_products(plan, request, chip);
  std::uint64_t instructions = 0;
  for (const Product& product : plan.products) instructions += product.instructions;
  Progress progress(mode, instructions, console);
  const bool complete = run_products(plan, request, chip, stop, progress);
  progress.finish();

  ResultContext context;
  context.command = command_line(request);
  context.iterations = request.iterations;
  context.warnings = std::move(warnings);
  context.warnings.insert(context.warnings.end(), plan.list.warnings.begin(), plan.list.warnings.end());
  context.workload_name = std::filesystem::path(plan.file).stem().string();
  context.workload_source = plan.file;
  context.host_seconds = progress.seconds();
  std::vector<LayerResult> layers = layer_results(plan);
  context.programs = {whole_info(request, layers.size())};
  if (complete) {
    std::vector<std::string> hashes;
    for (const LayerResult& layer : layers) hashes.push_back(layer.result->context.workload_hash);
    context.workload_hash = combined_hash(hashes);
  }
  const std::string truncated =
      complete ? std::string() : fmt::format("interrupted with {} of {} layers done", layers.size(), plan.list.layers.size());
  return make_layers_result(chip, std::move(layers), context, cores_used(plan), truncated);
}

}  // namespace trnsim::app
