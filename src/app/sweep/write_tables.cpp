// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/write_tables.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "app/output.hpp"
#include "app/sweep/cells.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

/// A file that is written piece by piece and appears when it is whole.
class GrowingFile {
 public:
  explicit GrowingFile(const std::string& path) : path_(path), temporary_(path), file_(std::fopen(temporary_.name().c_str(), "wb")) {
    if (!file_) fail();
  }

  void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
  }

  void keep() {
    if (std::fflush(file_.get()) != 0) fail();
    if (std::fclose(file_.release()) != 0) fail();
    temporary_.keep();
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const { throw IoError(fmt::format("{}: cannot write: {}", path_, std::strerror(errno))); }

  std::string path_;
  TemporaryBeside temporary_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// What a person wants to see of a row.
std::vector<std::string> summary_columns(const std::vector<std::string>& axes) {
  std::vector<std::string> names = column_names(axes);
  names.resize(axes.size() + 3);  // point, axes, status, error
  for (const char* name : {"time_ns", "cycles", "tflops", "mfu", "energy_total_pj", "bottleneck"}) names.emplace_back(name);
  return names;
}

void write_csv(SweepStore& store, GrowingFile& file) {
  file.write(csv_line(column_names(store.info().axes)));
  store.for_each([&file](const StoredRow& stored) { file.write(csv_line(column_values(stored.row))); });
}

void write_json(SweepStore& store, GrowingFile& file) {
  const std::vector<std::string> names = column_names(store.info().axes);
  file.write(json_head(store.info().axes, sum(store.counts())));
  bool first = true;
  store.for_each([&](const StoredRow& stored) {
    file.write(first ? "\n" : ",\n");
    file.write(json_line(names, column_values(stored.row)));
    first = false;
  });
  file.write(kJsonTail);
}

void write_markdown(SweepStore& store, GrowingFile& file) {
  const std::vector<std::string> names = column_names(store.info().axes);
  const std::vector<std::size_t> chosen = chosen_columns(names, summary_columns(store.info().axes));
  file.write(markdown_head(picked(names, chosen)));
  store.for_each([&](const StoredRow& stored) { file.write(markdown_line(picked(column_values(stored.row), chosen))); });
}

}  // namespace

void write_table(SweepStore& store, TableFormat format, const std::string& path) {
  GrowingFile file(path);
  switch (format) {
    case TableFormat::Csv: write_csv(store, file); break;
    case TableFormat::JsonText: write_json(store, file); break;
    case TableFormat::Markdown: write_markdown(store, file); break;
  }
  file.keep();
}

}  // namespace trnsim::app
