// Unpacks LZ4 and zstd frames to bytes, one small frame after another.
#pragma once

#include "spikenm/core/bytes.h"
#include "spikenm/data/formats/unpack_limit.h"

#include <lz4frame.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace spikenm::data {

class Unpacker {
 public:
  enum class Method { kNone, kLz4, kZstd };

  // `limit` applies to each frame. `source` begins messages and must outlive the unpacker.
  Unpacker(Method method, std::string_view source, UnpackLimit limit = {})
      : method_(method), source_(source), limit_(std::move(limit)) {
    if (method == Method::kLz4) {
      LZ4F_dctx* made = nullptr;
      SPIKENM_CHECK(LZ4F_isError(LZ4F_createDecompressionContext(&made, LZ4F_VERSION)) == 0,
                    "{}: no memory to unpack LZ4", source);
      lz4_.reset(made);
    } else if (method == Method::kZstd) {
      zstd_.reset(ZSTD_createDCtx());
      SPIKENM_CHECK(zstd_ != nullptr, "{}: no memory to unpack zstd", source);
    }
  }

  // The content of one frame; valid until the next call.
  Bytes unpack(Bytes packed) {
    switch (method_) {
      case Method::kLz4:
        LZ4F_resetDecompressionContext(lz4_.get());
        return run(packed, [&](uint8_t* out, size_t& n_out, const uint8_t* in, size_t& n_in) {
          const size_t rest = LZ4F_decompress(lz4_.get(), out, &n_out, in, &n_in, nullptr);
          SPIKENM_CHECK(LZ4F_isError(rest) == 0, "{}: broken LZ4 frame: {}", source_,
                        LZ4F_getErrorName(rest));
          return rest == 0;
        });

      case Method::kZstd:
        ZSTD_DCtx_reset(zstd_.get(), ZSTD_reset_session_only);
        return run(packed, [&](uint8_t* out, size_t& n_out, const uint8_t* in, size_t& n_in) {
          ZSTD_outBuffer to{out, n_out, 0};
          ZSTD_inBuffer from{in, n_in, 0};
          const size_t rest = ZSTD_decompressStream(zstd_.get(), &to, &from);
          SPIKENM_CHECK(ZSTD_isError(rest) == 0, "{}: broken zstd frame: {}", source_,
                        ZSTD_getErrorName(rest));
          n_out = to.pos;
          n_in = from.pos;
          return rest == 0;
        });

      default:
        return packed;
    }
  }

 private:
  // `step` consumes and produces as much as it can, sets n_in and n_out to the amounts, and returns
  // true at the frame's end.
  template <class Step>
  Bytes run(Bytes packed, const Step& step) {
    allowance_ += kMaxRatio * packed.size();
    if (buffer_.empty()) buffer_.resize(1 << 16);
    size_t read = 0, written = 0;
    const size_t most = limit_.of(packed.size());

    for (;;) {
      SPIKENM_CHECK(written < allowance_,
                    "{}: a frame of {} bytes gives more than {}, which no events do", source_,
                    packed.size(), written);
      if (written == most) refuse_unpacking(source_, most, limit_);
      if (written == buffer_.size()) buffer_.resize(2 * written);
      size_t n_out = std::min({buffer_.size(), allowance_, most}) - written;
      size_t n_in = packed.size() - read;
      const bool done = step(buffer_.data() + written, n_out, packed.data() + read, n_in);
      read += n_in;
      written += n_out;
      if (done) break;
      SPIKENM_CHECK(n_in + n_out > 0, "{}: cut short: a packed frame has no end", source_);
    }
    allowance_ -= written;
    return Bytes(buffer_).first(written);
  }

  // LZ4 packs at most 255 to 1, and events far less. A file with a higher ratio was made to fill
  // the memory.
  static constexpr size_t kMaxRatio = 256;

  struct Free {
    void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  Method method_;
  std::string_view source_;
  UnpackLimit limit_;
  std::unique_ptr<LZ4F_dctx, Free> lz4_;
  std::unique_ptr<ZSTD_DCtx, Free> zstd_;
  std::vector<uint8_t> buffer_;
  size_t allowance_ = size_t{1} << 20;  // bytes that may still be unpacked
};

}  // namespace spikenm::data
