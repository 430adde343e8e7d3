#include "spikenm/data/formats/inflate.h"

#include <zlib.h>

#include <algorithm>

namespace spikenm::data {
namespace {

constexpr int kRaw = -MAX_WBITS, kGzip = 16 + MAX_WBITS;

class Inflater {
 public:
  Inflater(int window_bits, Bytes bytes, std::string_view source) : bytes_(bytes), source_(source) {
    SPIKENM_CHECK(inflateInit2(&stream_, window_bits) == Z_OK, "{}: no memory to unpack it",
                  source_);
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  [[nodiscard]] Bytes rest() const { return bytes_.subspan(used_); }
  [[nodiscard]] size_t unpacked() const { return filled_; }
  void restart() { inflateReset(&stream_); }

  // Unpacks until the stream ends or unpacked() is `limit`.
  void run(size_t limit) {
    // Reserved space that is never written uses no memory, and growing inside it needs no copy.
    out_.reserve(std::min({limit, kMaxRatio * bytes_.size() + 4096, kMostReserved}));
    for (int status = Z_OK; status != Z_STREAM_END && filled_ < limit; status = step()) {
      if (filled_ == out_.size()) out_.resize(std::min(limit, larger_size()));
    }
  }

  std::string take() {
    out_.resize(filled_);
    return std::move(out_);
  }

 private:
  // zlib counts with 32 bits.
  static constexpr size_t kMostAtOnce = size_t{1} << 30;
  static constexpr size_t kMaxRatio = 1032;  // of deflate: 258 bytes from 2 bits
  static constexpr size_t kMostReserved = size_t{4} << 30;

  [[nodiscard]] size_t larger_size() const {
    const size_t first = std::max<size_t>(4096, 4 * std::min(bytes_.size(), kMostAtOnce));
    return filled_ + std::max(filled_, first);
  }

  int step() {
    auto* out = reinterpret_cast<uint8_t*>(out_.data());
    stream_.next_in = const_cast<uint8_t*>(bytes_.data()) + used_;
    stream_.avail_in = static_cast<uInt>(std::min(bytes_.size() - used_, kMostAtOnce));
    stream_.next_out = out + filled_;
    stream_.avail_out = static_cast<uInt>(std::min(out_.size() - filled_, kMostAtOnce));

    const int status = inflate(&stream_, Z_NO_FLUSH);
    used_ = static_cast<size_t>(stream_.next_in - bytes_.data());
    filled_ = static_cast<size_t>(stream_.next_out - out);

    SPIKENM_CHECK(status != Z_BUF_ERROR, "{}: cut short: the packed data ends after {} bytes",
                  source_, bytes_.size());
    SPIKENM_CHECK(status == Z_OK || status == Z_STREAM_END,
                  "{}: damaged: the packed data is wrong at byte {} ({})", source_, used_,
                  stream_.msg != nullptr ? stream_.msg : "no reason given");
    return status;
  }

  Bytes bytes_;
  std::string source_;
  z_stream stream_{};
  std::string out_;
  size_t used_ = 0, filled_ = 0;  // of bytes_, of out_
};

}  // namespace

bool is_gzip(Bytes bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

std::string gunzip(Bytes bytes, std::string_view source, const UnpackLimit& limit) {
  SPIKENM_CHECK(is_gzip(bytes), "{}: not a gzip file: it does not begin with 1f 8b", source);
  const size_t most = limit.of(bytes.size());
  Inflater inflater(kGzip, bytes, source);
  for (;;) {
    inflater.run(most + 1);
    if (inflater.unpacked() > most) refuse_unpacking(source, most, limit);
    const Bytes rest = inflater.rest();
    if (std::all_of(rest.begin(), rest.end(), [](uint8_t byte) { return byte == 0; }))
      return inflater.take();
    SPIKENM_CHECK(is_gzip(rest), "{}: {} bytes that are not gzip's follow the packed data", source,
                  rest.size());
    inflater.restart();
  }
}

std::string inflate_raw(Bytes bytes, size_t size, std::string_view source) {
  SPIKENM_CHECK(size < std::string().max_size(), "{}: claims {} bytes, more than memory holds",
                source, size);
  Inflater inflater(kRaw, bytes, source);
  inflater.run(size + 1);
  SPIKENM_CHECK(inflater.unpacked() >= size, "{}: unpacks to {} bytes, wanted {}", source,
                inflater.unpacked(), size);
  SPIKENM_CHECK(inflater.unpacked() == size, "{}: unpacks to more than the {} bytes wanted", source,
                size);
  SPIKENM_CHECK(inflater.rest().empty(), "{}: {} bytes follow the packed data", source,
                inflater.rest().size());
  return inflater.take();
}

}  // namespace spikenm::data
