// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/slurm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/json.hpp"
#include "app/output.hpp"
#include "app/read_file.hpp"
#include "app/sweep/estimate.hpp"
#include "app/sweep/external.hpp"

namespace trnsim::app {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostTasks = 1000;  // Slurm's MaxArraySize is 1001 unless configured

std::string shell(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string in(const std::string& folder, const std::string& name) { return (fs::path(folder) / name).string(); }
std::string plan_file(const std::string& folder) { return in(folder, "slurm/plan.json"); }

Json read_plan(const std::string& folder) { return parse_json(read_file(plan_file(folder)), plan_file(folder)); }

std::string plan_text(const SlurmPlan& plan, const std::string& hash, const std::vector<std::string>& jobs) {
  const Json json{{"hash", hash}, {"tasks", plan.tasks}, {"jobs", jobs}};
  return json.dump(2) + "\n";
}

/// As many tasks as have enough to do, at most one per point.
std::size_t choose_tasks(const PointSource& source, const SweepOptions& options) {
  const PointCount count = count_points(source, {}, processor_count());
  const double seconds = static_cast<double>(count.simulations()) * measure_points(source, {}).mean / options.workers;
  const auto tasks = static_cast<std::size_t>(std::floor(seconds / kTaskSeconds));
  return std::clamp<std::size_t>(tasks, 1, std::min(kMostTasks, std::max<std::size_t>(count.points, 1)));
}

std::size_t number_of_tasks(const PointSource& source, const SweepOptions& options) {
  const std::size_t planned = options.existing == Existing::Resume ? planned_shards(options.folder) : 0;
  if (planned == 0) return options.tasks > 0 ? options.tasks : choose_tasks(source, options);
  if (options.tasks > 0 && options.tasks != planned) {
    throw UsageError(fmt::format("--tasks {}: {} was submitted as {} shards; --force starts anew", options.tasks, options.folder, planned));
  }
  if (read_plan(options.folder).value("hash", "") != source.hash) {
    throw InputError(options.folder + ": was submitted for another sweep; --force starts anew");
  }
  return planned;
}

SlurmPlan plan_of(const PointSource& source, const SweepOptions& options) {
  std::error_code error;
  SlurmPlan plan;
  plan.program = fs::read_symlink("/proc/self/exe", error).string();
  plan.file = options.file;
  plan.directory = fs::current_path().string();
  plan.folder = fs::absolute(options.folder).lexically_normal().string();
  plan.tasks = number_of_tasks(source, options);
  plan.workers = options.workers;
  plan.formats = options.format_list;
  return plan;
}

/// Takes away what an earlier submission made, but nothing else.
void remove_shards(const SlurmPlan& plan, const SweepInfo& info) {
  std::error_code error;
  for (std::size_t shard = 1; shard <= planned_shards(plan.folder); ++shard) {
    const std::string folder = shard_folder(plan.folder, shard);
    if (!fs::exists(folder, error)) continue;
    if (FolderLock::held(folder)) throw InputError(folder + ": a sweep is running in this folder; scancel its job first");
    fs::remove_all(folder, error);
  }
  if (fs::exists(database_file(plan.folder), error)) ResultFolder(plan.folder, info, Existing::Replace).remove();
  fs::remove_all(in(plan.folder, "slurm"), error);
}

void prepare_folder(const SlurmPlan& plan, const PointSource& source, Existing existing) {
  const bool submitted = planned_shards(plan.folder) > 0;
  if (existing == Existing::Replace) remove_shards(plan, info_of(source, {}));
  if (existing == Existing::Refuse && submitted) {
    throw InputError(plan.folder + ": was submitted already; --resume runs its unfinished shards again, --force starts anew");
  }
  check_folder(plan.folder, existing == Existing::Resume ? Existing::Resume : Existing::Refuse);
  std::error_code error;
  for (const char* name : {"slurm", "shards"}) {
    fs::create_directories(in(plan.folder, name), error);
    if (error) throw IoError(fmt::format("{}: cannot write: {}", in(plan.folder, name), error.message()));
  }
}

/// The number of the job that sbatch made.
std::string submit(std::vector<std::string> arguments, const SweepOptions& options, const std::string& script) {
  std::vector<std::string> command{"sbatch", "--parsable"};
  command.insert(command.end(), options.slurm_options.begin(), options.slurm_options.end());
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.push_back(script);
  const ExternalResult result = run_external(command);
  if (!result.started) {
    throw IoError("sbatch: cannot run: " + result.error + "; --slurm needs Slurm on this machine, --slurm --dry-run prints the scripts");
  }
  if (result.code != 0) throw IoError("sbatch: refused: " + result.error);
  return result.out.substr(0, result.out.find_first_of(";\n"));  // "ID" or "ID;CLUSTER"
}

}  // namespace

std::string shard_folder(const std::string& folder, std::size_t shard) { return in(folder, "shards/" + std::to_string(shard)); }

std::size_t planned_shards(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(plan_file(folder), error)) return 0;
  const Json plan = read_plan(folder);
  if (!plan.is_object() || !plan.contains("tasks") || !plan["tasks"].is_number_unsigned()) {
    throw InputError(plan_file(folder) + ": want a number of tasks");
  }
  return plan["tasks"].get<std::size_t>();
}

std::vector<std::size_t> unfinished_shards(const std::string& folder, std::size_t tasks) {
  std::vector<std::size_t> shards;
  for (std::size_t shard = 1; shard <= tasks; ++shard) {
    if (!is_complete(shard_folder(folder, shard))) shards.push_back(shard);
  }
  return shards;
}

std::string ranges(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += text.empty() ? "" : ",";
    text += last == i ? std::to_string(numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string array_script(const SlurmPlan& plan) {
  const std::string shards = shell(in(plan.folder, "shards"));
  return fmt::format(
      "#!/bin/sh\n"
      "#SBATCH --job-name=trnsim\n"
      "#SBATCH --output=\"{}/slurm/shard-%a.log\"\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --requeue\n"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --cpus-per-task={}\n"
      "cd {} || exit 4\n"
      "exec {} sweep {} -o {}/\"$SLURM_ARRAY_TASK_ID\" --shard \"$SLURM_ARRAY_TASK_ID/{}\" --resume -j {}\n",
      plan.folder, plan.workers, shell(plan.directory), shell(plan.program), shell(plan.file), shards, plan.tasks, plan.workers);
}

std::string merge_script(const SlurmPlan& plan) {
  const std::string formats = plan.formats.empty() ? "" : " --format " + shell(plan.formats);
  return fmt::format(
      "#!/bin/sh\n"
      "#SBATCH --job-name=trnsim-merge\n"
      "#SBATCH --output=\"{}/slurm/merge.log\"\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --ntasks=1\n"
      "cd {} || exit 4\n"
      "exec {} merge {}/* -o {} --force{}\n",
      plan.folder, shell(plan.directory), shell(plan.program), shell(in(plan.folder, "shards")), shell(plan.folder), formats);
}

ExitCode submit_sweep(const PointSource& source, const SweepOptions& options, Console& console) {
  const SlurmPlan plan = plan_of(source, options);
  if (options.dry_run) {
    console.out << array_script(plan) << '\n' << merge_script(plan);
    return ExitCode::Done;
  }
  if (options.existing == Existing::Resume && is_complete(plan.folder)) {
    console.out << "every shard is finished and merged: " << plan.folder << "/results.csv\n";
    return ExitCode::Done;
  }
  std::error_code error;
  const bool is_new = !fs::exists(plan.folder, error);
  prepare_folder(plan, source, options.existing);
  const std::string array = in(plan.folder, "slurm/array.sh"), merge = in(plan.folder, "slurm/merge.sh");
  write_file(array, array_script(plan), console);
  write_file(merge, merge_script(plan), console);
  write_file(plan_file(plan.folder), plan_text(plan, source.hash, {}), console);

  const std::vector<std::size_t> shards = unfinished_shards(plan.folder, plan.tasks);
  std::vector<std::string> jobs, after;
  if (!shards.empty()) {
    try {
      jobs.push_back(submit({"--array=" + ranges(shards)}, options, array));
    } catch (const Error&) {  // nothing will ever come into a folder that was made for it
      if (is_new) fs::remove_all(plan.folder, error);
      throw;
    }
    // Whatever its tasks end with: the merge itself says what is missing.
    after.push_back("--dependency=afterany:" + jobs.front());
    console.out << fmt::format("job {}: shards {} of {}\n", jobs.front(), ranges(shards), plan.tasks);
  }
  jobs.push_back(submit(after, options, merge));
  console.out << fmt::format("job {}: merge into {}\n", jobs.back(), plan.folder);
  write_file(plan_file(plan.folder), plan_text(plan, source.hash, jobs), console);
  return ExitCode::Done;
}

}  // namespace trnsim::app
