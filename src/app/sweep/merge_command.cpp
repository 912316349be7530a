// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <deque>
#include <filesystem>

#include "app/command.hpp"
#include "app/sweep/folder.hpp"
#include "app/sweep/merge.hpp"
#include "app/sweep/summary.hpp"

namespace trnsim::app {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kRowsAtOnce = 1000;

Options merge_options() {
  Options options("merge", "DIR… -o DIR [OPTIONS]",
                  "Joins the shards of a sweep into one folder, equal to that of the sweep run in one piece.\n"
                  "Refused: shards of different sweeps, missing points, and two different rows for a point.");
  options.value("output,o", "DIR", "Folder for the results")
      .value("format", "LIST", "Tables to write: csv (always), json, markdown")
      .flag("force", "Replace results that are there")
      .flag("quiet,q", "No summary")
      .positional(1, 100'000, "folders of shards")
      .note("Exit codes: 0 done, 1 done and some points failed, 2 shards do not fit, 4 a file cannot be read or written.")
      .example("trnsim merge shards/1 shards/2 -o all");
  return options;
}

std::deque<SweepStore> open_parts(const Args& folders) {
  std::deque<SweepStore> stores;  // readers hold on to them
  for (const std::string& folder : folders) {
    stores.push_back(open_sweep(folder));
    const std::string what = difference(stores.front().info(), stores.back().info());
    if (!what.empty()) throw InputError(fmt::format("{} and {} are of different sweeps: {}", folders.front(), folder, what));
  }
  return stores;
}

std::vector<MergePart> parts_of(const Args& folders, std::deque<SweepStore>& stores) {
  std::vector<MergePart> parts;
  for (std::size_t i = 0; i < folders.size(); ++i) parts.push_back({folders[i], stores[i].info().shard, stores[i].reader()});
  return parts;
}

void check_output(const std::string& output, const Args& folders) {
  std::error_code error;
  for (const std::string& folder : folders) {
    if (fs::equivalent(output, folder, error)) throw UsageError(fmt::format("-o {}: is one of the shards; name another folder", output));
  }
}

void copy_rows(const Args& folders, std::deque<SweepStore>& stores, SweepStore& output) {
  const SweepInfo& info = output.info();
  std::vector<StoredRow> rows;
  merge_rows(parts_of(folders, stores), info.axes, info.points, [&](const StoredRow& row, std::size_t part) {
    rows.push_back(row);
    rows.back().config = stores[part].config(config_hash_of(row.row));
    if (rows.size() < kRowsAtOnce) return;
    output.add(rows);
    rows.clear();
  });
  output.add(rows);
}

}  // namespace

ExitCode merge_command(const Args& args, Console& console) {
  const Options spec = merge_options();
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  const std::string output = options.value("output");
  if (output.empty()) throw UsageError("merge needs -o DIR, the folder for the results; see trnsim merge --help");
  const std::vector<TableFormat> formats = parse_formats(options.value("format"));
  const Args& folders = options.positional;
  check_output(output, folders);

  std::deque<SweepStore> stores = open_parts(folders);
  SweepInfo info = stores.front().info();
  info.shard = {};
  // Everything is looked at before anything is written.
  merge_rows(parts_of(folders, stores), info.axes, info.points, [](const StoredRow&, std::size_t) {});
  ResultFolder folder(output, info, options.has("force") ? Existing::Replace : Existing::Refuse);
  try {
    copy_rows(folders, stores, folder.store());
    folder.finish(formats);
  } catch (...) {  // half a table is none
    folder.remove();
    throw;
  }
  return report_sweep(folder, options.has("quiet"), console);
}

}  // namespace trnsim::app
