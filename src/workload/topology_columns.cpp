// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/topology_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trnsim/nearest.hpp"

namespace trnsim::topology {
namespace {

struct Spelling {
  std::string_view word;  ///< Lower case, letters and digits only.
  Column column;
};

constexpr std::string_view kTitles[kColumnCount]{
    "Layer name", "M",       "N",     "K",      "IFMAP Height", "IFMAP Width", "Filter Height", "Filter Width", "Channels",
    "Num Filter", "Strides", "Batch", "Groups", "Pad",          "Dilation",    "Dtype",         "Sparsity"};

constexpr Spelling kSpellings[]{
    {"layername", Column::Name},
    {"layer", Column::Name},
    {"name", Column::Name},
    {"l", Column::Name},
    {"m", Column::M},
    {"n", Column::N},
    {"k", Column::K},
    {"ifmapheight", Column::IfmapHeight},
    {"ifmaph", Column::IfmapHeight},
    {"inputheight", Column::IfmapHeight},
    {"ifmapwidth", Column::IfmapWidth},
    {"ifmapw", Column::IfmapWidth},
    {"inputwidth", Column::IfmapWidth},
    {"filterheight", Column::FilterHeight},
    {"filterh", Column::FilterHeight},
    {"kernelheight", Column::FilterHeight},
    {"filterwidth", Column::FilterWidth},
    {"filterw", Column::FilterWidth},
    {"kernelwidth", Column::FilterWidth},
    {"channels", Column::Channels},
    {"channel", Column::Channels},
    {"inputchannels", Column::Channels},
    {"numfilter", Column::Filters},
    {"numfilters", Column::Filters},
    {"filters", Column::Filters},
    {"outputchannels", Column::Filters},
    {"strides", Column::Stride},
    {"stride", Column::Stride},
    {"batch", Column::Batch},
    {"batchsize", Column::Batch},
    {"groups", Column::Groups},
    {"group", Column::Groups},
    {"pad", Column::Pad},
    {"padding", Column::Pad},
    {"dilation", Column::Dilation},
    {"dtype", Column::DType},
    {"datatype", Column::DType},
    {"sparsity", Column::Sparsity},
};

constexpr Column kMatmulOrder[]{Column::Name, Column::M, Column::N, Column::K};
constexpr Column kConvolutionOrder[]{Column::Name,        Column::IfmapHeight, Column::IfmapWidth, Column::FilterHeight,
                                     Column::FilterWidth, Column::Channels,    Column::Filters,    Column::Stride};

/// Case, blanks and punctuation do not count.
std::string word_of(std::string_view title) {
  std::string word;
  for (const char c : title) {
    if (c >= 'A' && c <= 'Z') word += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) word += c;
  }
  return word;
}

std::optional<Column> column_named(std::string_view title) {
  const std::string word = word_of(title);
  for (const Spelling& spelling : kSpellings) {
    if (spelling.word == word) return spelling.column;
  }
  return std::nullopt;
}

bool starts_like_a_number(const std::string& cell) {
  const std::size_t first = cell.find_first_not_of("+-.");
  return first != std::string::npos && cell[first] >= '0' && cell[first] <= '9';
}

/// A row of names: no number in it, and more than a single word or a known one.
bool is_header(const Row& row) {
  if (std::any_of(row.cells.begin() + 1, row.cells.end(), starts_like_a_number)) return false;
  return std::any_of(row.cells.begin(), row.cells.end(), [](const std::string& cell) { return column_named(cell).has_value(); });
}

std::string_view nearest_title(std::string_view title) {
  return nearest_name(title, std::vector<std::string_view>(std::begin(kTitles), std::end(kTitles)));
}

void put(Columns& columns, Column column, std::size_t place, std::string_view title) {
  columns.place[static_cast<std::size_t>(column)] = place;
  columns.title[static_cast<std::size_t>(column)] = title;
  if (columns.known.size() <= place) columns.known.resize(place + 1);
  columns.known[place] = true;
}

/// Some published lists name both input sizes "IFMAP Width": the first of them is the height.
bool height_under_the_name_of_width(const std::vector<std::string>& titles, std::size_t second, const Columns& columns) {
  const bool any_height = std::any_of(titles.begin(), titles.end(), [](const auto& t) { return column_named(t) == Column::IfmapHeight; });
  return !any_height && columns.place[static_cast<std::size_t>(Column::IfmapWidth)] == second - 1;
}

void put_again(Columns& columns, Column column, const Row& header, std::size_t place, Findings& findings) {
  const std::string& title = header.cells[place];
  if (column == Column::IfmapWidth && height_under_the_name_of_width(header.cells, place, columns)) {
    findings.doubt("twice " + title, header.line,
                   fmt::format("column '{}' twice and no IFMAP Height; the first is taken as the height", title));
    put(columns, Column::IfmapHeight, place - 1, title);
    put(columns, Column::IfmapWidth, place, title);
    return;
  }
  findings.doubt("twice " + title, header.line, fmt::format("column '{}' twice; the first counts", title));
}

Columns named(const Row& header, Findings& findings) {
  Columns columns;
  columns.known.resize(header.cells.size());
  for (std::size_t place = 0; place < header.cells.size(); ++place) {
    const std::string& title = header.cells[place];
    if (title.empty()) continue;  // values in it are reported
    const std::optional<Column> column = column_named(title);
    if (!column) {
      const std::string_view near = nearest_title(title);
      findings.doubt("unknown " + title, header.line,
                     fmt::format("unknown column '{}' is ignored{}", title, near.empty() ? "" : fmt::format("; nearest: '{}'", near)));
      columns.known[place] = true;  // said once, not per row
    } else if (columns.has(*column)) {
      put_again(columns, *column, header, place, findings);
      columns.known[place] = true;
    } else {
      put(columns, *column, place, title);
    }
  }
  return columns;
}

Columns by_position(const Row& first, Findings& findings) {
  Columns columns;
  columns.named = false;
  const auto take = [&](const auto& order) {
    for (std::size_t i = 0; i < std::size(order); ++i) put(columns, order[i], i, title_of(order[i]));
  };
  const std::size_t values = first.cells.size();
  if (values == std::size(kMatmulOrder)) {
    take(kMatmulOrder);
    findings.doubt("no header", first.line, "no header; columns are taken by position: Layer, M, N, K");
  } else if (values == std::size(kConvolutionOrder)) {
    take(kConvolutionOrder);
    findings.doubt("no header", first.line,
                   "no header; columns are taken by position: Layer, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, "
                   "Num Filter, Strides");
  } else {
    findings.problem(first.line,
                     fmt::format("no header and {} cells; without a header want 4 (Layer, M, N, K) or 8 (a convolution)", values));
  }
  return columns;
}

/// Names the columns that would complete what is there.
void check_complete(const Columns& columns, std::uint64_t line, Findings& findings) {
  if (columns.matmul() || columns.convolution()) return;
  const bool convolution = columns.has(Column::IfmapHeight) || columns.has(Column::IfmapWidth) || columns.has(Column::Channels);
  std::string missing;
  const auto need = [&](Column column) {
    if (!columns.has(column)) missing += fmt::format("{}'{}'", missing.empty() ? "" : ", ", title_of(column));
  };
  if (convolution) {
    for (const Column column : kConvolutionOrder) {
      if (column != Column::Name && column != Column::Stride) need(column);
    }
  } else {
    for (const Column column : {Column::M, Column::N, Column::K}) need(column);
  }
  findings.problem(line, fmt::format("no column {}; want M, N, K, or the sizes of convolutions", missing));
}

}  // namespace

std::string_view title_of(Column column) { return kTitles[static_cast<std::size_t>(column)]; }

bool Columns::convolution() const {
  return has(Column::IfmapHeight) && has(Column::IfmapWidth) && has(Column::FilterHeight) && has(Column::FilterWidth) &&
         has(Column::Channels) && has(Column::Filters);
}

std::string_view Columns::cell(const Row& row, Column column) const {
  const auto at = place[static_cast<std::size_t>(column)];
  return at && *at < row.cells.size() ? std::string_view(row.cells[*at]) : std::string_view{};
}

Columns take_columns(std::vector<Row>& rows, Findings& findings) {
  if (rows.empty()) {
    findings.problem(0, "no layers: the file is empty");
    return {};
  }
  const Row first = rows.front();
  if (!is_header(first)) return by_position(first, findings);
  rows.erase(rows.begin());
  Columns columns = named(first, findings);
  check_complete(columns, first.line, findings);
  return columns;
}

}  // namespace trnsim::topology
