// Writers of the container formats, byte by byte as documented, and the two ways every reader of
// them is tortured: a cut at each byte, and a flip of each bit.
#pragma once

#include "spikenm/core/bytes.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::test {

template <class T>
std::string le(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}
template <class T>
std::string be(T value) {
  std::string bytes = le(value);
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

// Bytes from another program, as the test shows them.
inline std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

// zlib's window bits say which wrapper: -15 none, 31 gzip.
inline std::string deflated(std::string_view content, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
inline std::string gzip_file(std::string_view content) {
  return deflated(content, 16 + 15);
}
inline std::string deflate_raw(std::string_view content) {
  return deflated(content, -15);
}

// A member as its headers will describe it; tests spoil what they like before writing.
struct ZipPart {
  std::string name, content;  // packed when `method` is 8
  uint16_t method = 0, flags = 0;
  uint32_t crc = 0, packed = 0, size = 0;
  std::string local_extra, extra;
};

inline ZipPart zip_part(const std::string& name, const std::string& content, bool pack = false) {
  ZipPart part{name, pack ? deflate_raw(content) : content};
  part.method = pack ? 8 : 0;
  part.crc = static_cast<uint32_t>(crc32_z(0, as_bytes(content).data(), content.size()));
  part.packed = static_cast<uint32_t>(part.content.size());
  part.size = static_cast<uint32_t>(content.size());
  return part;
}

// The fields that a local header and a directory entry share.
inline std::string zip_fields(const ZipPart& part, const std::string& extra) {
  return le<uint16_t>(45) + le(part.flags) + le(part.method) + le<uint32_t>(0) + le(part.crc) +
         le(part.packed) + le(part.size) + le(static_cast<uint16_t>(part.name.size())) +
         le(static_cast<uint16_t>(extra.size()));
}

inline std::string zip_file(const std::vector<ZipPart>& parts, const std::string& comment = "") {
  std::string archive, directory;
  for (const ZipPart& part : parts) {
    directory += "PK\1\2" + le<uint16_t>(45) + zip_fields(part, part.extra) + le<uint16_t>(0) +
                 le<uint16_t>(0) + le<uint16_t>(0) + le<uint32_t>(0) +
                 le(static_cast<uint32_t>(archive.size())) + part.name + part.extra;
    archive +=
        "PK\3\4" + zip_fields(part, part.local_extra) + part.name + part.local_extra + part.content;
  }
  const auto entries = static_cast<uint16_t>(parts.size());
  const std::string end = "PK\5\6" + le<uint32_t>(0) + le(entries) + le(entries) +
                          le(static_cast<uint32_t>(directory.size())) +
                          le(static_cast<uint32_t>(archive.size())) +
                          le(static_cast<uint16_t>(comment.size())) + comment;
  return archive + directory + end;
}

// `descr` and `shape` as Python writes them: "'<i2'", "(3, 4)".
inline std::string npy_file(const std::string& descr, const std::string& shape,
                            const std::string& data, bool fortran = false, int version = 1) {
  const std::string header = "{'descr': " + descr +
                             ", 'fortran_order': " + (fortran ? "True" : "False") +
                             ", 'shape': " + shape + ", }\n";
  return "\x93NUMPY" + le(static_cast<uint8_t>(version)) + le<uint8_t>(0) +
         (version == 1 ? le(static_cast<uint16_t>(header.size()))
                       : le(static_cast<uint32_t>(header.size()))) +
         header + data;
}

// The bytes in memory of exactly their size, so that the sanitizer sees one read too many.
inline std::vector<uint8_t> exactly(std::string_view bytes) {
  return {bytes.begin(), bytes.end()};
}

// True when `parse(Bytes)` accepts them, false when it throws Error; anything else fails the test.
template <class Parse>
bool parses(const Parse& parse, std::string_view bytes) {
  const std::vector<uint8_t> copy = exactly(bytes);
  try {
    parse(Bytes(copy));
    return true;
  } catch (const Error& e) {
    EXPECT_EQ(std::string_view(e.what()).find('\n'), std::string_view::npos) << e.what();
    return false;
  }
}

template <class Parse>
void expect_every_cut_refused(const Parse& parse, std::string_view whole) {
  ASSERT_TRUE(parses(parse, whole));
  for (size_t n_bytes = 0; n_bytes < whole.size(); ++n_bytes)
    EXPECT_FALSE(parses(parse, whole.substr(0, n_bytes))) << n_bytes << " of " << whole.size();
}

// Flips each bit in turn; returns how many of the mutants were refused.
template <class Parse>
int refused_flips(const Parse& parse, std::string_view whole) {
  int refused = 0;
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string mutant(whole);
    mutant[bit / 8] = static_cast<char>(mutant[bit / 8] ^ 1 << bit % 8);
    if (!parses(parse, mutant)) ++refused;
  }
  return refused;
}

}  // namespace spikenm::test
