// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>
#include <streambuf>
#include <string>
#include <string_view>

namespace trnsim {

enum class Compression : std::uint8_t { None, Gzip, Zstd };

Compression compression_of_name(std::string_view path);    ///< By suffix: .gz, .zst.
Compression compression_of_magic(std::string_view start);  ///< By the first four bytes.

/// Compresses what is written to it into another buffer. `finish` ends the stream; the compressed
/// bytes depend on the text alone (no name, no time).
class CompressingBuffer : public std::streambuf {
 public:
  /// Throws nothing for None, which has no buffer: returns null.
  static std::unique_ptr<CompressingBuffer> make(Compression compression, std::streambuf& out);
  virtual bool finish() = 0;  ///< False if the target did not take everything.
};

}  // namespace trnsim
