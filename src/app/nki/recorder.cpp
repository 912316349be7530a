// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/nki/recorder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <ostream>
#include <utility>

#include "app/nki/child_process.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPackage = "trnsim_nki";
constexpr std::string_view kErrorMark = "trnsim_nki: ";  ///< Starts what the recorder stopped with.
constexpr std::size_t kLongestMessage = 1U << 16;
constexpr int kTooOld = 97, kNoNumpy = 98;

// The folder of the package takes the place of the working directory, which may hold anything, and that comes last. Nothing is left
// beside the kernel, and the process ends with ours.
constexpr const char* kStart = R"(
import sys
if sys.version_info < (3, 9):
    sys.exit(97)
sys.path[0] = sys.argv.pop(1)
sys.path.append("")
try:
    import numpy
except ImportError:
    sys.exit(98)
try:
    import ctypes, signal
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))
except (ImportError, AttributeError, OSError):
    pass
from trnsim_nki.__main__ import main
sys.dont_write_bytecode = True
sys.exit(main())
)";

bool holds_package(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kPackage / "__init__.py", ignored);
}

/// The program may lie deep in a build tree or in PREFIX/bin.
std::optional<fs::path> beside_program() {
  std::error_code failed;
  fs::path directory = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (; !failed && !directory.empty(); directory = directory.parent_path()) {
    for (const char* below : {"python", "share/trnsim/python"}) {
      if (holds_package(directory / below)) return directory / below;
    }
    if (directory == directory.parent_path()) break;
  }
  return std::nullopt;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Lines of the recorder's standard error: its own last words are kept, the rest is handed on.
class ErrorLines {
 public:
  explicit ErrorLines(std::ostream* notes) : notes_(notes) {}

  void add(std::string_view text) {
    rest_ += text;
    for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos; rest_.erase(0, end + 1)) line(rest_.substr(0, end));
  }
  std::string message() {
    if (!rest_.empty()) line(std::exchange(rest_, {}));
    return message_;
  }

 private:
  void line(const std::string& text) {
    if (text.starts_with(kErrorMark)) {
      message_ = text.substr(kErrorMark.size());
      stopping_ = true;
    } else if (stopping_ && message_.size() < kLongestMessage) {
      message_ += "\n" + text;
    } else if (notes_ != nullptr) {
      *notes_ << text << '\n' << std::flush;
    }
  }

  std::ostream* notes_;
  std::string rest_, message_;
  bool stopping_ = false;
};

constexpr const char* kWanted = "recording NKI kernels needs Python from 3.9 with numpy (package python3-numpy); TRNSIM_PYTHON names one";

std::vector<std::string> candidates() {
  if (const std::string chosen = variable("TRNSIM_PYTHON"); !chosen.empty()) return {chosen};
  return {"python3", "/usr/bin/python3"};
}

/// Runs the recorder with the first Python that can.
ChildEnd run_recorder(const std::vector<std::string>& arguments, const ChildHooks& hooks) {
  static std::string known;
  std::string problem;
  const std::string folder = python_directory();
  for (const std::string& python : known.empty() ? candidates() : std::vector{known}) {
    if (!is_program(python)) {
      if (problem.empty()) problem = fmt::format("{}: no such program", python);
      continue;
    }
    std::vector<std::string> command{python, "-c", kStart, folder};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const ChildEnd end = run_child(command, {"PYTHONHASHSEED=0"}, hooks);
    if (end.code != kTooOld && end.code != kNoNumpy) {
      known = python;
      return end;
    }
    problem = fmt::format("{} {}", python, end.code == kNoNumpy ? "has no numpy" : "is older than 3.9");
  }
  throw IoError(fmt::format("{}; {}", problem, kWanted));
}

[[noreturn]] void fail(const ChildEnd& end, std::string message) {
  if (end.stopped) throw Error(ExitCode::Stopped, "stopped early: interrupted while the kernel was recorded");
  if (end.signal != 0) throw Error(ExitCode::Fault, fmt::format("the recorder was ended by a signal: {}", ::strsignal(end.signal)));
  if (message.empty()) message = fmt::format("the recorder stopped with exit code {}", end.code);
  if (end.code == static_cast<int>(ExitCode::Io)) throw IoError(message);
  throw ProgramError(message);
}

}  // namespace

std::string python_directory() {
  if (const std::string chosen = variable("TRNSIM_PYTHONPATH"); !chosen.empty()) {
    if (holds_package(chosen)) return chosen;
    throw IoError(fmt::format("{}: no Python package {} there (TRNSIM_PYTHONPATH)", chosen, kPackage));
  }
  if (const auto found = beside_program()) return found->string();
  for (const char* built_in : {TRNSIM_SOURCE_PYTHON, TRNSIM_INSTALLED_PYTHON}) {
    if (holds_package(built_in)) return built_in;
  }
  throw IoError(fmt::format("{}: no Python package {} there; TRNSIM_PYTHONPATH names its folder", TRNSIM_INSTALLED_PYTHON, kPackage));
}

void record_kernel(const NkiCall& call, const std::string& target, const RecorderHooks& hooks) {
  // One word each, so that a value may start with a dash.
  std::vector<std::string> arguments{"record", "--output=-", "--target=" + target};
  for (const std::string& arg : call.args) arguments.push_back("--arg=" + arg);
  for (const std::string& choice : call.policy) arguments.push_back("--policy=" + choice);
  if (!call.grid.empty()) arguments.push_back("--grid=" + call.grid);
  if (hooks.lines) arguments.emplace_back("--lines");
  arguments.emplace_back("--");
  arguments.push_back(call.kernel);
  ErrorLines errors(hooks.notes);
  const ChildEnd end = run_recorder(arguments, {hooks.trace, [&errors](std::string_view text) { errors.add(text); }, hooks.stop});
  std::string message = errors.message();
  if (end.stopped || end.code != 0) fail(end, std::move(message));
}

bool list_census(const std::string& file, const RecorderHooks& hooks) {
  ErrorLines errors(hooks.notes);
  const ChildEnd end =
      run_recorder({"record", "--census=" + file}, {hooks.trace, [&errors](std::string_view text) { errors.add(text); }, hooks.stop});
  std::string message = errors.message();
  if (end.stopped || (end.code != 0 && end.code != static_cast<int>(ExitCode::CheckFailed))) fail(end, std::move(message));
  return end.code == 0;
}

}  // namespace trnsim::app
