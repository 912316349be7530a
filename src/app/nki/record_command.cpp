// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "app/command.hpp"
#include "app/json.hpp"
#include "app/nki/options.hpp"
#include "app/nki/recorder.hpp"
#include "app/output.hpp"
#include "app/stop_signal.hpp"
#include "app/trace_output.hpp"

namespace trnsim::app {
namespace {

Options record_options() {
  Options options("record", "FILE.py::function --arg NAME=VALUE… -o FILE [OPTIONS]",
                  "Runs an NKI kernel as Python on shapes and types and writes the trace of its hardware instructions.");
  add_call_options(options);
  options.value("target", "NAME", "Chip whose instructions and limits apply: trn1, inf2, trn2 (default), trn3")
      .flag("no-lines", "Leave out the kernel's file and line of each instruction")
      .value("census", "FILE.py", "Record nothing: list what a file uses of nki; exit code 1 if something is missing")
      .flag("python-path", "Record nothing: print the folder of the Python package, for PYTHONPATH")
      .value("output,o", "FILE", "Trace to write; .gz and .zst are compressed, - is stdout")
      .flag("quiet,q", "Print nothing but errors")
      .positional(0, 1, "a kernel")
      .note(
          "The recorder needs Python from 3.9 with numpy: $TRNSIM_PYTHON, else python3 on PATH, else /usr/bin/python3.\n"
          "Exit codes: 0 done, 1 the census misses something, 2 a kernel that cannot be recorded, 4 a file that cannot be read or\n"
          "written or no Python with numpy, 5 stopped by Ctrl-C with nothing written.")
      .example("trnsim record k.py::kernel --arg x=bf16[128,512] -o k.jsonl");
  return options;
}

/// What belongs to a recording and to nothing else.
void check_alone(const ParsedOptions& options, const char* other) {
  if (!options.positional.empty())
    throw UsageError(fmt::format("--{} records nothing: unexpected argument '{}'", other, options.positional.front()));
  for (const char* name : {"arg", "grid", "policy", "target", "no-lines", "output"}) {
    if (options.has(name)) throw UsageError(fmt::format("--{} does not go with --{}, which records nothing", name, other));
  }
}

std::string summary(const std::string& path, const std::string& header) {
  const Json json = parse_json(header, path);
  return fmt::format("{}: {} instructions of {} for {}\n", path, json.at("instructions").get<std::uint64_t>(),
                     json.at("name").get<std::string>(), json.at("params").at("target").get<std::string>());
}

ExitCode write_recording(const NkiCall& call, const ParsedOptions& options, Console& console) {
  const std::string path = options.value("output");
  RecorderHooks hooks;
  const StopSignal stop;
  hooks.stop = &stop.flag();
  if (!options.has("quiet")) hooks.notes = &console.err;
  std::string header;
  hooks.lines = !options.has("no-lines");
  const auto record_into = [&](std::ostream& stream) {
    bool in_header = true;
    hooks.trace = [&, in_header](std::string_view text) mutable {
      const std::size_t end = text.find('\n');
      if (in_header) header += text.substr(0, end);
      in_header = in_header && end == std::string_view::npos;
      stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    };
    record_kernel(call, options.value("target", "trn2"), hooks);
  };
  if (path == "-") {
    record_into(console.out);
    return ExitCode::Done;
  }
  write_trace_file(path, record_into);
  if (!options.has("quiet")) console.out << summary(path, header);
  return ExitCode::Done;
}

}  // namespace

ExitCode record_command(const Args& args, Console& console) {
  const Options spec = record_options();
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  if (options.has("python-path")) {
    check_alone(options, "python-path");
    console.out << python_directory() << '\n';
    return ExitCode::Done;
  }
  if (options.has("census")) {
    check_alone(options, "census");
    RecorderHooks hooks;
    hooks.trace = [&console](std::string_view text) { console.out << text; };
    hooks.notes = &console.err;
    return list_census(options.value("census"), hooks) ? ExitCode::Done : ExitCode::CheckFailed;
  }
  if (options.positional.empty()) throw UsageError("record needs a kernel: FILE.py::function; see trnsim record --help");
  if (!options.has("output")) throw UsageError("record needs -o FILE; - is stdout");
  NkiCall call = call_of(options);
  call.kernel = options.positional.front();
  check_call(call);
  check_places({options.value("output")}, {kernel_file(call)});
  return write_recording(call, options, console);
}

}  // namespace trnsim::app
