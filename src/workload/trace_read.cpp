// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/error.hpp"
#include "trnsim/trace.hpp"
#include "trnsim/workload.hpp"
#include "workload/trace_resolve.hpp"
#include "workload/trace_scan.hpp"

namespace trnsim {
namespace {

/// Second reading: lines become records. Nothing is checked again but what a changed file could break.
class TraceProgram final : public Program, private TraceResolver {
 public:
  TraceProgram(std::shared_ptr<const TraceInput> input, TraceScan scan)
      : TraceResolver(own_problems_),
        own_problems_(input->name()),
        lines_(std::move(input)),
        parser_(own_problems_),
        scan_(std::move(scan)) {
    for (const TensorInfo& tensor : scan_.info.tensors) symbols().add_tensor(tensor);
    std::string_view text;
    TraceHeader header;
    if (lines_.next(text)) parser_.header(text, lines_.number(), header);
  }

  [[nodiscard]] const ProgramInfo& info() const override { return scan_.info; }

  const Record* next() override {
    for (;;) {
      if (before_at_ < before_.size()) return &before_[before_at_++];
      if (ready_) {
        ready_ = false;
        return &record_;
      }
      if (after_at_ < after_.size()) return &after_[after_at_++];
      if (!read_line()) return nullptr;
    }
  }

 private:
  bool read_line() {
    before_.clear();
    after_.clear();
    before_at_ = after_at_ = 0;
    std::string_view text;
    if (!lines_.next(text)) return false;
    if (!parser_.line(text, lines_.number(), line_)) changed();
    record_.kind = line_.kind;
    switch (line_.kind) {
      case Record::Kind::Tile: declare(); break;
      case Record::Kind::Release: release_named(); break;
      case Record::Kind::Instruction: read_instruction(); break;
    }
    release_last_used();
    ready_ = true;
    return true;
  }

  /// The first reading accepted every line.
  [[noreturn]] void changed() {
    own_problems_.check();
    throw ProgramError(own_problems_.file() + ":" + std::to_string(lines_.number()) + ": the file changed while it was read");
  }

  void declare() {
    const auto id = symbols().declare(line_.tile, line_.info, lines_.number());
    if (!id) changed();
    record_.tile = *id;
    record_.tensor = std::move(line_.info);
    record_.instruction.line = lines_.number();
  }

  void release_named() {
    const auto id = symbols().find(line_.tile);
    if (!id || !symbols().is_tile(*id)) changed();
    record_.tile = *id;
    symbols().release(*id);
  }

  void read_instruction() {
    ranges_.clear();
    if (resolve_operands(line_) != Outcome::Good) changed();
    Instruction& i = line_.instruction;
    if (line_.id.kind != IdText::Kind::None) i.id = ++ids_;
    for (unsigned k = 0; k < i.after_count; ++k) i.after[k] = scan_.ids.find(line_.after[k]);
    record_.instruction = i;
    for (RangeSet::Range* range : ranges_) {
      if (range->last_line != i.line || range->tile == kNoTensor) continue;
      release_after(range->tile);
      range->tile = kNoTensor;
    }
  }

  TensorId fixed_range(const OperandText& text, std::uint32_t line, OperandKeys& keys) override {
    if (text.buffer == Buffer::Hbm) {
      if (scan_.hbm_tensor == kNoTensor || text.address < scan_.hbm_base) changed();
      keys.offset = text.address - scan_.hbm_base;
      if (!keys.partitions) keys.partitions = PartitionKeys{0, 1};
      return scan_.hbm_tensor;
    }
    auto* found = scan_.ranges[static_cast<std::size_t>(text.buffer)].find(text.address);
    if (found == nullptr) changed();
    auto& [begin, range] = *found;
    ranges_.push_back(&range);
    if (range.tile == kNoTensor) declare_range(text.buffer, begin, range, line);
    keys.offset = text.address - begin;
    if (!keys.partitions) keys.partitions = PartitionKeys{0, static_cast<std::uint32_t>(range.end_partition)};
    if (keys.partitions->start < range.first_partition) changed();
    keys.partitions->start = static_cast<std::uint16_t>(keys.partitions->start - range.first_partition);
    return range.tile;
  }

  void declare_range(Buffer buffer, std::uint64_t begin, RangeSet::Range& range, std::uint32_t line) {
    Record& record = before_.emplace_back();
    record.kind = Record::Kind::Tile;
    TensorInfo& info = record.tensor;
    info.name = std::string(name_of(buffer)) + "@" + std::to_string(begin);
    info.buffer = buffer;
    info.dtype = DType::Uint8;
    info.partition = static_cast<std::uint16_t>(range.first_partition);
    info.partitions = static_cast<std::uint16_t>(range.end_partition - range.first_partition);
    info.bytes_per_partition = static_cast<std::uint32_t>(range.end - begin);
    info.address = static_cast<std::int64_t>(begin);
    record.instruction.line = line;
    record.tile = range.tile = symbols().declare_unnamed(info, line);
  }

  void release_after(TensorId id) {
    Record& record = after_.emplace_back();
    record.kind = Record::Kind::Release;
    record.tile = id;
    symbols().release(id);
  }

  void release_last_used() {
    for (; last_use_ < scan_.last_uses.size() && scan_.last_uses[last_use_].line == lines_.number(); ++last_use_) {
      const auto id = symbols().find(scan_.last_uses[last_use_].name_hash);
      if (!id) changed();
      release_after(*id);
    }
  }

  Problems own_problems_;
  TraceLines lines_;
  TraceParser parser_;
  TraceScan scan_;
  TraceLine line_;
  Record record_;
  std::vector<Record> before_, after_;  ///< Tiles declared and released around the record.
  std::size_t before_at_ = 0, after_at_ = 0, last_use_ = 0;
  std::vector<RangeSet::Range*> ranges_;  ///< Of the current line.
  std::uint64_t ids_ = 0;
  bool ready_ = false;
};

Workload workload_of(std::shared_ptr<const TraceInput> input, const std::string& source, const ChipConfig& chip) {
  TraceScan scan = scan_trace(input, chip);
  Workload workload;
  workload.name = scan.info.name;
  workload.source = source;
  workload.programs.push_back(trace_program(std::move(input), std::move(scan)));
  return workload;
}

}  // namespace

std::unique_ptr<Program> trace_program(std::shared_ptr<const TraceInput> input, TraceScan scan) {
  return std::make_unique<TraceProgram>(std::move(input), std::move(scan));
}

Workload open_trace(const std::string& path, const ChipConfig& chip) { return workload_of(TraceInput::open(path), path, chip); }

Workload open_trace(int descriptor, const std::string& name, const ChipConfig& chip) {
  return workload_of(TraceInput::of_file(descriptor, name), name, chip);
}

std::vector<std::string> check_trace(const std::string& path, const ChipConfig& chip) {
  const auto input = TraceInput::open(path);
  try {
    scan_trace(input, chip);
  } catch (const ProgramError& e) {
    return e.problems();
  }
  return {};
}

}  // namespace trnsim
