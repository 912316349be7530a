// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "unit/workload/trace_support.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"
#include "trnsim/workload.hpp"
#include "workload/trace_scan.hpp"

namespace trnsim::test {
namespace {

/// Numbers of tensors as the order of their declaration, which a reader keeps.
class Ordinals {
 public:
  explicit Ordinals(std::size_t hbm) {
    for (TensorId id = 0; id < hbm; ++id) declare(id);
  }
  std::size_t declare(TensorId id) { return of_[id] = next_++; }
  std::size_t operator[](TensorId id) const { return of_.at(id); }

 private:
  std::map<TensorId, std::size_t> of_;
  std::size_t next_ = 0;
};

std::string spelled(const TensorInfo& t) {
  return fmt::format("{} {} {} use={} shape={} p={}+{} bytes={} at={}", t.name, name_of(t.buffer), name_of(t.dtype),
                     static_cast<int>(t.use), t.shape, t.partition, t.partitions, t.bytes_per_partition, t.address);
}

std::string spelled(const Operand& o, const Ordinals& ordinals) {
  if (!o.present()) return "-";
  std::string text = fmt::format("({} {} {} p={}+{}/{} off={} row={}", ordinals[o.tensor], name_of(o.buffer), name_of(o.dtype), o.partition,
                                 o.partitions, o.partition_step, o.offset, o.row_stride);
  for (unsigned i = 0; i < o.rank; ++i) text += fmt::format(" [{},{}]", o.free[i].stride, o.free[i].count);
  return text + ")";
}

std::string spelled(const Instruction& i, const Ordinals& ordinals) {
  std::string text =
      fmt::format("{} {} fn={} alu={},{} flags={}{}{}{}{} perf={} tile={},{} of {}x{} ring={} dge={} id={} after=", info(i.op).name,
                  name_of(i.engine), name_of(i.function), name_of(i.alu0), name_of(i.alu1), int{i.accumulate}, int{i.transpose},
                  int{i.onezero}, int{i.reduce}, int{i.dynamic_address}, static_cast<int>(i.perf_mode), i.tile_row, i.tile_col, i.tile_rows,
                  i.tile_cols, i.ring, name_of(i.dge), i.id);
  for (unsigned k = 0; k < i.after_count; ++k) text += fmt::format("{},", i.after[k]);
  for (const Operand& o : i.operands) text += " " + spelled(o, ordinals);
  text += fmt::format(" at={}:{}", i.at.file, i.at.line);
  if (!i.extras) return text;
  const auto number = [](const std::optional<std::uint32_t>& n) { return n ? fmt::format("{}", *n) : "-"; };
  for (const auto& [role, operand] : i.extras->operands) text += fmt::format(" {}=", name_of(role)) + spelled(operand, ordinals);
  text += fmt::format(" chunks={} to={} from={} pipe={} cores={} groups={} pairs={}", i.extras->chunks, number(i.extras->send_to),
                      number(i.extras->recv_from), number(i.extras->pipe), i.extras->cores, i.extras->groups, i.extras->pairs);
  return text;
}

}  // namespace

const ChipConfig& chip(const std::string& name) {
  static std::map<std::string, ChipConfig> chips;
  const auto at = chips.find(name);
  if (at != chips.end()) return at->second;
  std::vector<std::string> warnings;
  return chips.emplace(name, load_chip(std::string(TRNSIM_SOURCE_DIR) + "/configs/chips/" + name + ".json", {}, warnings)).first->second;
}

std::unique_ptr<Program> program_of(const std::string& text, const ChipConfig& chip) {
  auto input = TraceInput::of_text(text, "k.jsonl");
  TraceScan scan = scan_trace(input, chip);
  return trace_program(std::move(input), std::move(scan));
}

std::vector<std::string> problems_of(const std::string& text, const ChipConfig& chip) {
  try {
    scan_trace(TraceInput::of_text(text, "k.jsonl"), chip);
  } catch (const ProgramError& e) {
    return e.problems();
  }
  return {};
}

std::string problem_of(const std::string& text, const ChipConfig& chip) {
  return fmt::format("{}", fmt::join(problems_of(text, chip), "\n"));
}

std::string trace_of(const std::vector<std::string>& lines) {
  std::string text = R"({"trnsim_trace":"1.0","name":"k","tensors":[{"name":"x","shape":[256,512],"dtype":"bf16","use":"input"},)"
                     R"({"name":"y","shape":[256,512],"dtype":"bf16","use":"output"}]})"
                     "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<Record> records_of(Program& program) {
  std::vector<Record> records;
  while (const Record* record = program.next()) records.push_back(*record);
  return records;
}

std::string text_of(Program& program) {
  std::ostringstream out;
  write_trace(program, out);
  return out.str();
}

std::vector<std::string> spelled(const ProgramInfo& info, const std::vector<Record>& records) {
  std::vector<std::string> lines;
  Ordinals ordinals(info.tensors.size());
  for (const TensorInfo& t : info.tensors) lines.push_back("tensor " + spelled(t));
  for (const Record& r : records) {
    switch (r.kind) {
      case Record::Kind::Tile: lines.push_back(fmt::format("tile {} ", ordinals.declare(r.tile)) + spelled(r.tensor)); break;
      case Record::Kind::Release: lines.push_back(fmt::format("release {}", ordinals[r.tile])); break;
      case Record::Kind::Instruction: lines.push_back(spelled(r.instruction, ordinals)); break;
    }
  }
  return lines;
}

TemporaryFile::TemporaryFile(std::string_view suffix, const std::string& content) {
  static std::atomic<int> count = 0;
  path_ = std::filesystem::temp_directory_path() / fmt::format("trnsim-test-{}-{}{}", ::getpid(), count++, suffix);
  std::ofstream(path_, std::ios::binary) << content;
}

TemporaryFile::~TemporaryFile() { std::remove(path_.c_str()); }

std::string TemporaryFile::content() const {
  std::ifstream file(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace trnsim::test
