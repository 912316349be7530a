// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"
#include "trnsim/layers.hpp"
#include "trnsim/snapshot.hpp"

namespace trnsim {

/// What the caller knows besides the snapshot.
struct ResultContext {
  std::string command;  ///< Command line, without the program's directory.
  std::vector<std::string> warnings;
  std::string workload_name;
  std::string workload_source;  ///< "kernel" or the trace file's name.
  std::string workload_hash;
  std::vector<ProgramInfo> programs;  ///< One per core used.
  double host_seconds = 0;            ///< For run_info.
  std::uint64_t iterations = 0;       ///< Runs of the same work one after another that the host asks for; 0 = not said, which is 1.
};

struct EnergyBreakdown {
  /// Same names and order as in the result file: tensor_array, vector, scalar, gpsimd, sbuf, psum, dma, hbm, link, static.
  std::vector<std::pair<std::string, double>> components_pj;
  double total_pj = 0;
  double cores_used_pj = 0;  ///< Dynamic energy plus the share of the static one of the cores used.
};

struct Bottleneck {
  std::string resource;                                   ///< "tensor array", "DMA issue", ...
  std::string sentence;                                   ///< One sentence for a person.
  std::vector<std::pair<std::string, double>> shares;     ///< Resource → share of device time it was in use.
  std::vector<std::pair<std::string, double>> bounds_ns;  ///< Resource → lower bound it alone sets.
};

/// HBM traffic of kernels against the least there can be: every input read once, every output written once.
struct BorderTraffic {
  std::uint64_t input_bytes = 0, output_bytes = 0;  ///< Sizes of the tensors; one that several cores share counts once.
  std::uint64_t read_bytes = 0, write_bytes = 0;    ///< Read from inputs, written to outputs.
  std::uint64_t reread_bytes = 0;                   ///< Part of read_bytes beyond input_bytes.
  std::uint64_t inner_bytes = 0;                    ///< To and from other tensors: spilled tiles, intermediate results.
};

/// What one line of the kernel's source cost, cores summed.
struct SourceLineResult {
  std::string file;                 ///< "" in the last entry: instructions without a place, and time after the last completion.
  std::uint32_t line = 0;           ///< From 1; 0 there.
  std::optional<std::string> text;  ///< Of the line, if its file can be read.
  std::uint64_t instructions = 0, dma_bytes = 0, exposed_fs = 0;
  double engine_ns = 0;                              ///< Sum of busy_ns.
  std::array<double, kEngineCount> busy_ns{};        ///< By EngineKind.
  std::array<double, kStallReasonCount> stall_ns{};  ///< By StallReason, all engines.
};

/// What one number that nobody has measured does to the time of a run.
struct Influence {
  std::string path;
  double value = 0;
  double lo = 0, hi = 0;        ///< Its range.
  double lo_ns = 0, hi_ns = 0;  ///< Time at these ends.
  bool simulated = false;       ///< By runs at both ends; otherwise estimated from the counters of the run.
};

/// Change of the time between the ends of a range, over the time.
double share_of(const Influence& influence, double time_ns);

/// One number that was varied, and what it did to the times of the samples.
struct UncertainParameter {
  std::string path;
  std::string confidence;  ///< assumed, derived
  double value = 0;
  double lo = 0, hi = 0;
  double rank_correlation = 0;  ///< Spearman, with the time.
  double share = 0;             ///< Its square: about the part of the spread of the ranks that goes with this number.
  double change_ns = 0;         ///< Of the time from lo to hi, by the straight line through the samples.
};

/// Times of a run with its assumed and derived numbers drawn from their ranges.
struct Uncertainty {
  std::uint64_t samples = 0;
  std::uint64_t seed = 0;
  double p5_ns = 0, p50_ns = 0, p95_ns = 0;
  std::vector<UncertainParameter> parameters;  ///< The largest share first.
  std::vector<std::string> failures;           ///< One line for each sample that gave no time.
  std::vector<std::string> held;               ///< Key paths with a range that the user set: not varied.
};

struct Result;

/// One layer of a list and what simulating it gave. Layers with the same product share the result.
struct LayerResult {
  Layer layer;
  std::uint64_t repeats = 1;  ///< Layers of the list with this product, itself included.
  std::shared_ptr<const Result> result;
  double bound_ns = 0;  ///< Least time by arithmetic alone; 0 = not known.
};

/// Everything a result file says, computed once; writers and reports only format it.
struct Result {
  ChipConfig chip;
  std::string config_hash;
  Snapshot snapshot;
  ResultContext context;
  double time_ns = 0;
  double launch_ns = 0;
  std::uint64_t kernels = 1;  ///< One after another: layers of a list.
  double host_gap_ns = 0;     ///< Of the host, between the kernels, together.
  double total_ns = 0;        ///< launch_ns + time_ns + host_gap_ns: a warm run.
  double first_run_ns = 0;    ///< What the first of several runs takes more.
  BorderTraffic border;
  std::uint64_t cycles = 0;  ///< Device time in Tensor-engine cycles, rounded up.
  std::uint64_t instructions = 0;
  std::uint64_t macs = 0;   ///< Useful.
  std::uint64_t flops = 0;  ///< Useful.
  std::optional<double> tflops, mfu, array_utilization, array_busy;
  std::optional<double> dma_gb_per_s, dma_utilization, hbm_gb_per_s, hbm_utilization, row_hit_rate;
  EnergyBreakdown energy;
  std::optional<double> average_w;
  std::vector<std::string> assumed;   ///< Key paths of assumed numbers the result rests on.
  std::vector<std::string> derived;   ///< The same of derived ones.
  std::vector<Influence> influences;  ///< Of these on the time, the strongest first.
  std::optional<Uncertainty> uncertainty;
  Bottleneck bottleneck;
  std::vector<SourceLineResult> source_lines;  ///< Of a program that names its sources; the longest exposed time first.
  std::vector<LayerResult> layers;             ///< Of a list of layers, in its order; empty for a kernel or trace.
};

/// Runs of one kernel or list, one after another: the first is cold. Each has its own launch.
struct IterationTimes {
  std::uint64_t count = 1;
  double first_ns = 0;  ///< first_run_ns + total_ns.
  double warm_ns = 0;   ///< total_ns.
  double all_ns = 0;    ///< first_ns + (count − 1) × warm_ns.
};
IterationTimes iteration_times(const Result& result);

/// One column of the CSV form of a result.
struct ResultColumn {
  std::string name;
  std::string unit;  ///< "" for text and pure numbers.
  std::string meaning;
};

/// Computes the result and checks it: every ratio in [0, 1], components sum to totals. Throws InternalError.
Result make_result(const ChipConfig& chip, const Snapshot& snapshot, const ResultContext& context);

/// The result of layers one after another on one chip: counters, times, work and energy are the sums of
/// those of the layers, ratios are made of the sums. `cores` is the number asked for, of which short layers may
/// use fewer; `truncated` says why layers are missing. Throws InternalError when the sums differ.
Result make_layers_result(const ChipConfig& chip, std::vector<LayerResult> layers, const ResultContext& context, unsigned cores,
                          const std::string& truncated = {});

std::string to_json(const Result& result);     ///< docs/results.md; ends with a newline.
std::string csv_header();                      ///< Column names with units, no newline.
std::string csv_row(const Result& result);     ///< No newline.
std::string layers_csv(const Result& result);  ///< One row per layer: its sizes and the columns above; with header.
std::vector<ResultColumn> result_columns();
std::vector<std::string> csv_values(const Result& result);  ///< One per column, not quoted; "" where a ratio has no denominator.
std::string csv_field(std::string_view text);               ///< Quoted when it holds a comma, a quote or a line end (RFC 4180).
std::string result_schema();                                ///< JSON Schema, draft 7.
std::string results_reference();                            ///< docs/results.md: every field and column.

}  // namespace trnsim
