// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <charconv>

#include "trnsim/dtype.hpp"
#include "trnsim/error.hpp"
#include "trnsim/layers.hpp"
#include "workload/topology_columns.hpp"
#include "workload/topology_text.hpp"

namespace trnsim {
namespace {

using topology::Column;
using topology::Columns;
using topology::Findings;
using topology::Row;

constexpr std::uint64_t kMaxExtent = std::uint64_t{1} << 24;  ///< Of a dimension, as of the matmul kernel.
constexpr std::uint64_t kMaxCount = 65536;                    ///< Of batch and groups.

/// Reads one row; what is wrong goes to the findings with line, column and text.
class RowReader {
 public:
  RowReader(const Columns& columns, const Row& row, Findings& findings) : columns_(columns), row_(row), findings_(findings) {}

  /// A whole number in plain digits. Nothing when it is wrong, or missing and needed.
  std::optional<std::uint64_t> number(Column column, std::uint64_t least, std::uint64_t most, std::optional<std::uint64_t> missing) {
    const std::string_view text = columns_.cell(row_, column);
    if (text.empty() && missing) return missing;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!text.empty() && error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most) return value;
    bad(column, fmt::format("want a whole number from {} to {}", least, most));
    return std::nullopt;
  }

  std::uint64_t extent(Column column) { return number(column, 1, kMaxExtent, std::nullopt).value_or(0); }
  std::uint64_t extent_or(Column column, std::uint64_t missing, std::uint64_t least = 1) {
    return number(column, least, kMaxExtent, missing).value_or(0);
  }
  std::uint64_t count(Column column) { return number(column, 1, kMaxCount, 1).value_or(0); }
  [[nodiscard]] std::string_view text(Column column) const { return columns_.cell(row_, column); }

  void bad(Column column, const std::string& wanted) {
    ok_ = false;
    const std::string& title = columns_.title[static_cast<std::size_t>(column)];
    const std::string_view found = columns_.cell(row_, column);
    findings_.problem(row_.line, fmt::format("column '{}' {}; {}", title.empty() ? topology::title_of(column) : title,
                                             found.empty() ? "is empty" : fmt::format("is '{}'", found), wanted));
  }
  void problem(const std::string& text) {
    ok_ = false;
    findings_.problem(row_.line, text);
  }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  const Columns& columns_;
  const Row& row_;
  Findings& findings_;
  bool ok_ = true;
};

std::uint64_t outputs(std::uint64_t input, std::uint64_t filter, const Convolution& c) {
  const std::uint64_t reach = c.dilation * (filter - 1) + 1, padded = input + 2 * c.pad;
  return reach > padded ? 0 : (padded - reach) / c.stride + 1;
}

void check_convolution(const Convolution& c, std::uint64_t groups, RowReader& reader) {
  if (c.channels % groups != 0 || c.filters % groups != 0) {
    reader.problem(fmt::format("{} groups do not divide {} channels and {} filters", groups, c.channels, c.filters));
  }
  if (c.out_height() == 0 || c.out_width() == 0) {
    reader.problem(fmt::format("a {} x {} filter does not fit a {} x {} input with pad {} and dilation {}", c.filter_height, c.filter_width,
                               c.height, c.width, c.pad, c.dilation));
  }
}

/// Products of more than 2^24 rows come from convolutions of valid sizes.
void check_lowered(const Layer& layer, RowReader& reader) {
  for (const auto& [name, extent] : {std::pair{"M", layer.m}, {"N", layer.n}, {"K", layer.k}}) {
    if (extent > kMaxExtent) reader.problem(fmt::format("{} = {} of the product is above {}", name, extent, kMaxExtent));
  }
}

void read_convolution(RowReader& reader, Layer& layer) {
  Convolution c;
  c.height = reader.extent(Column::IfmapHeight);
  c.width = reader.extent(Column::IfmapWidth);
  c.filter_height = reader.extent(Column::FilterHeight);
  c.filter_width = reader.extent(Column::FilterWidth);
  c.channels = reader.extent(Column::Channels);
  c.filters = reader.extent(Column::Filters);
  c.stride = reader.extent_or(Column::Stride, 1);
  c.pad = reader.extent_or(Column::Pad, 0, 0);
  c.dilation = reader.extent_or(Column::Dilation, 1);
  if (!reader.ok()) return;
  check_convolution(c, layer.groups, reader);
  if (!reader.ok()) return;
  layer.convolution = c;
  layer.m = c.out_height() * c.out_width();
  if (layer.m <= kMaxExtent) layer.m *= layer.batch;
  layer.n = c.filters / layer.groups;
  layer.k = c.filter_height * c.filter_width;
  if (layer.k <= kMaxExtent) layer.k *= c.channels / layer.groups;
  check_lowered(layer, reader);
}

void read_matmul(RowReader& reader, Layer& layer) {
  layer.m = reader.extent(Column::M) * layer.batch;
  layer.n = reader.extent(Column::N);
  layer.k = reader.extent(Column::K);
  if (!reader.ok()) return;
  check_lowered(layer, reader);
}

void read_words(RowReader& reader, Layer& layer) {
  layer.dtype = reader.text(Column::DType);
  if (!layer.dtype.empty()) {
    const auto dtype = dtype_from(layer.dtype);
    if (dtype) layer.dtype = name_of(*dtype);
    else reader.bad(Column::DType, "want a type such as bf16 or fp8_e4m3");
  }
  layer.sparsity = reader.text(Column::Sparsity);
  if (layer.sparsity.empty()) return;
  unsigned kept = 0, of = 0;
  const char* const end = layer.sparsity.data() + layer.sparsity.size();
  const auto first = std::from_chars(layer.sparsity.data(), end, kept);
  const bool pair = first.ec == std::errc{} && first.ptr != end && *first.ptr == ':';
  const auto second = pair ? std::from_chars(first.ptr + 1, end, of) : first;
  if (!pair || second.ec != std::errc{} || second.ptr != end || kept < 1 || kept > of) {
    reader.bad(Column::Sparsity, "want N:M with N from 1 to M, such as 2:4");
  }
}

bool any(const Columns& columns, const Row& row, std::initializer_list<Column> list) {
  for (const Column column : list) {
    if (!columns.cell(row, column).empty()) return true;
  }
  return false;
}

/// A list may have rows of both kinds; each row is of one.
bool is_convolution(const Columns& columns, const Row& row, RowReader& reader) {
  if (!columns.convolution() || !columns.matmul()) return columns.convolution();
  const bool matmul = any(columns, row, {Column::M, Column::N, Column::K});
  const bool convolution =
      any(columns, row,
          {Column::IfmapHeight, Column::IfmapWidth, Column::FilterHeight, Column::FilterWidth, Column::Channels, Column::Filters});
  if (matmul && convolution) reader.problem("has sizes of a matmul and of a convolution; want one of them");
  return convolution;
}

/// The only value of the row is its name.
bool is_heading(const Columns& columns, const Row& row) { return row.cells.size() == 1 && !columns.cell(row, Column::Name).empty(); }

void doubt_extra_cells(const Columns& columns, const Row& row, Findings& findings) {
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (row.cells[i].empty() || (i < columns.known.size() && columns.known[i])) continue;
    findings.doubt("extra", row.line, fmt::format("cell {} '{}' is in no named column and is ignored", i + 1, row.cells[i]));
    return;
  }
}

std::optional<Layer> layer_of(const Columns& columns, const Row& row, std::size_t index, Findings& findings) {
  RowReader reader(columns, row, findings);
  Layer layer;
  layer.line = row.line;
  layer.name = columns.cell(row, Column::Name);
  if (layer.name.empty()) layer.name = fmt::format("layer {}", index);
  layer.batch = reader.count(Column::Batch);
  layer.groups = reader.count(Column::Groups);
  read_words(reader, layer);
  if (is_convolution(columns, row, reader)) read_convolution(reader, layer);
  else read_matmul(reader, layer);
  doubt_extra_cells(columns, row, findings);
  if (!reader.ok()) return std::nullopt;
  return layer;
}

void add_remarks(const std::vector<Layer>& layers, Findings& findings) {
  std::size_t sparse = 0, lowered = 0;
  std::uint64_t before = 0, after = 0;
  for (const Layer& layer : layers) {
    sparse += !layer.sparsity.empty();
    if (layer.lowered_elements() == layer.input_elements() || !layer.convolution) continue;
    ++lowered;
    before += layer.input_elements();
    after += layer.lowered_elements();
  }
  const auto counted = [](std::size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  if (sparse > 0) findings.remark(fmt::format("the sparsity of {} is not modelled; simulated as dense", counted(sparse, "layer")));
  if (lowered > 0) {
    findings.remark(fmt::format("{} lowered to matmuls whose inputs are {:.2f} times the feature maps", counted(lowered, "convolution"),
                                static_cast<double>(after) / static_cast<double>(before)));
  }
}

}  // namespace

std::uint64_t Convolution::out_height() const { return outputs(height, filter_height, *this); }
std::uint64_t Convolution::out_width() const { return outputs(width, filter_width, *this); }

std::uint64_t Layer::input_elements() const {
  if (!convolution) return lowered_elements();
  return batch * convolution->height * convolution->width * convolution->channels;
}

LayerList parse_layers(std::string_view text, const std::string& file, bool strict) {
  Findings findings(file, strict);
  std::vector<Row> rows = topology::rows_of(text, findings);
  findings.check();
  const Columns columns = topology::take_columns(rows, findings);
  findings.check();
  LayerList list;
  std::size_t index = 0;
  for (const Row& row : rows) {
    if (is_heading(columns, row)) {
      findings.doubt("heading", row.line, fmt::format("'{}' has no sizes; taken as a heading, not as a layer", row.cells.front()));
      continue;
    }
    if (std::optional<Layer> layer = layer_of(columns, row, ++index, findings)) list.layers.push_back(std::move(*layer));
  }
  if (index == 0) findings.problem(0, "no layers: only a header");
  findings.check();
  add_remarks(list.layers, findings);
  list.warnings = findings.warnings();
  return list;
}

KernelParams layer_params(const Layer& layer, const KernelParams& common) {
  KernelParams params = common;
  for (const char* name : {"m", "n", "k", "batch"}) {
    if (common.contains(name)) throw WorkloadError(fmt::format("parameter {} belongs to the layers of a list, not to all of them", name));
  }
  params["m"] = std::to_string(layer.m);
  params["n"] = std::to_string(layer.n);
  params["k"] = std::to_string(layer.k);
  if (layer.groups > 1) params["batch"] = std::to_string(layer.groups);
  if (!layer.dtype.empty()) params["dtype"] = layer.dtype;
  return params;
}

}  // namespace trnsim
