// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/trace_scan.hpp"

#include <algorithm>
#include <unordered_map>

#include "error/nearest.hpp"
#include "trnsim/error.hpp"
#include "trnsim/trace.hpp"
#include "workload/trace_cycle.hpp"
#include "workload/trace_resolve.hpp"
#include "workload/trace_words.hpp"

namespace trnsim {
namespace {

std::string shown(const IdText& id) {
  return id.kind == IdText::Kind::Number ? std::to_string(id.number) : "\"" + std::string(id.text) + "\"";
}

class Scanner final : public TraceResolver {
 public:
  Scanner(const std::shared_ptr<const TraceInput>& input, const ChipConfig& chip, Problems& problems)
      : TraceResolver(problems), input_(input), lines_(input), parser_(problems), checker_(chip), chip_(&chip) {}

  TraceScan run() {
    read_header();
    std::string_view text;
    while (!problems().full() && lines_.next(text)) read_line(text);
    if (!problems().full()) finish();
    problems().check();
    return std::move(scan_);
  }

 private:
  /// An id that was waited for before a line defined it.
  struct Waiting {
    std::uint32_t line;
    std::uint32_t from;  ///< Number of the waiting instruction's id, 0 if it has none.
    EngineKind engine;
    bool dma;
    std::string id;  ///< As written.
  };

  void read_header() {
    std::string_view text;
    if (!lines_.next(text)) {
      problem(0, "is empty; the first line is a header");
    } else {
      header_line_ = lines_.number();
      parser_.header(text, header_line_, header_);
    }
    for (const TensorInfo& tensor : header_.info.tensors) {
      if (!symbols().add_tensor(tensor)) problem(lines_.number(), "key 'tensors.name': two tensors are named '" + tensor.name + "'");
    }
    problems().check();
  }

  void read_line(std::string_view text) {
    const bool good = parser_.line(text, lines_.number(), line_);
    switch (line_.kind) {
      case Record::Kind::Tile: read_tile(good); break;
      case Record::Kind::Release:
        if (good) read_release();
        break;
      case Record::Kind::Instruction: read_instruction(good); break;
    }
  }

  void read_tile(bool good) {
    if (line_.tile.empty()) return;
    messages_.clear();
    if (good) checker_.check_tile(line_.info, symbols().table(), messages_);
    report();
    const auto id = symbols().declare(line_.tile, line_.info, lines_.number());
    if (!id) {
      const auto taken = *symbols().find(line_.tile);
      const std::string where = symbols().is_tile(taken)
                                    ? "declared in line " + std::to_string(symbols().tile(taken).declared) + " and not released"
                                    : "a tensor of the header";
      problem(lines_.number(), "key 'tile': value \"" + std::string(line_.tile) + "\" is " + where + "; allowed: a name that is free");
      return;
    }
    symbols().tile(*id).broken = !good || !messages_.empty();
  }

  void read_release() {
    const auto id = symbols().find(line_.tile);
    if (!id || !symbols().is_tile(*id)) {
      problem(lines_.number(), "key 'release': value \"" + std::string(line_.tile) +
                                   "\"; allowed: a tile that is declared and not yet released" +
                                   nearest_hint(line_.tile, symbols().names()));
      return;
    }
    symbols().release(*id);
  }

  void read_instruction(bool good) {
    ++instructions_;
    if (!good) {
      define_id();
      return;
    }
    if (resolve_operands(line_) == Outcome::Good) {
      messages_.clear();
      checker_.check(line_.instruction, symbols().table(), messages_);
      report();
      if (messages_.empty()) note(line_.instruction);
    }
    const std::uint64_t own = define_id();
    for (unsigned k = 0; k < line_.instruction.after_count; ++k) wait_for(line_.after[k], static_cast<std::uint32_t>(own));
  }

  void report() {
    for (const std::string& message : messages_) problem(lines_.number(), message);
  }

  /// What a header may leave out is counted.
  void note(const Instruction& i) {
    macs_ += macs_of(i);
    const Operand* moving = i.find(Role::Moving);
    if (moving == nullptr) {
      note_ranges(i);
      return;
    }
    if (!header_.has_dtype && !dtype_seen_) header_.info.dtype = moving->dtype;
    dtype_seen_ = true;
    if (!header_.has_double_row && i.perf_mode == PerfMode::DoubleRow) header_.info.double_row = true;
    note_ranges(i);
  }

  void note_ranges(const Instruction& i) {
    if (pseudo_[0] == kNoTensor && pseudo_[1] == kNoTensor && pseudo_[2] == kNoTensor) return;
    i.for_each([&](const Operand& o, bool) {
      if (o.tensor != pseudo_[static_cast<std::size_t>(o.buffer)]) return;
      Extent extent;
      if (o.buffer == Buffer::Hbm) {
        tensor_extent(o, extent);
        hbm_first_ = std::min(hbm_first_, static_cast<std::uint64_t>(extent.first));
        hbm_end_ = std::max(hbm_end_, static_cast<std::uint64_t>(extent.end));
      } else {
        row_extent(o, extent);
        scan_.ranges[static_cast<std::size_t>(o.buffer)].add(
            static_cast<std::uint64_t>(extent.first),
            {static_cast<std::uint64_t>(extent.end), o.partition, o.partition + o.partition_span(), i.line, i.line, kNoTensor});
      }
    });
  }

  /// While scanning, a whole memory stands for the ranges in it.
  TensorId fixed_range(const OperandText& text, std::uint32_t line, OperandKeys& keys) override {
    TensorId& id = pseudo_[static_cast<std::size_t>(text.buffer)];
    if (id == kNoTensor) {
      TensorInfo all;
      all.name = name_of(text.buffer);
      all.buffer = text.buffer;
      all.dtype = DType::Uint8;
      if (text.buffer == Buffer::Hbm) {
        all.shape = {std::uint64_t{1} << 60};
      } else {
        all.partitions = static_cast<std::uint16_t>(chip_->sbuf.partitions);
        all.bytes_per_partition =
            static_cast<std::uint32_t>(text.buffer == Buffer::Sbuf ? chip_->sbuf_bytes_per_partition() : chip_->psum_bytes_per_partition());
      }
      id = symbols().declare_unnamed(all, line);
    }
    keys.offset = text.address;
    if (text.buffer == Buffer::Hbm && !keys.partitions) keys.partitions = PartitionKeys{0, 1};
    return id;
  }

  std::uint64_t define_id() {
    const Instruction& i = line_.instruction;
    if (line_.id.kind == IdText::Kind::None) return 0;
    const std::uint64_t own = scan_.ids.define(line_.id);
    if (own == 0) {
      problem(lines_.number(), "key 'id': value " + shown(line_.id) + " is defined twice");
      return 0;
    }
    const auto at = waiting_.empty() ? waiting_.end() : waiting_.find(IdTable::hash(line_.id));
    if (at == waiting_.end()) return own;
    for (const Waiting& w : at->second) {
      forward_ = true;
      if (w.from != 0) edges_.emplace_back(w.from, static_cast<std::uint32_t>(own));
      if (!w.dma && w.engine == i.engine) {
        problem(w.line, "key 'after': waits for " + w.id + " of line " + std::to_string(i.line) + ", which the same engine (" +
                            std::string(name_of(i.engine)) + ") runs later; it would wait forever");
      }
    }
    waiting_.erase(at);
    return own;
  }

  void wait_for(const IdText& id, std::uint32_t own) {
    const std::uint64_t other = scan_.ids.find(id);
    if (other != 0 && other == own) {
      problem(lines_.number(), "key 'after': " + shown(id) + " waits for itself");
    } else if (other != 0) {
      if (own != 0) edges_.emplace_back(own, static_cast<std::uint32_t>(other));
    } else {
      const Instruction& i = line_.instruction;
      waiting_[IdTable::hash(id)].push_back({i.line, own, i.engine, is_dma(i.op), shown(id)});
    }
  }

  void finish() {
    if (instructions_ == 0) problem(0, "holds no instruction");
    report_undefined();
    if (forward_) report_cycle();
    for (const TraceSymbols::Tile& t : symbols().tiles()) {
      if (t.alive && t.name_hash != 0) scan_.last_uses.push_back({t.last_use, t.declared, t.name_hash});
    }
    std::sort(scan_.last_uses.begin(), scan_.last_uses.end(), [](const auto& a, const auto& b) {
      return std::pair{a.line, a.declared} < std::pair{b.line, b.declared};
    });
    finish_info();
  }

  void report_undefined() {
    std::vector<const Waiting*> undefined;
    for (const auto& [hash, list] : waiting_) {
      for (const Waiting& w : list) undefined.push_back(&w);
    }
    std::sort(undefined.begin(), undefined.end(), [](const Waiting* a, const Waiting* b) {
      return std::pair{a->line, a->id} < std::pair{b->line, b->id};
    });
    for (const Waiting* w : undefined) problem(w->line, "key 'after': value " + w->id + "; allowed: an id that some instruction has");
  }

  /// Names are not kept, so the file is read once more for those on the cycle.
  void report_cycle() {
    const std::vector<std::uint32_t> cycle = shortest_cycle(edges_, static_cast<std::uint32_t>(scan_.ids.count()));
    if (cycle.empty()) return;
    std::unordered_map<std::uint64_t, std::pair<std::string, std::uint32_t>> found;
    Problems ignored(input_->name());
    TraceParser parser(ignored);
    TraceLines lines(input_);
    std::string_view text;
    lines.next(text);
    while (lines.next(text)) {
      parser.line(text, lines.number(), line_);
      if (line_.id.kind == IdText::Kind::None || line_.kind != Record::Kind::Instruction) continue;
      const std::uint64_t number = scan_.ids.find(line_.id);
      if (std::find(cycle.begin(), cycle.end(), number) != cycle.end()) found.try_emplace(number, shown(line_.id), lines.number());
    }
    std::string path;
    for (const std::uint32_t number : cycle)
      path += found[number].first + " (line " + std::to_string(found[number].second) + ") waits for ";
    problem(found[cycle.front()].second,
            "key 'after': a cycle of " + std::to_string(cycle.size()) + ": " + path + found[cycle.front()].first);
  }

  void finish_info() {
    ProgramInfo& info = header_.info;
    info.instructions = instructions_;
    if (info.name.empty()) info.name = "trace";
    if (!header_.has_macs) info.macs = macs_;
    if (info.macs > macs_ && !problems().any()) {
      problem(header_line_, "key 'macs': value " + std::to_string(info.macs) + "; allowed: at most the " + std::to_string(macs_) +
                                " multiply-accumulates of all matmuls");
    }
    if (!header_.has_flops) info.flops = 2 * info.macs;
    if (hbm_end_ != 0) add_hbm_tensor(info);
    scan_.info = std::move(info);
  }

  void add_hbm_tensor(ProgramInfo& info) {
    constexpr std::uint64_t kAlignment = 64 * 1024;  // keeps the order of channels and rows
    scan_.hbm_base = hbm_first_ / kAlignment * kAlignment;
    TensorInfo all;
    all.name = "hbm@" + std::to_string(scan_.hbm_base);
    while (symbols().find(all.name)) all.name += "'";
    all.buffer = Buffer::Hbm;
    all.dtype = DType::Uint8;
    all.shape = {hbm_end_ - scan_.hbm_base};
    if (all.shape[0] > chip_->hbm_bytes()) {
      problem(0, "its fixed HBM addresses span " + thousands(all.shape[0]) + " bytes; allowed on " + chip_->name + ": " +
                     thousands(chip_->hbm_bytes()));
    }
    scan_.hbm_tensor = static_cast<TensorId>(info.tensors.size());
    info.tensors.push_back(std::move(all));
  }

  std::shared_ptr<const TraceInput> input_;
  TraceLines lines_;
  TraceParser parser_;
  InstructionChecker checker_;
  const ChipConfig* chip_;
  TraceHeader header_;
  std::uint32_t header_line_ = 0;
  TraceScan scan_;
  TraceLine line_;
  std::vector<std::string> messages_;
  std::array<TensorId, 3> pseudo_{kNoTensor, kNoTensor, kNoTensor};
  std::unordered_map<std::uint64_t, std::vector<Waiting>> waiting_;
  std::vector<WaitEdge> edges_;
  std::uint64_t instructions_ = 0, macs_ = 0;
  std::uint64_t hbm_first_ = ~std::uint64_t{0}, hbm_end_ = 0;
  bool forward_ = false, dtype_seen_ = false;
};

}  // namespace

TraceScan scan_trace(const std::shared_ptr<const TraceInput>& input, const ChipConfig& chip) {
  Problems problems(input->name());
  return Scanner(input, chip, problems).run();
}

}  // namespace trnsim
