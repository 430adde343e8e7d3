// The safetensors file format: an 8-byte little-endian header length, a JSON header, the raw bytes.
// The reader trusts nothing: every length, offset and product of a shape is checked before use, and
// a file that is cut, overlapping or padded is refused with one sentence.
#pragma once

#include "spikenm/core/input_file.h"

#include <cstdint>
#include <filesystem>
#include <map>
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

struct SafetensorsFile {
  std::vector<StoredTensor> tensors;
  std::map<std::string, std::string> metadata;

  // The tensor called `name`, or null.
  [[nodiscard]] const StoredTensor* find(std::string_view name) const;
};

std::string encode_safetensors(const SafetensorsFile& file);

// `source` names the bytes in messages.
SafetensorsFile decode_safetensors(std::string_view bytes, const std::string& source);

// An open file whose header has been checked against the file's size. Its tensors are read when
// bytes() is called.
class SafetensorsInput {
 public:
  explicit SafetensorsInput(const std::filesystem::path& path);

  // Tensors without their bytes.
  [[nodiscard]] const SafetensorsFile& header() const { return header_; }
  // The bytes of a tensor of header(). An interrupt stops the reading.
  [[nodiscard]] std::vector<uint8_t> bytes(const StoredTensor& tensor) const;

 private:
  struct Place {
    uint64_t begin, end;  // in the file
  };

  InputFile file_;
  SafetensorsFile header_;
  std::vector<Place> places_;  // one per tensor in header_.tensors
};

void write_safetensors(const std::filesystem::path& path, const SafetensorsFile& file);
SafetensorsFile read_safetensors(const std::filesystem::path& path);

}  // namespace spikenm
