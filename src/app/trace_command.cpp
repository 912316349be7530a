// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <atomic>

#include "app/command.hpp"
#include "app/execute.hpp"
#include "app/stop_signal.hpp"
#include "app/trace_check.hpp"
#include "app/trace_output.hpp"
#include "trnsim/trace.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::app {
namespace {

std::string statistics_text(const std::string& name, const TraceStatistics& s) {
  std::string text = fmt::format("{}\n  instructions           {:>16}\n", name, s.instructions);
  const auto row = [&text](std::string_view label, std::uint64_t value) { text += fmt::format("  {:<22} {:>16}\n", label, value); };
  row("macs", s.macs);
  row("dma_bytes", s.dma_bytes);
  row("tiles", s.tiles);
  row("unused_tiles", s.unused_tiles);
  row("explicit_dependencies", s.explicit_dependencies);
  text += fmt::format("\n  {:<8} {:>16} {:>16} {:>16} {:>24}\n", "buffer", "read_bytes", "written_bytes", "peak_live_bytes",
                      "peak_bytes_per_partition");
  for (std::size_t i = 0; i < s.read_bytes.size(); ++i) {
    text += fmt::format("  {:<8} {:>16} {:>16} {:>16} {:>24}\n", name_of(static_cast<Buffer>(i)), s.read_bytes[i], s.written_bytes[i],
                        s.peak_live_bytes[i], s.peak_live_bytes_per_partition[i]);
  }
  text += fmt::format("\n  {:<8} {:>16}\n", "engine", "instructions");
  for (std::size_t i = 0; i < kEngineCount; ++i)
    text += fmt::format("  {:<8} {:>16}\n", name_of(static_cast<EngineKind>(i)), s.by_engine[i]);
  text += fmt::format("\n  {:<22} {:>16}\n", "instruction", "count");
  for (std::size_t i = 0; i < kOpcodeCount; ++i) {
    if (s.by_op[i] > 0) row(info(static_cast<Opcode>(i)).name, s.by_op[i]);
  }
  return text;
}

ExitCode stat_command(const Args& args, Console& console) {
  Options spec("trace stat", "FILE [--chip NAME|FILE]", "Counts instructions, bytes, multiply-accumulates and tiles of a trace.");
  add_chip_options(spec);
  spec.positional(1, 1, "the name of a trace file").example("trnsim trace stat k.jsonl");
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  const Workload workload = open_trace(options.positional.front(), trace_chip(options, console));
  console.out << statistics_text(workload.name, trace_statistics(*workload.programs.front()));
  return ExitCode::Done;
}

/// A program that ends where a stop is asked for.
class StoppableProgram : public Program {
 public:
  StoppableProgram(Program& program, const std::atomic<bool>& stop) : program_(&program), stop_(&stop) {}
  [[nodiscard]] const ProgramInfo& info() const override { return program_->info(); }
  const Record* next() override { return stop_->load(std::memory_order_relaxed) ? nullptr : program_->next(); }

 private:
  Program* program_;
  const std::atomic<bool>* stop_;
};

/// A stopped write leaves neither its temporary file nor a part of the trace.
ExitCode write_program(Program& program, const std::string& path, Console& console) {
  if (path == "-") {
    write_trace(program, console.out);
    return ExitCode::Done;
  }
  const StopSignal stop;
  StoppableProgram stoppable(program, stop.flag());
  write_trace_file(path, [&](std::ostream& stream) {
    write_trace(stoppable, stream);
    if (stop.flag()) throw Error(ExitCode::Stopped, fmt::format("stopped early: interrupted; {} was not written", path));
  });
  return ExitCode::Done;
}

ExitCode write_command(const Args& args, Console& console) {
  Options spec("trace write", "--kernel NAME --param … -o FILE [--chip NAME|FILE]",
               "Writes a built-in kernel as a trace for a chip (default trn2); running it gives the kernel's result.");
  add_kernel_options(spec);
  add_chip_options(spec);
  spec.value("output,o", "FILE", "File to write; .gz and .zst are compressed, - is stdout");
  spec.example("trnsim trace write --kernel matmul --param m=256,n=512,k=256 -o k.jsonl");
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  if (!options.has("kernel")) throw UsageError("trace write needs --kernel NAME; trnsim kernels list names them");
  if (!options.has("output")) throw UsageError("trace write needs -o FILE; - is stdout");
  const ChipConfig chip = trace_chip(options, console);
  const Workload workload = make_kernel(options.value("kernel"), parse_params(options.list("param")), chip);
  return write_program(*workload.programs.front(), options.value("output"), console);
}

}  // namespace

ExitCode trace_command(const Args& args, Console& console) {
  return run_subcommand("trace", "Checks, summarises and writes kernel traces.",
                        {{"check", "Check every line of a trace for a chip", trace_check_command},
                         {"stat", "Count instructions, bytes and multiply-accumulates", stat_command},
                         {"write", "Write a built-in kernel as a trace", write_command}},
                        args, console);
}

}  // namespace trnsim::app
