// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "integration/cli.hpp"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace trnsim {
namespace fs = std::filesystem;
namespace {

void redirect(const std::string& file, int descriptor, int flags) {
  const int opened = ::open(file.c_str(), flags, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
}

[[noreturn]] void become(const std::vector<std::string>& args, const Surroundings& how, const fs::path& folder) {
  const fs::path streams = folder.parent_path();
  redirect(streams / "in", STDIN_FILENO, O_RDONLY);
  redirect(how.out_file.empty() ? (streams / "out").string() : how.out_file, STDOUT_FILENO, O_WRONLY | O_CREAT | O_TRUNC);
  redirect(streams / "err", STDERR_FILENO, O_WRONLY | O_CREAT | O_TRUNC);
  if (how.input_closed) ::close(STDIN_FILENO);
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  for (const auto& [name, value] : how.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (how.file_size > 0) {
    const rlimit limit{how.file_size, how.file_size};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (how.fixed_addresses) ::personality(ADDR_NO_RANDOMIZE);
  std::vector<char*> argv{const_cast<char*>(TRNSIM_PROGRAM)};
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  ::execv(TRNSIM_PROGRAM, argv.data());
  ::_exit(127);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

void Cli::SetUp() {
  std::string name = (fs::temp_directory_path() / "trnsim-cli-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  scratch_ = fs::path(name) / "work";
  fs::create_directories(scratch_);
}

void Cli::TearDown() { fs::remove_all(scratch_.parent_path()); }

Outcome Cli::trnsim(const std::vector<std::string>& args, const Surroundings& how) const {
  const fs::path streams = scratch_.parent_path();
  std::ofstream(streams / "in", std::ios::binary) << how.input;
  std::ofstream(streams / "out", std::ios::trunc).flush();
  const pid_t child = ::fork();
  if (child == 0) become(args, how, scratch_);
  if (how.interrupt_after_ms > 0) {
    ::usleep(static_cast<useconds_t>(how.interrupt_after_ms) * 1000);
    ::kill(child, SIGINT);
  }
  if (how.interrupt_at_files > 0) {
    for (int wait = 0; wait < 60'000 && files().size() < how.interrupt_at_files; ++wait) ::usleep(1000);
    ::kill(child, how.interrupt_with);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = text_of(streams / "out");
  outcome.err = text_of(streams / "err");
  return outcome;
}

void Cli::write(const std::string& name, const std::string& text) const { std::ofstream(scratch_ / name, std::ios::binary) << text; }

std::string Cli::read(const std::string& name) const { return text_of(scratch_ / name); }

std::vector<std::string> Cli::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(scratch_)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

nlohmann::ordered_json Cli::result(const std::string& text) {
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << text.substr(0, 200);
  if (json.is_object()) json.erase("run_info");
  return json;
}

std::size_t Cli::lines(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

void expect_refusal(const Outcome& outcome, int code) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const auto count = std::count(outcome.err.begin(), outcome.err.end(), '\n');
  EXPECT_GE(count, 1) << outcome.err;
  EXPECT_LE(count, 5) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("trnsim: ")) << outcome.err;
  EXPECT_EQ(outcome.err.find("internal error"), std::string::npos) << outcome.err;
}

std::vector<std::string> small_run(const std::vector<std::string>& more) {
  std::vector<std::string> args{"run", "--chip", "trn2", "--kernel", "matmul", "--param", "m=256,n=512,k=256"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

}  // namespace trnsim
