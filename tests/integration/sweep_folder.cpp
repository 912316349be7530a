// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "integration/sweep_folder.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

namespace trnsim {
namespace {

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells{""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

Background::Background(const std::vector<std::string>& args, const std::string& folder) : process_(::fork()) {
  if (process_ != 0) return;
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int descriptor = 0; descriptor < 3; ++descriptor) ::dup2(nowhere, descriptor);
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  std::vector<char*> argv{const_cast<char*>(TRNSIM_PROGRAM)};
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  ::execv(TRNSIM_PROGRAM, argv.data());
  ::_exit(127);
}

Background::~Background() {
  if (code_ < 0) {
    kill(SIGKILL);
    wait();
  }
}

void Background::kill(int signal) const { ::kill(process_, signal); }

int Background::wait() {
  while (running()) ::usleep(2'000);
  return code_;
}

bool Background::running() {
  int status = 0;
  if (code_ >= 0) return false;
  std::ifstream list("/proc/" + std::to_string(process_) + "/status");
  for (std::string line; std::getline(list, line);) {
    if (line.starts_with("VmHWM:")) peak_kib_ = std::max(peak_kib_, std::stol(line.substr(6)));
  }
  if (::wait4(process_, &status, WNOHANG, &used_) == process_) code_ = code_of(status);
  return code_ < 0;
}

double Background::own_cpu_seconds() {
  std::ifstream file("/proc/" + std::to_string(process_) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 2)));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

pid_t Background::some_worker(unsigned choice) const {
  const std::string pid = std::to_string(process_);
  std::ifstream list("/proc/" + pid + "/task/" + pid + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children.empty() ? 0 : children[choice % children.size()];
}

void SweepCli::write_sweep(const std::string& name, const std::vector<int>& m, int bandwidths, const std::string& more) const {
  std::string sizes, rates;
  for (const int value : m) sizes += (sizes.empty() ? "" : ", ") + std::to_string(value);
  for (int i = 0; i < bandwidths; ++i) rates += (i == 0 ? "" : ", ") + std::to_string(200 + 10 * i);
  write(name, R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", "kernel": "matmul", "params": {"m": 128, "n": 512, "k": 256}},
"axes": [{"path": "params.m", "values": [)" +
                  sizes + R"(]}, {"path": "set.hbm.stack_gb_per_s", "values": [)" + rates + "]}]" + (more.empty() ? "" : ", " + more) +
                  "}\n");
}

std::vector<std::string> SweepCli::query(const std::string& folder, const std::string& sql) const {
  sqlite3* database = nullptr;
  std::vector<std::string> lines;
  const std::string file = path(folder + "/results.sqlite");
  EXPECT_EQ(sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK) << file;
  sqlite3_busy_timeout(database, 10'000);
  const auto add = [](void* all, int count, char** values, char**) {
    std::string line;
    for (int i = 0; i < count; ++i) line += (i == 0 ? "" : "|") + std::string(values[i] == nullptr ? "" : values[i]);
    static_cast<std::vector<std::string>*>(all)->push_back(line);
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), add, &lines, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
  sqlite3_close(database);
  return lines;
}

std::map<std::int64_t, std::pair<double, std::string>> SweepCli::timings(const std::string& folder) const {
  std::map<std::int64_t, std::pair<double, std::string>> all;
  for (const std::string& line : query(folder, "SELECT point, ended, seconds FROM timings")) {
    std::istringstream in(line);
    std::string point, ended, seconds;
    std::getline(std::getline(std::getline(in, point, '|'), ended, '|'), seconds);
    all[std::stoll(point)] = {std::stod(seconds), ended};
  }
  return all;
}

std::vector<std::map<std::string, std::string>> SweepCli::rows(const std::string& csv) {
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = split(line);
  std::vector<std::map<std::string, std::string>> all;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split(line);
    EXPECT_EQ(cells.size(), names.size()) << line;
    auto& row = all.emplace_back();
    for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i) row[names[i]] = cells[i];
  }
  return all;
}

}  // namespace trnsim
