// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Any bytes as a trace: only input errors leave the reader, and what it accepts can be written and
// read again as the same program.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "trnsim/error.hpp"
#include "trnsim/trace.hpp"
#include "trnsim/workload.hpp"
#include "workload/trace_scan.hpp"

namespace {

using namespace trnsim;

std::unique_ptr<Program> read(const std::string& text, const ChipConfig& chip) {
  auto input = TraceInput::of_text(text, "fuzz");
  TraceScan scan = scan_trace(input, chip);
  return trace_program(std::move(input), std::move(scan));
}

ChipConfig chip_of(std::size_t size) {
  ChipConfig chip;
  chip.generation = size % 2 == 0 ? "v3" : "v4";
  chip.tensor.fp8_rate = 2;
  chip.tensor.mxfp8_rate = chip.tensor.mxfp4_rate = 4;
  return chip;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const ChipConfig chip = chip_of(size);
  std::unique_ptr<Program> program;
  try {
    program = read(text, chip);
  } catch (const InputError&) {
    return 0;
  }
  std::ostringstream out;
  write_trace(*program, out);
  trace_statistics(*read(text, chip));
  if (program_hash(*read(text, chip)) != program_hash(*read(out.str(), chip))) std::abort();
  return 0;
}
