// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>
#include <charconv>
#include <ostream>
#include <unordered_map>
#include <unordered_set>

#include "trnsim/error.hpp"
#include "trnsim/trace.hpp"
#include "trnsim/workload.hpp"
#include "workload/trace_operand.hpp"
#include "workload/trace_words.hpp"

namespace trnsim {
namespace {

/// JSON text that grows at its end. Written by hand: a trace has millions of lines.
class Json {
 public:
  Json& raw(std::string_view text) {
    text_ += text;
    return *this;
  }
  Json& string(std::string_view text) {
    text_ += '"';
    for (const char c : text) character(c);
    text_ += '"';
    return *this;
  }
  template <class Int>
  Json& number(Int value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text_.append(digits, end);
    return *this;
  }
  /// Starts a member of the open object: comma where needed, key, colon.
  Json& key(std::string_view name) {
    if (text_.back() != '{') text_ += ',';
    return string(name).raw(":");
  }
  Json& flag(std::string_view name, bool value) { return value ? key(name).raw("true") : *this; }

  [[nodiscard]] std::size_t size() const { return text_.size(); }
  void flush(std::ostream& out) {
    out.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

 private:
  void character(char c) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text_ += "\\u00";
      text_ += "01"[c >> 4];
      text_ += "0123456789abcdef"[c & 15];
    } else {
      text_ += c;
    }
  }

  std::string text_;
};

class TraceWriter {
 public:
  TraceWriter(const ProgramInfo& info, std::ostream& out) : out_(&out) { header(info); }

  void record(const Record& record) {
    switch (record.kind) {
      case Record::Kind::Tile: tile(record.tile, record.tensor); break;
      case Record::Kind::Release: release(record.tile); break;
      case Record::Kind::Instruction: instruction(record.instruction); break;
    }
    end_line();
  }

  /// Tiles that live to the end are released there, in the order of declaration.
  void finish() {
    std::vector<std::pair<std::uint64_t, TensorId>> alive;
    for (TensorId id = first_tile_; id < tensors_.size(); ++id) {
      if (tensors_[id].order != 0) alive.emplace_back(tensors_[id].order, id);
    }
    std::sort(alive.begin(), alive.end());
    for (const auto& [order, id] : alive) {
      release(id);
      end_line();
    }
    json_.flush(*out_);
  }

 private:
  struct Named {
    TensorInfo info;
    std::string key;          ///< What lines call it; the name where that is free.
    std::uint64_t order = 0;  ///< Of declaration, from 1; 0 = not alive.
  };

  void end_line() {
    json_.raw("\n");
    constexpr std::size_t kBlock = 64 * 1024;
    if (json_.size() >= kBlock) json_.flush(*out_);
  }

  void header(const ProgramInfo& info) {
    const std::string version = std::to_string(kTraceFormat.major) + "." + std::to_string(kTraceFormat.minor);
    json_.raw("{").key(key::kVersion).string(version).key("tool").string(tool_version()).key("name").string(info.name);
    json_.key("params").raw("{");
    for (const auto& [name, value] : info.params) json_.key(name).string(value);
    json_.raw("}").key("dtype").string(name_of(info.dtype)).key("double_row").raw(info.double_row ? "true" : "false");
    json_.key("macs").number(info.macs).key("flops").number(info.flops).key("instructions").number(info.instructions);
    json_.key("tensors").raw("[");
    for (const TensorInfo& tensor : info.tensors) {
      if (!taken_.insert(tensor.name).second) throw ProgramError("program " + info.name + ": two tensors are named '" + tensor.name + "'");
      if (!tensors_.empty()) json_.raw(",");
      hbm_tensor(tensor);
      tensors_.push_back({tensor, tensor.name, ++declared_});
    }
    json_.raw("]");
    if (info.order != IssueOrder::Written) json_.key("order").string(name_of(info.order));
    if (!info.files.empty()) files(info.files);
    json_.raw("}");
    first_tile_ = static_cast<TensorId>(tensors_.size());
    end_line();
  }

  void files(const std::vector<std::string>& names) {
    json_.key("files").raw("[");
    for (std::size_t i = 0; i < names.size(); ++i) json_.raw(i == 0 ? "" : ",").string(names[i]);
    json_.raw("]");
  }

  void hbm_tensor(const TensorInfo& tensor) {
    json_.raw("{").key("name").string(tensor.name).key("shape").raw("[");
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) json_.raw(i == 0 ? "" : ",").number(tensor.shape[i]);
    json_.raw("]").key("dtype").string(name_of(tensor.dtype)).key("use").string(name_of(tensor.use)).raw("}");
  }

  void tile(TensorId id, const TensorInfo& info) {
    if (id >= tensors_.size()) tensors_.resize(id + std::size_t{1});
    Named& named = tensors_[id];
    named = {info, info.name, ++declared_};
    for (unsigned n = 0; named.key.empty() || !taken_.insert(named.key).second; ++n) {
      named.key = info.name + (info.name.empty() ? "t" : "#") + std::to_string(id) + (n == 0 ? "" : "." + std::to_string(n));
    }
    json_.raw("{").key("tile").string(named.key);
    if (named.key != info.name) json_.key("name").string(info.name);
    json_.key("buffer").string(name_of(info.buffer));
    if (info.partition != 0) json_.key("partition").number(info.partition);
    json_.key("partitions").number(info.partitions).key("bytes").number(info.bytes_per_partition);
    json_.key("dtype").string(name_of(info.dtype));
    if (info.address >= 0) json_.key("address").number(info.address);
    json_.raw("}");
  }

  void release(TensorId id) {
    Named& named = alive(id);
    json_.raw("{").key("release").string(named.key).raw("}");
    taken_.erase(named.key);
    named.order = 0;
  }

  Named& alive(TensorId id) {
    if (id >= tensors_.size() || tensors_[id].order == 0)
      throw InternalError("program uses tensor " + std::to_string(id) + ", which is not alive");
    return tensors_[id];
  }

  void instruction(const Instruction& i) {
    const OpcodeInfo& op = info(i.op);
    json_.raw("{").key("op").string(op.name);
    if (i.engine != op.default_engine) json_.key("engine").string(name_of(i.engine));
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
      if (i.operands[k].present()) operand(name_of(op.operands[k].role), i.operands[k]);
    }
    attributes(i);
    if (i.extras) extras(*i.extras);
    if (i.at.known()) json_.key("at").raw("[").number(i.at.file).raw(",").number(i.at.line).raw("]");
    if (i.id != 0) json_.key("id").number(i.id);
    if (i.after_count != 0) {
      json_.key("after").raw("[");
      for (unsigned k = 0; k < i.after_count; ++k) json_.raw(k == 0 ? "" : ",").number(i.after[k]);
      json_.raw("]");
    }
    json_.raw("}");
  }

  void attributes(const Instruction& i) {
    if (i.function != ActFn::Copy) json_.key("function").string(name_of(i.function));
    if (i.alu0 != AluOp::Bypass) json_.key("op0").string(name_of(i.alu0));
    if (i.alu1 != AluOp::Bypass) json_.key("op1").string(name_of(i.alu1));
    json_.flag("accumulate", i.accumulate).flag("transpose", i.transpose).flag("onezero", i.onezero).flag("reduce", i.reduce);
    json_.flag("dynamic_address", i.dynamic_address);
    if (i.perf_mode != PerfMode::None) json_.key("perf_mode").string(name_of(i.perf_mode));
    pair("tile_position", i.tile_row, i.tile_col, 0);
    pair("tile_size", i.tile_rows, i.tile_cols, 128);
    if (i.ring != kDefaultRing) json_.key("queue").number(i.ring);
    if (i.dge != DgeMode::Default) json_.key("dge").string(name_of(i.dge));
  }

  void extras(const InstructionExtras& e) {
    for (const auto& [role, o] : e.operands) operand(name_of(role), o);
    if (e.chunks != 0) json_.key("chunks").number(e.chunks);
    if (e.send_to) json_.key("send_to").number(*e.send_to);
    if (e.recv_from) json_.key("recv_from").number(*e.recv_from);
    if (e.pipe) json_.key("pipe").number(*e.pipe);
    if (!e.cores.empty()) list(json_.key("cores"), e.cores);
    if (!e.groups.empty()) {
      json_.key("groups").raw("[");
      for (std::size_t k = 0; k < e.groups.size(); ++k) list(json_.raw(k == 0 ? "" : ","), e.groups[k]);
      json_.raw("]");
    }
    if (e.pairs.empty()) return;
    json_.key("pairs").raw("[");
    for (std::size_t k = 0; k < e.pairs.size(); ++k) {
      json_.raw(k == 0 ? "[" : ",[").number(e.pairs[k].first).raw(",").number(e.pairs[k].second).raw("]");
    }
    json_.raw("]");
  }

  static void list(Json& json, const std::vector<std::uint32_t>& values) {
    json.raw("[");
    for (std::size_t k = 0; k < values.size(); ++k) json.raw(k == 0 ? "" : ",").number(values[k]);
    json.raw("]");
  }

  void pair(std::string_view name, unsigned first, unsigned second, unsigned usual) {
    if (first == usual && second == usual) return;
    json_.key(name).raw("[").number(first).raw(",").number(second).raw("]");
  }

  void operand(std::string_view role, const Operand& o) {
    const Named& named = alive(o.tensor);
    const OperandKeys keys = keys_of(o, named.info);
    json_.key(role);
    if (!keys.dtype && !keys.offset && !keys.partitions && keys.rank == 0 && !keys.row_stride) {
      json_.string(named.key);
      return;
    }
    json_.raw("{").key("t").string(named.key);
    if (keys.partitions) {
      json_.key("p").raw("[").number(keys.partitions->start).raw(",").number(keys.partitions->count);
      if (keys.partitions->step != 1) json_.raw(",").number(keys.partitions->step);
      json_.raw("]");
    }
    if (keys.offset) json_.key("off").number(*keys.offset);
    if (keys.dtype) json_.key("dt").string(name_of(*keys.dtype));
    if (keys.rank != 0) {
      json_.key("ap").raw("[");
      for (unsigned i = 0; i < keys.rank; ++i) {
        json_.raw(i == 0 ? "[" : ",[").number(keys.pattern[i].stride).raw(",").number(keys.pattern[i].count).raw("]");
      }
      json_.raw("]");
    }
    if (keys.row_stride) json_.key("row").number(*keys.row_stride);
    json_.raw("}");
  }

  std::ostream* out_;
  Json json_;
  std::vector<Named> tensors_;  ///< By TensorId.
  std::unordered_set<std::string> taken_;
  TensorId first_tile_ = 0;
  std::uint64_t declared_ = 0;
};

}  // namespace

void write_trace(Program& program, std::ostream& out) {
  TraceWriter writer(program.info(), out);
  while (const Record* record = program.next()) writer.record(*record);
  writer.finish();
}

}  // namespace trnsim
