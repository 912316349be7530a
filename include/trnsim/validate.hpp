// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trnsim/report.hpp"
#include "trnsim/workload.hpp"

namespace trnsim {

/// One instruction, repeated: what a measurement of a single instruction needs.
struct InstructionProbe {
  Opcode op = Opcode::TensorCopy;
  EngineKind engine = EngineKind::Vector;
  ActFn function = ActFn::Copy;
  AluOp alu = AluOp::Add;
  DType in = DType::Fp32, in2 = DType::Fp32, out = DType::Fp32;  ///< First and further streamed inputs, output.
  Buffer from = Buffer::Sbuf, from2 = Buffer::Sbuf, to = Buffer::Sbuf;
  std::uint32_t partitions = 128;  ///< Rows of the contraction for a matmul.
  std::uint32_t columns = 512;     ///< Elements per partition; moving columns of a matmul.
  std::uint32_t stationary = 128;  ///< Stationary columns of a matmul.
  bool vector_operand = false;     ///< With a [P,1] operand from SBUF: bias, scale or operand0.
  bool chain = false;              ///< Each instruction waits for the one before; otherwise they are independent.
  std::uint32_t count = 32;        ///< Repetitions of the shorter of the two runs.
  auto operator<=>(const InstructionProbe&) const = default;
};

/// A probe as a program: input tiles are filled first, then the instruction is issued `count` times.
Workload make_probe(const InstructionProbe& probe, std::uint32_t count);

/// A call of an NKI kernel, recorded for the chip of its point.
struct NkiKernel {
  std::string kernel;                     ///< "FILE.py::function"
  std::vector<std::string> args, policy;  ///< "x=bf16[128,512]"; "name=value"
  auto operator<=>(const NkiKernel&) const = default;
};

/// How far a program follows the one that was measured.
enum class Follows : std::uint8_t {
  Unsaid,
  Exact,  ///< Loop order, tiles, engines and buffers as described.
  Close,  ///< The same work; what the description leaves open is chosen.
  Loose,  ///< The same operation; good for an order of magnitude.
};
std::string_view name_of(Follows f);

/// What is measured. A latency or an interval is the slope between two runs of different length, so
/// that filling the tiles and the ends of a run cancel.
enum class Metric : std::uint8_t { TimeUs, GbPerS, RelativeGbPerS, Mfu, Tflops, IntervalNs, LatencyNs };
std::string_view name_of(Metric m);

/// One measurement and the run that reproduces it.
struct ValidationPoint {
  std::string id, group, chip;
  unsigned cores = 1;
  std::string kernel;  ///< A built-in kernel; exactly one of `kernel`, `probe`, `nki` and `trace` is given.
  KernelParams params;
  KernelParams reference;  ///< RelativeGbPerS: parameters that differ in the run divided by.
  std::optional<InstructionProbe> probe;
  std::optional<NkiKernel> nki;
  std::string trace;  ///< Path of a trace.
  Metric metric = Metric::TimeUs;
  double measured = 0;
  std::string unit;
  char quality = 'A';            ///< A measured, B read off a plot or derived from a fit, C indirect.
  bool includes_launch = false;  ///< The measurement contains the launch.
  Follows follows = Follows::Unsaid;
  std::string ladder;  ///< Variants of one kernel whose order counts; empty for none.
  std::string source, note;
};

/// A measurement that nothing is compared with, and why.
struct SkippedMeasurement {
  std::string id, reason, source;
};

/// A file of measurements. Paths in it are relative to its folder.
struct ValidationFile {
  std::vector<ValidationPoint> points;
  std::vector<SkippedMeasurement> not_run;
};

/// Reads a file of measurements. ConfigError with file, point and key; IoError if it or a file it names cannot be read.
ValidationFile load_validation(const std::string& path);
ValidationFile parse_validation(std::string_view json, const std::string& file);

/// One simulation that a point needs.
struct ValidationRun {
  std::string chip;
  unsigned cores = 1;
  std::string kernel;
  KernelParams params;
  std::optional<InstructionProbe> probe;
  std::uint32_t count = 0;  ///< Repetitions, for a probe.
  std::optional<NkiKernel> nki;
  std::string trace;
  auto operator<=>(const ValidationRun&) const = default;
};

/// What a simulation gave; plain numbers, so that a child process can hand them over.
struct Simulated {
  double time_ns = 0, launch_ns = 0;
  double dma_bytes = 0;
  double flops = 0, mfu = 0;
  double semaphore_hop_ns = 0;  ///< Of the chip description.
  std::uint32_t assumed = 0;    ///< Assumed parameters that the result rests on.
};

std::vector<ValidationRun> runs_of(const ValidationPoint& point);
Workload workload_of(const ValidationRun& run, const ChipConfig& chip);  ///< Of a built-in kernel or a probe.
/// The value to compare, from the results of runs_of in the same order.
double simulated_value(const ValidationPoint& point, std::span<const Simulated> results);

struct ValidationRecord {
  ValidationPoint point;
  std::optional<double> simulated;
  std::optional<double> error;  ///< Signed fraction: simulated / measured − 1.
  std::string failure;          ///< Why it could not be simulated.
  std::uint32_t assumed = 0;    ///< Assumed parameters that the simulated value rests on.
};

struct ValidationGroup {
  std::string name;
  std::size_t n = 0;                                  ///< Records simulated.
  std::optional<double> mean_abs_error, worst, bias;  ///< `worst` is the signed error of largest size.
  std::optional<double> near;                         ///< Share of the records within 20 %.
  std::optional<double> tau;                          ///< Kendall rank correlation (tau-b) of simulated and measured.
};

/// Variants of one kernel: which is faster matters more than by how much.
struct ValidationLadder {
  std::string name;
  std::size_t steps = 0;                                     ///< Variants simulated.
  std::size_t pairs = 0;                                     ///< Whose measurements differ by more than 5 %.
  std::vector<std::pair<std::string, std::string>> swapped;  ///< Ids of those that the simulation puts the other way round.
};

struct ValidationReport {
  std::vector<ValidationRecord> records;
  std::vector<ValidationGroup> groups;  ///< In order of first appearance, then those of quality A, "all" last.
  std::vector<ValidationGroup> chips;   ///< The same records by chip.
  std::vector<ValidationLadder> ladders;
  std::vector<SkippedMeasurement> not_run;
};

/// Runs what the points need through `simulate` (each simulation needs a process of its own, which is
/// the caller's business), equal runs once, and compares. An Error of one run fails its records only.
ValidationReport validate(const ValidationFile& file, const std::function<Simulated(const ValidationRun&)>& simulate);

std::string to_json(const ValidationReport& report);  ///< Ends with a newline.
std::string validation_table(const ValidationReport& report, const ReportStyle& style = {});
std::string validation_markdown(const ValidationReport& report);  ///< Tables of groups, records and what is left out.

/// Errors of the records by id, as a file that later reports are held against. Ends with a newline.
std::string validation_baseline(const ValidationReport& report);

/// A line per record whose error is larger than that of the baseline by more than `slack` (0.01 is one percentage point), that failed,
/// or that only one of both has, and per pair of a ladder in the wrong order. ConfigError if the text is not a baseline.
std::vector<std::string> worse_than(const ValidationReport& report, std::string_view baseline, const std::string& file, double slack);

/// Kendall's tau-b of two equally long lists; nothing if all values of one are equal.
std::optional<double> kendall_tau(std::span<const double> a, std::span<const double> b);

}  // namespace trnsim
