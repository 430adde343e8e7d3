// The safetensors file format: an 8-byte little-endian header length, a JSON header, the raw bytes.
// The reader trusts nothing: every length, offset and product of a shape is checked before use, and
// a file that is cut, overlapping or padded is refused with one sentence. The writer adds a
// checksum of the header and one of every tensor. The reader checks them when they are there; a
// file without checksums is read too.
#pragma once

#include "spikenm/core/bytes.h"
#include "spikenm/core/input_file.h"
#include "spikenm/core/safetensors_layout.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm {

struct StoredTensor {
  std::string name;
  std::string dtype;  // "F32", "U8", …
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;  // row-major, little-endian
};

// A tensor to write. Its bytes belong to the caller.
struct TensorView {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  Bytes bytes;
};

struct SafetensorsFile {
  std::vector<StoredTensor> tensors;  // after reading: in the order of their bytes in the file
  Metadata metadata;                  // without the checksums

  // The tensor called `name`, or null.
  [[nodiscard]] const StoredTensor* find(std::string_view name) const;
};

// `source` names the bytes in messages.
SafetensorsFile decode_safetensors(std::string_view bytes, const std::string& source);

// An open file whose header has been checked against the file's size and its checksum. Its tensors
// are read when bytes() or read() is called.
class SafetensorsInput {
 public:
  explicit SafetensorsInput(const std::filesystem::path& path)
      : SafetensorsInput(InputFile(path)) {}
  explicit SafetensorsInput(InputFile file);

  // Tensors without their bytes.
  [[nodiscard]] const SafetensorsFile& header() const { return header_; }
  // Without checksums, damage to the file may not be noticed.
  [[nodiscard]] bool has_checksum() const { return has_checksum_; }

  // The bytes of a tensor of header(). An interrupt stops the reading. An Error names the tensor
  // when its checksum is wrong.
  [[nodiscard]] std::vector<uint8_t> bytes(const StoredTensor& tensor) const;
  // Like bytes(), but writes them into `out`, which must have the tensor's size.
  void read(const StoredTensor& tensor, std::span<uint8_t> out) const;

  // Reads every tensor and throws an Error when one is damaged. It needs memory for one piece only.
  // An interrupt does not stop it, because a file written on an interrupt is verified too.
  void verify() const;

 private:
  [[nodiscard]] const TensorEntry& entry(const StoredTensor& tensor) const;

  InputFile file_;
  SafetensorsFile header_;
  std::vector<TensorEntry> entries_;  // one per tensor in header_.tensors
  uint64_t data_ = 0;                 // where the tensors begin in the file
  bool has_checksum_ = false;
};

SafetensorsFile read_safetensors(const std::filesystem::path& path);

std::string encode_safetensors(const SafetensorsFile& file);

// Writes with an AtomicFile: readers see the old file or the whole new one. The tensors' bytes are
// not copied.
void write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                       const Metadata& metadata);
void write_safetensors(const std::filesystem::path& path, const SafetensorsFile& file);

}  // namespace spikenm
