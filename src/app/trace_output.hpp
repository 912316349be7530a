// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace trnsim::app {

/// Writes a trace file with what `write` puts into a stream, packed as the name's suffix says; a device or pipe in place. A regular file
/// appears complete or stays as it was: an exception of `write` leaves nothing behind. IoError names `path`.
void write_trace_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace trnsim::app
