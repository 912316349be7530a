// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <functional>
#include <string>

namespace trnsim::app {

/// While it lives, this process and those it forks record equal calls once: the traces lie in a temporary folder, which the first
/// recording makes and the end of this object removes. One at a time.
class Recordings {
 public:
  Recordings();
  ~Recordings();
  Recordings(const Recordings&) = delete;
  Recordings& operator=(const Recordings&) = delete;

  /// The one that lives; null if there is none.
  static const Recordings* now();

  /// An open file with what `record` wrote for this key, here or in another process.
  [[nodiscard]] int open(const std::string& key, const std::function<void(int descriptor)>& record) const;

 private:
  std::string folder_;
  int owner_;
};

}  // namespace trnsim::app
