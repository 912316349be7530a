// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/compress.hpp"

#include <zlib.h>
#include <zstd.h>

#include <array>

#include "trnsim/error.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kBlock = 64 * 1024;

/// The part that gzip and zstd share: a block of text, handed on when full.
class BlockBuffer : public CompressingBuffer {
 public:
  explicit BlockBuffer(std::streambuf& out) : out_(&out) { setp(text_.data(), text_.data() + text_.size()); }

  bool finish() final {
    if (!finished_) good_ = compress(pending(), true) && good_;
    finished_ = true;
    return good_;
  }

 protected:
  virtual bool compress(std::string_view text, bool end) = 0;

  bool emit(std::size_t n) {
    return n == 0 || out_->sputn(packed_.data(), static_cast<std::streamsize>(n)) == static_cast<std::streamsize>(n);
  }
  std::array<char, kBlock>& packed() { return packed_; }

  int_type overflow(int_type c) final {
    good_ = compress(pending(), false) && good_;
    setp(text_.data(), text_.data() + text_.size());
    if (!good_) return traits_type::eof();
    return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c) : sputc(traits_type::to_char_type(c));
  }

 private:
  [[nodiscard]] std::string_view pending() const { return {pbase(), static_cast<std::size_t>(pptr() - pbase())}; }

  std::streambuf* out_;
  std::array<char, kBlock> text_{}, packed_{};
  bool good_ = true, finished_ = false;
};

class GzipBuffer : public BlockBuffer {
 public:
  explicit GzipBuffer(std::streambuf& out) : BlockBuffer(out) {
    constexpr int kGzipHeader = 16 + 15;
    if (deflateInit2(&z_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipHeader, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw InternalError("zlib cannot start a gzip stream");
    }
  }
  GzipBuffer(const GzipBuffer&) = delete;
  GzipBuffer& operator=(const GzipBuffer&) = delete;
  ~GzipBuffer() override { deflateEnd(&z_); }

 private:
  bool compress(std::string_view text, bool end) override {
    z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z_.avail_in = static_cast<uInt>(text.size());
    do {
      z_.next_out = reinterpret_cast<Bytef*>(packed().data());
      z_.avail_out = kBlock;
      if (deflate(&z_, end ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR) return false;
      if (!emit(kBlock - z_.avail_out)) return false;
    } while (z_.avail_out == 0);
    return true;
  }

  z_stream z_{};
};

class ZstdBuffer : public BlockBuffer {
 public:
  explicit ZstdBuffer(std::streambuf& out) : BlockBuffer(out), z_(ZSTD_createCCtx(), &ZSTD_freeCCtx) {
    if (!z_) throw InternalError("zstd cannot start a stream");
    ZSTD_CCtx_setParameter(z_.get(), ZSTD_c_checksumFlag, 1);
  }

 private:
  bool compress(std::string_view text, bool end) override {
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    for (;;) {
      ZSTD_outBuffer out{packed().data(), kBlock, 0};
      const std::size_t left = ZSTD_compressStream2(z_.get(), &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0 || !emit(out.pos)) return false;
      if (end ? left == 0 : in.pos == in.size) return true;
    }
  }

  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> z_;
};

}  // namespace

Compression compression_of_name(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::Gzip;
  return path.ends_with(".zst") ? Compression::Zstd : Compression::None;
}

Compression compression_of_magic(std::string_view start) {
  if (start.starts_with("\x1f\x8b")) return Compression::Gzip;
  return start.starts_with("\x28\xb5\x2f\xfd") ? Compression::Zstd : Compression::None;
}

std::unique_ptr<CompressingBuffer> CompressingBuffer::make(Compression compression, std::streambuf& out) {
  switch (compression) {
    case Compression::Gzip: return std::make_unique<GzipBuffer>(out);
    case Compression::Zstd: return std::make_unique<ZstdBuffer>(out);
    case Compression::None: break;
  }
  return nullptr;
}

}  // namespace trnsim
