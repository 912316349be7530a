// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/trace_parse.hpp"

#include <algorithm>

#include "workload/trace_header.hpp"
#include "workload/trace_json.hpp"

namespace trnsim {
namespace {

using Value = simdjson::dom::element;

enum class Key : std::uint8_t {
  Op,
  Engine,
  Accumulate,
  Function,
  Op0,
  Op1,
  Id,
  After,
  Transpose,
  Onezero,
  Reduce,
  DynamicAddress,
  PerfMode,
  TilePosition,
  TileSize,
  Queue,
  Dge,
  At,
  Chunks,
  Cores,
  SendTo,
  RecvFrom,
  Pipe,
  Groups,
  Pairs
};
constexpr std::array<std::string_view, 25> kKeys{
    "op",      "engine", "accumulate",      "function",  "op0",           "op1",       "id",    "after", "transpose",
    "onezero", "reduce", "dynamic_address", "perf_mode", "tile_position", "tile_size", "queue", "dge",   "at",
    "chunks",  "cores",  "send_to",         "recv_from", "pipe",          "groups",    "pairs"};
/// What an opcode must have for the keys from `Chunks` on.
constexpr std::array<std::uint8_t, 7> kKeyExtras{kChunks, kCores, kPeers, kPeers, kPeers, kGroups, kGroups};
constexpr std::array<std::string_view, 8> kTileKeys{"tile", "buffer", "partitions", "bytes", "dtype", "partition", "address", "name"};
constexpr std::array<std::string_view, 8> kOperandKeys{"t", "p", "off", "dt", "ap", "row", "buffer", "address"};

// More elements than any memory has, few enough that byte counts stay far from 64 bits.
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 48;

template <std::size_t N>
std::size_t position(const std::array<std::string_view, N>& names, std::string_view name) {
  std::size_t i = 0;
  while (i < N && names[i] != name) ++i;
  return i;
}

std::vector<std::string_view> dtype_names() { return all_names<DType>(kDTypeCount); }
std::vector<std::string_view> on_chip_names() { return {name_of(Buffer::Sbuf), name_of(Buffer::Psum)}; }

std::optional<Buffer> on_chip_from(std::string_view name) {
  const auto buffer = buffer_from(name);
  return buffer == Buffer::Hbm ? std::nullopt : buffer;
}

/// Whether an opcode has this key of `kKeys`.
bool has_key(Opcode op, std::size_t index) {
  constexpr auto kFirst = static_cast<std::size_t>(Key::Chunks);
  return index < kFirst || (info(op).extras & kKeyExtras[index - kFirst]) != 0;
}

std::vector<std::string_view> instruction_keys(Opcode op) {
  std::vector<std::string_view> keys;
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (has_key(op, i)) keys.push_back(kKeys[i]);
  }
  for (const OperandRule& rule : info(op).operands) keys.push_back(name_of(rule.role));
  return keys;
}

/// Marks a key as seen; a problem the second time.
bool first_time(LineReader& reader, std::uint64_t& seen, std::size_t index, KeyPath key) {
  const std::uint64_t bit = std::uint64_t{1} << index;
  if ((seen & bit) != 0) {
    reader.repeated(key);
    return false;
  }
  seen |= bit;
  return true;
}

bool read_id(LineReader& reader, KeyPath key, Value value, IdText& id) {
  if (value.get(id.number) == simdjson::SUCCESS) return id.kind = IdText::Kind::Number, true;
  if (value.get(id.text) == simdjson::SUCCESS && !id.text.empty()) return id.kind = IdText::Kind::Text, true;
  reader.bad(key, value, "a number from 0, or a text that is not empty");
  return false;
}

void read_after(LineReader& reader, Value value, TraceLine& line) {
  constexpr std::string_view kAllowed = "a list of at most 4 ids";
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS || list.size() > line.after.size()) return reader.bad({"after", {}}, value, kAllowed);
  for (const Value id : list) {
    if (!read_id(reader, {"after", {}}, id, line.after[line.instruction.after_count])) return;
    ++line.instruction.after_count;
  }
}

constexpr std::size_t kMostDims = 16;

/// Joins what follows without a gap and drops dimensions of one, until a pattern has no more than it must.
std::size_t simplify(std::array<Dim, kMostDims>& dims, std::size_t rank) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const Dim dim = dims[i];
    if (dim.count == 1) continue;
    Dim* outer = kept > 0 ? &dims[kept - 1] : nullptr;
    const std::uint64_t joined = outer == nullptr ? 0 : std::uint64_t{outer->count} * dim.count;
    if (outer != nullptr && outer->stride == std::int64_t{dim.stride} * dim.count && std::in_range<std::uint32_t>(joined)) {
      *outer = {dim.stride, static_cast<std::uint32_t>(joined)};
    } else {
      dims[kept++] = dim;
    }
  }
  if (kept == 0) dims[kept++] = {1, 1};
  return kept;
}

void read_pattern(LineReader& reader, KeyPath key, Value value, OperandKeys& keys) {
  constexpr std::string_view kAllowed = "1 to 16 pairs [stride, count], slowest first, count from 1";
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS || list.size() < 1 || list.size() > kMostDims) return reader.bad(key, value, kAllowed);
  std::array<Dim, kMostDims> dims;
  std::size_t rank = 0;
  for (const Value item : list) {
    Dim& dim = dims[rank];
    if (!reader.pair(key, item, dim.stride, dim.count, kAllowed)) return;
    if (dim.count == 0) return reader.bad(key, item, kAllowed);
    ++rank;
  }
  if (rank > kPatternRank) rank = simplify(dims, rank);
  if (rank > keys.pattern.size())
    return reader.bad(key, value, "at most 6 dimensions, after those that follow each other without a gap are one");
  std::copy_n(dims.begin(), rank, keys.pattern.begin());
  keys.rank = static_cast<std::uint8_t>(rank);
}

void read_range(LineReader& reader, KeyPath key, Value value, OperandKeys& keys) {
  constexpr std::string_view kAllowed = "[start, count] or [start, count, step], count from 1";
  PartitionKeys& range = keys.partitions.emplace();
  if (reader.pair_or_triple(key, value, range.start, range.count, range.step, kAllowed) && range.count == 0)
    reader.bad(key, value, kAllowed);
}

void check_size(LineReader& reader, std::string_view role, const OperandKeys& keys) {
  std::uint64_t elements = keys.partitions ? keys.partitions->count : 1;
  for (unsigned i = 0; i < keys.rank && elements <= kMostElements; ++i) {
    const std::uint64_t count = keys.pattern[i].count;
    elements = count > kMostElements / elements ? kMostElements + 1 : elements * count;
  }
  if (elements > kMostElements) reader.problem("key '" + std::string(role) + "': more than 2^48 elements");
}

void read_operand_key(LineReader& reader, std::string_view role, std::size_t index, Value value, OperandText& to) {
  const KeyPath key{role, kOperandKeys[index]};
  OperandKeys& keys = to.keys;
  switch (index) {
    case 0: reader.text(key, value, to.tensor, "the name of a tensor or tile"); break;
    case 1: read_range(reader, key, value, keys); break;
    case 2: reader.integer(key, value, keys.offset.emplace()); break;
    case 3: reader.word(key, value, keys.dtype.emplace(), dtype_from, dtype_names); break;
    case 4: read_pattern(reader, key, value, keys); break;
    case 5: reader.integer(key, value, keys.row_stride.emplace(), std::numeric_limits<std::int64_t>::min()); break;
    case 6: reader.word(key, value, to.buffer, buffer_from, [] { return all_names<Buffer>(3); }); break;
    default: reader.integer(key, value, to.address); break;
  }
}

/// A range at a fixed address says everything itself.
void check_fixed(LineReader& reader, std::string_view role, std::uint64_t seen, const OperandText& to) {
  const auto has = [&](std::string_view name) { return (seen >> position(kOperandKeys, name) & 1U) != 0; };
  if (has("t")) {
    if (has("buffer") || has("address"))
      reader.problem("key '" + std::string(role) + "': has a tensor and an address; allowed: either of them");
    return;
  }
  if (!has("buffer") && !has("address")) return reader.missing({role, "t"}, "an operand names a tensor, or a buffer and an address");
  for (const std::string_view name : {"buffer", "address", "dt", "ap"}) {
    if (!has(name)) reader.missing({role, name}, "a range at a fixed address needs it");
  }
  if (has("off")) reader.problem("key '" + std::string(role) + ".off': a range at a fixed address has its offset in 'address'");
  if (to.buffer == Buffer::Hbm && to.keys.partitions && to.keys.partitions->count > 1 && !to.keys.row_stride) {
    reader.missing({role, "row"}, "bytes from one row to the next");
  }
}

void read_operand(LineReader& reader, Role role, Value value, OperandText& to) {
  to = {};
  to.role = role;
  if (value.get(to.tensor) == simdjson::SUCCESS && !to.tensor.empty()) return;
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return reader.bad({name_of(role), {}}, value, "a tensor's name, or an object");
  std::uint64_t seen = 0;
  for (const auto [name, item] : object) {
    const std::size_t index = position(kOperandKeys, name);
    const KeyPath key{name_of(role), name};
    if (index == kOperandKeys.size()) {
      reader.unknown(key, {kOperandKeys.begin(), kOperandKeys.end()});
    } else if (first_time(reader, seen, index, key)) {
      read_operand_key(reader, name_of(role), index, item, to);
    }
  }
  if (!reader.good()) return;
  check_fixed(reader, name_of(role), seen, to);
  check_size(reader, name_of(role), to.keys);
}

constexpr std::size_t kMostRanks = 4096;

void read_groups(LineReader& reader, KeyPath key, Value value, InstructionExtras& extras) {
  constexpr std::string_view kAllowed = "a list of at most 4,096 lists of ranks";
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS || list.size() > kMostRanks) return reader.bad(key, value, kAllowed);
  for (const Value group : list) {
    if (!reader.integers(key, group, extras.groups.emplace_back(), kMostRanks, kAllowed)) return;
  }
}

void read_pairs(LineReader& reader, KeyPath key, Value value, InstructionExtras& extras) {
  constexpr std::string_view kAllowed = "a list of at most 4,096 pairs [from, to]";
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS || list.size() > kMostRanks) return reader.bad(key, value, kAllowed);
  for (const Value item : list) {
    auto& [from, to] = extras.pairs.emplace_back();
    if (!reader.pair(key, item, from, to, kAllowed)) return;
  }
}

void read_extra(LineReader& reader, Key which, Value value, TraceLine& line) {
  const KeyPath key{kKeys[static_cast<std::size_t>(which)], {}};
  InstructionExtras& to = line.extras;
  line.has_extras = true;
  switch (which) {
    case Key::Chunks: reader.integer(key, value, to.chunks, std::uint32_t{1}); break;
    case Key::Cores: reader.integers(key, value, to.cores, kMostRanks, "a list of at most 4,096 cores"); break;
    case Key::SendTo: reader.integer(key, value, to.send_to.emplace()); break;
    case Key::RecvFrom: reader.integer(key, value, to.recv_from.emplace()); break;
    case Key::Pipe: reader.integer(key, value, to.pipe.emplace()); break;
    case Key::Groups: read_groups(reader, key, value, to); break;
    default: read_pairs(reader, key, value, to); break;
  }
}

/// The place in the kernel: [index of the file, line].
void read_place(LineReader& reader, Value value, std::size_t files, SourceLine& at) {
  const KeyPath key{"at", {}};
  if (!reader.pair(key, value, at.file, at.line, "[index in the header's files, line]")) return;
  if (at.file >= files) {
    reader.bad(key, value,
               files == 0 ? "none, since the header lists no files" : "an index of the header's files below " + std::to_string(files));
  }
}

void read_attribute(LineReader& reader, Key which, Value value, TraceLine& line) {
  Instruction& i = line.instruction;
  const KeyPath key{kKeys[static_cast<std::size_t>(which)], {}};
  switch (which) {
    case Key::Op: break;  // read first
    case Key::Engine: reader.word(key, value, i.engine, engine_from, [] { return all_names<EngineKind>(kEngineCount); }); break;
    case Key::Accumulate: reader.boolean(key, value, i.accumulate); break;
    case Key::Function: reader.word(key, value, i.function, act_fn_from, [] { return all_names<ActFn>(kActFnCount); }); break;
    case Key::Op0: reader.word(key, value, i.alu0, alu_op_from, [] { return all_names<AluOp>(kAluOpCount); }); break;
    case Key::Op1: reader.word(key, value, i.alu1, alu_op_from, [] { return all_names<AluOp>(kAluOpCount); }); break;
    case Key::Id: read_id(reader, key, value, line.id); break;
    case Key::After: read_after(reader, value, line); break;
    case Key::Transpose: reader.boolean(key, value, i.transpose); break;
    case Key::Onezero: reader.boolean(key, value, i.onezero); break;
    case Key::Reduce: reader.boolean(key, value, i.reduce); break;
    case Key::DynamicAddress: reader.boolean(key, value, i.dynamic_address); break;
    case Key::PerfMode: reader.word(key, value, i.perf_mode, perf_mode_from, [] { return all_names<PerfMode>(2); }); break;
    case Key::TilePosition: reader.pair(key, value, i.tile_row, i.tile_col, "[row, column] of the PE array"); break;
    case Key::TileSize: reader.pair(key, value, i.tile_rows, i.tile_cols, "[rows, columns] of the PE array"); break;
    case Key::Queue: reader.integer(key, value, i.ring, std::uint8_t{0}, std::uint8_t{kDefaultRing - 1}); break;
    case Key::Dge: reader.word(key, value, i.dge, dge_mode_from, [] { return all_names<DgeMode>(4); }); break;
    case Key::At: break;  // needs the header
    default: read_extra(reader, which, value, line); break;
  }
}

/// Role of a key that is no operand of the opcode's table: an index, or one of many tensors.
std::optional<Role> further_role(Opcode op, std::string_view name) {
  const auto role = role_from(name);
  if (!role) return std::nullopt;
  if (is_index(*role)) return role;
  const std::uint8_t extras = info(op).extras;
  if (*role >= Role::Dst2 && *role < Role::Src2) return (extras & kMoreDst) != 0 ? role : std::nullopt;
  if (*role >= Role::Src2 && *role < Role::Data3) return (extras & kMoreSrc) != 0 ? role : std::nullopt;
  if (*role == Role::Data2 || *role >= Role::Data3) return (extras & kMoreData) != 0 ? role : std::nullopt;
  return std::nullopt;
}

/// The data operand after the last one, for a line that repeats `data` instead of counting.
Role next_data(const TraceLine& line) {
  unsigned n = 2;
  for (const OperandText& o : line.further) n += o.role == numbered(Role::Data, n) ? 1 : 0;
  return numbered(Role::Data, n);
}

void read_further(LineReader& reader, Role role, Value value, TraceLine& line) {
  const auto at = std::lower_bound(line.further.begin(), line.further.end(), role, [](const OperandText& o, Role r) { return o.role < r; });
  if (at != line.further.end() && at->role == role) return reader.repeated({name_of(role), {}});
  if (name_of(role).empty()) return reader.problem("more than " + std::to_string(kMostNumbered) + " operands 'data'");
  line.has_extras = true;
  read_operand(reader, role, value, *line.further.emplace(at));
}

void read_instruction(LineReader& reader, const simdjson::dom::object& object, std::size_t files, TraceLine& line) {
  Instruction& i = line.instruction;
  const Value name = object.at_key("op");
  std::string_view word;
  if (name.get(word) == simdjson::SUCCESS && !not_modelled(word).empty()) {
    return reader.problem("key 'op': \"" + std::string(word) + "\" " + std::string(not_modelled(word)));
  }
  if (!reader.word({"op", {}}, name, i.op, opcode_from, opcode_names)) return;
  i.engine = info(i.op).default_engine;
  const auto rules = info(i.op).operands;
  std::uint64_t seen = 0;
  for (const auto [text, value] : object) {
    const KeyPath key{text, {}};
    std::size_t rule = 0;
    while (rule < rules.size() && name_of(rules[rule].role) != text) ++rule;
    if (rule < rules.size()) {
      if (rules[rule].role == Role::Data && (info(i.op).extras & kMoreData) != 0 && (seen >> (kKeys.size() + rule) & 1U) != 0) {
        read_further(reader, next_data(line), value, line);
        continue;
      }
      if (!first_time(reader, seen, kKeys.size() + rule, key)) continue;
      read_operand(reader, rules[rule].role, value, line.operands[line.operand_count++]);
      continue;
    }
    const std::size_t index = position(kKeys, text);
    if (index < kKeys.size() && has_key(i.op, index)) {
      if (!first_time(reader, seen, index, key)) continue;
      if (static_cast<Key>(index) == Key::At) {
        read_place(reader, value, files, i.at);
      } else {
        read_attribute(reader, static_cast<Key>(index), value, line);
      }
    } else if (const auto role = further_role(i.op, text)) {
      read_further(reader, *role, value, line);
    } else {
      reader.unknown(key, instruction_keys(i.op));
    }
  }
}

void read_tile_key(LineReader& reader, std::size_t index, Value value, TraceLine& line) {
  const KeyPath key{kTileKeys[index], {}};
  TensorInfo& to = line.info;
  std::string_view name;
  switch (index) {
    case 0: reader.text(key, value, line.tile); break;
    case 1: reader.word(key, value, to.buffer, on_chip_from, on_chip_names); break;
    case 2: reader.integer(key, value, to.partitions, std::uint16_t{1}); break;
    case 3: reader.integer(key, value, to.bytes_per_partition, std::uint32_t{1}); break;
    case 4: reader.word(key, value, to.dtype, dtype_from, dtype_names); break;
    case 5: reader.integer(key, value, to.partition); break;
    case 6: reader.integer(key, value, to.address, std::int64_t{0}, std::int64_t{1} << 40); break;
    default:
      if (value.get(name) != simdjson::SUCCESS) reader.bad(key, value, "a text");
      to.name = name;
      break;
  }
}

void read_tile(LineReader& reader, const simdjson::dom::object& object, TraceLine& line) {
  std::uint64_t seen = 0;
  for (const auto [name, value] : object) {
    const std::size_t index = position(kTileKeys, name);
    if (index == kTileKeys.size()) {
      reader.unknown({name, {}}, {kTileKeys.begin(), kTileKeys.end()});
    } else if (first_time(reader, seen, index, {name, {}})) {
      read_tile_key(reader, index, value, line);
    }
  }
  const auto has = [&](std::string_view name) { return (seen >> position(kTileKeys, name) & 1U) != 0; };
  for (const std::string_view name : {"buffer", "partitions", "bytes"}) {
    if (!has(name)) reader.missing({name, {}}, "a tile needs it");
  }
  if (!has("name")) line.info.name = line.tile;
}

void read_release(LineReader& reader, const simdjson::dom::object& object, TraceLine& line) {
  for (const auto [name, value] : object) {
    if (name == "release") {
      reader.text({name, {}}, value, line.tile);
    } else {
      reader.unknown({name, {}}, {"release"});
    }
  }
  if (reader.good() && object.size() != 1) reader.repeated({"release", {}});
}

}  // namespace

struct TraceParser::Impl {
  Problems* problems;
  simdjson::dom::parser json;
  DType default_dtype = DType::Bf16;
  std::size_t files = 0;

  bool object(LineReader& reader, std::string_view text, simdjson::dom::object& to) {
    Value value;
    const auto error = json.parse(text.data(), text.size(), false).get(value);
    if (error != simdjson::SUCCESS) {
      reader.problem(std::string("not JSON: ") + simdjson::error_message(error));
      return false;
    }
    if (value.get(to) == simdjson::SUCCESS) return true;
    reader.problem("a line is one JSON object; found " + LineReader::shown(value));
    return false;
  }
};

TraceParser::TraceParser(Problems& problems) : impl_(std::make_unique<Impl>()) { impl_->problems = &problems; }
TraceParser::~TraceParser() = default;

bool TraceParser::header(std::string_view text, std::uint32_t number, TraceHeader& header) {
  LineReader reader(*impl_->problems, number);
  simdjson::dom::object object;
  if (impl_->object(reader, text, object)) read_header(reader, object, header);
  impl_->default_dtype = header.info.dtype;
  impl_->files = header.info.files.size();
  return reader.good();
}

bool TraceParser::line(std::string_view text, std::uint32_t number, TraceLine& line) {
  line.instruction = {};
  line.instruction.line = number;
  line.operand_count = 0;
  if (line.has_extras) {
    line.further.clear();
    line.extras = {};
    line.has_extras = false;
  }
  line.id = {};
  line.tile = {};
  LineReader reader(*impl_->problems, number);
  simdjson::dom::object object;
  if (!impl_->object(reader, text, object)) return false;
  bool op = false, tile = false, release = false;
  for (const auto [name, value] : object) {
    op = op || name == "op";
    tile = tile || name == "tile";
    release = release || name == "release";
    if (op) break;  // a tile key beside it is reported as unknown
  }
  if (op) {
    line.kind = Record::Kind::Instruction;
    read_instruction(reader, object, impl_->files, line);
  } else if (tile) {
    line.kind = Record::Kind::Tile;
    line.info = {};
    line.info.dtype = impl_->default_dtype;
    read_tile(reader, object, line);
  } else if (release) {
    line.kind = Record::Kind::Release;
    read_release(reader, object, line);
  } else {
    reader.problem("a line needs one of the keys op, tile, release");
  }
  return reader.good();
}

}  // namespace trnsim
