// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace trnsim {

/// Exit codes of the command line (docs/commands.md).
enum class ExitCode : int {
  Done = 0,
  CheckFailed = 1,
  BadInput = 2,
  Fault = 3,
  Io = 4,
  Stopped = 5,
};

/// Base of every error that leaves the library; carries the exit code `main` will use.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Input that cannot be used. `what()` has one line per problem: place, value, what is allowed.
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(ExitCode::BadInput, message), problems_{message} {}
  explicit InputError(std::vector<std::string> problems);
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::vector<std::string> problems_;
};

class ConfigError : public InputError {  ///< A chip description or an override.
 public:
  using InputError::InputError;
};
class WorkloadError : public InputError {  ///< Kernel name, parameters or shapes.
 public:
  using InputError::InputError;
};
class ProgramError : public InputError {  ///< A trace line or an instruction the generation cannot run.
 public:
  using InputError::InputError;
};

/// No engine can proceed; `what()` names each waiting unit and what it waits for.
class DeadlockError : public Error {
 public:
  explicit DeadlockError(const std::string& message) : Error(ExitCode::Fault, message) {}
};

/// A fault of the simulator itself: an account that does not add up, a broken invariant.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& message) : Error(ExitCode::Fault, message) {}
};

/// A named file that cannot be read or written.
class IoError : public Error {
 public:
  explicit IoError(const std::string& message) : Error(ExitCode::Io, message) {}
};

}  // namespace trnsim
