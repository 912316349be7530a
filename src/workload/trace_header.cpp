// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/trace_header.hpp"

#include "trnsim/version.hpp"

namespace trnsim {
namespace {

using Value = simdjson::dom::element;

constexpr std::array<std::string_view, 12> kHeaderKeys{key::kVersion, "tool",  "name",         "params",  "dtype", "double_row",
                                                       "macs",        "flops", "instructions", "tensors", "files", "order"};
constexpr std::array<std::string_view, 4> kTensorKeys{"name", "shape", "dtype", "use"};
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 60;

/// Whether the rest of the header can be read.
bool check_version(LineReader& reader, const simdjson::dom::object& object) {
  Value value;
  if (object.at_key(key::kVersion).get(value) != simdjson::SUCCESS) {
    reader.problem("not a trnsim trace: the first line is a header with the key '" + std::string(key::kVersion) + "'");
    return false;
  }
  std::string_view version, writer;
  if (value.get(version) != simdjson::SUCCESS) {
    reader.bad({key::kVersion, {}}, value, "a version such as \"1.0\"");
    return false;
  }
  std::string problem = format_problem(kTraceFormat, version);
  if (problem.empty()) return true;
  if (object.at_key("tool").get(writer) == simdjson::SUCCESS && !writer.empty()) problem += "; trnsim " + std::string(writer) + " wrote it";
  reader.problem(problem);
  return false;
}

void read_params(LineReader& reader, Value value, ProgramInfo& info) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return reader.bad({"params", {}}, value, "an object of names and values");
  for (const auto [name, item] : object) {
    std::string_view text;
    if (item.is_object() || item.is_array()) {
      reader.bad({"params", name}, item, "a text, a number, true, false");
    } else {
      info.params[std::string(name)] = item.get(text) == simdjson::SUCCESS ? std::string(text) : std::string(simdjson::minify(item));
    }
  }
}

void read_shape(LineReader& reader, Value value, TensorInfo& tensor) {
  constexpr std::string_view kAllowed = "a list of sizes from 1, less than 2^60 bytes together";
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS) return reader.bad({"tensors", "shape"}, value, kAllowed);
  std::uint64_t bytes = 4;
  for (const Value item : list) {
    std::uint64_t extent = 0;
    if (item.get(extent) != simdjson::SUCCESS || extent == 0 || extent > kMostBytes / bytes) {
      return reader.bad({"tensors", "shape"}, value, kAllowed);
    }
    bytes *= extent;
    tensor.shape.push_back(extent);
  }
}

void read_tensor(LineReader& reader, Value value, TensorInfo& tensor) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return reader.bad({"tensors", {}}, value, "a list of objects");
  bool has_name = false, has_shape = false;
  for (const auto [name, item] : object) {
    const KeyPath key{"tensors", name};
    std::string_view text;
    if (name == "name") {
      has_name = reader.text(key, item, text);
      tensor.name = text;
    } else if (name == "shape") {
      has_shape = true;
      read_shape(reader, item, tensor);
    } else if (name == "dtype") {
      reader.word(key, item, tensor.dtype, dtype_from, [] { return all_names<DType>(kDTypeCount); });
    } else if (name == "use") {
      reader.word(key, item, tensor.use, tensor_use_from, [] { return all_names<TensorUse>(3); });
    } else {
      reader.unknown(key, {kTensorKeys.begin(), kTensorKeys.end()});
    }
  }
  if (!has_name) reader.missing({"tensors", "name"}, "a tensor needs it");
  if (!has_shape) reader.missing({"tensors", "shape"}, "a tensor needs it");
}

void read_tensors(LineReader& reader, Value value, ProgramInfo& info) {
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS) return reader.bad({"tensors", {}}, value, "a list of objects");
  for (const Value item : list) {
    TensorInfo& tensor = info.tensors.emplace_back();
    tensor.buffer = Buffer::Hbm;
    tensor.dtype = info.dtype;
    read_tensor(reader, item, tensor);
  }
}

void read_files(LineReader& reader, Value value, ProgramInfo& info) {
  constexpr std::size_t kMost = 65535;
  constexpr std::string_view kAllowed = "a list of at most 65,535 file names";
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS || list.size() > kMost) return reader.bad({"files", {}}, value, kAllowed);
  for (const Value item : list) {
    std::string_view name;
    if (item.get(name) != simdjson::SUCCESS) return reader.bad({"files", {}}, value, kAllowed);
    info.files.emplace_back(name);
  }
}

void read_member(LineReader& reader, std::size_t index, Value value, TraceHeader& header) {
  ProgramInfo& info = header.info;
  const KeyPath key{kHeaderKeys[index], {}};
  std::string_view text;
  switch (index) {
    case 1: reader.text(key, value, text); break;
    case 2:
      if (value.get(text) != simdjson::SUCCESS) reader.bad(key, value, "a text");
      info.name = text;
      break;
    case 3: read_params(reader, value, info); break;
    case 4: header.has_dtype = reader.word(key, value, info.dtype, dtype_from, [] { return all_names<DType>(kDTypeCount); }); break;
    case 5: header.has_double_row = reader.boolean(key, value, info.double_row); break;
    case 6: header.has_macs = reader.integer(key, value, info.macs); break;
    case 7: header.has_flops = reader.integer(key, value, info.flops); break;
    case 8: reader.integer(key, value, info.instructions); break;
    case 10: read_files(reader, value, info); break;
    case 11: reader.word(key, value, info.order, issue_order_from, [] { return all_names<IssueOrder>(kIssueOrderCount); }); break;
    default: break;  // the version is known, tensors come last
  }
}

}  // namespace

void read_header(LineReader& reader, const simdjson::dom::object& object, TraceHeader& header) {
  if (!check_version(reader, object)) return;
  std::uint64_t seen = 0;
  for (const auto [name, value] : object) {
    std::size_t index = 0;
    while (index < kHeaderKeys.size() && kHeaderKeys[index] != name) ++index;
    if (index == kHeaderKeys.size()) {
      reader.unknown({name, {}}, {kHeaderKeys.begin(), kHeaderKeys.end()});
    } else if ((seen >> index & 1U) != 0) {
      reader.repeated({name, {}});
    } else {
      seen |= std::uint64_t{1} << index;
      read_member(reader, index, value, header);
    }
  }
  Value tensors;
  if (object.at_key("tensors").get(tensors) == simdjson::SUCCESS) read_tensors(reader, tensors, header.info);
}

}  // namespace trnsim
