// HDF5 files for tests: some that others have written, and a writer of small ones.
#pragma once

#include "spikenm/core/file.h"
#include "spikenm/data/formats/inflate.h"
#include "support/containers.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace spikenm::test {

// Files that PyTables 3.11 and h5py 3.16 have written. Those with spikes in them hold 4 rows of 3,
// 0, 1 and 40 spikes: spike k of row i is at (k+1)/64 s, of unit (37k+100i) % 700; label i is
// 7i % 20.
inline std::string hdf5_written_by(const std::string& name) {
  const auto path =
      std::filesystem::path(SPIKENM_SOURCE_DIR) / "tests/data/formats/hdf5" / (name + ".h5.gz");
  return data::gunzip(as_bytes(read_file(path)), name, data::UnpackLimit{});
}

// Datatype messages: class and version, class bits, size, then the class's own fields.
inline std::string hdf5_integer(uint32_t size, bool is_signed) {
  return le<uint8_t>(0x10) + le<uint8_t>(is_signed ? 8 : 0) + le<uint16_t>(0) + le(size) +
         le<uint16_t>(0) + le(static_cast<uint16_t>(8 * size));
}
inline std::string hdf5_float64() {
  return le<uint8_t>(0x11) + le<uint8_t>(0x20) + le<uint16_t>(63) + le<uint32_t>(8) +
         le<uint16_t>(0) + le<uint16_t>(64) + std::string("\x34\x0b\0\x34", 4) + le<uint32_t>(1023);
}
inline std::string hdf5_rows_of(const std::string& type) {
  return le<uint8_t>(0x19) + std::string(3, '\0') + le<uint32_t>(16) + type;
}

template <class T>
std::string hdf5_data(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// Byte by byte as documented: superblock 2, "OHDR" headers, data in one piece, each row in a global
// heap of its own. Checksums stay 0.
class Hdf5Writer {
 public:
  // Each returns the address of the new object.
  uint64_t add_dataset(const std::string& type, uint64_t n, const std::string& elements) {
    const uint64_t data = append(elements);
    return append(header({{0x01, le<uint8_t>(2) + le<uint8_t>(1) + le<uint16_t>(0x0100) + le(n)},
                          {0x03, type},
                          {0x08, le<uint8_t>(3) + le<uint8_t>(1) + le(data) +
                                     le(static_cast<uint64_t>(elements.size()))}}));
  }

  template <class T>
  uint64_t add_rows(const std::string& type, const std::vector<std::vector<T>>& rows) {
    std::string records;
    for (const std::vector<T>& row : rows) {
      const std::string data = hdf5_data(row);
      const uint64_t size = 32 + (data.size() + 7) / 8 * 8;
      std::string heap = "GCOL" + le<uint32_t>(1) + le(size) + le<uint16_t>(1) + le<uint16_t>(1) +
                         le<uint32_t>(0) + le(static_cast<uint64_t>(data.size())) + data;
      heap.resize(size);
      records += le(static_cast<uint32_t>(row.size())) + le(append(heap)) + le<uint32_t>(1);
    }
    return add_dataset(hdf5_rows_of(type), rows.size(), records);
  }

  uint64_t add_group(const std::vector<std::pair<std::string, uint64_t>>& links) {
    std::vector<Message> messages;
    for (const auto& [name, address] : links)
      messages.push_back({0x06, le<uint8_t>(1) + le<uint8_t>(0) +
                                    le(static_cast<uint8_t>(name.size())) + name + le(address)});
    return append(header(messages));
  }

  // The whole file, with `root` as its root group.
  [[nodiscard]] std::string file(uint64_t root) const {
    return "\x89HDF\r\n\x1a\n" + le<uint8_t>(2) + le<uint8_t>(8) + le<uint8_t>(8) + le<uint8_t>(0) +
           le<uint64_t>(0) + le(UINT64_MAX) + le(static_cast<uint64_t>(kHead + body_.size())) +
           le(root) + le<uint32_t>(0) + body_;
  }

 private:
  static constexpr size_t kHead = 48;
  using Message = std::pair<uint8_t, std::string>;

  static std::string header(const std::vector<Message>& messages) {
    std::string body;
    for (const auto& [type, content] : messages)
      body += le(type) + le(static_cast<uint16_t>(content.size())) + le<uint8_t>(0) + content;
    return "OHDR" + le<uint8_t>(2) + le<uint8_t>(2) + le(static_cast<uint32_t>(body.size())) +
           body + le<uint32_t>(0);
  }

  uint64_t append(const std::string& bytes) {
    body_ += bytes;
    return kHead + body_.size() - bytes.size();
  }

  std::string body_;
};

}  // namespace spikenm::test
