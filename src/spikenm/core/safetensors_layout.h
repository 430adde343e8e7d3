// What the reader and the writer of safetensors files share: limits, the order of tensors, and the
// checksums. The checksums are stored as metadata, which other readers of the format ignore.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm {

constexpr size_t kLengthBytes = 8;          // of the number before the header: the header's length
constexpr uint64_t kMostHeader = 32 << 20;  // parsed, it takes about 25 times the memory
constexpr uint64_t kMostModel = uint64_t{4} << 30;

using Metadata = std::map<std::string, std::string>;

// What the header says of one tensor.
struct TensorEntry {
  std::string name, dtype;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;  // place of its bytes after the header
  std::optional<uint32_t> sum;  // checksum of its bytes
};

// Bytes of one value; 0 when the format does not know the type.
uint64_t element_size(std::string_view dtype);

// Bytes a tensor of this shape takes; false on overflow or a negative size.
bool byte_count(const std::vector<int64_t>& shape, uint64_t item, uint64_t& bytes);

// Sorts by the place of the bytes. Empty tensors may have the same place; they are sorted by name.
void sort_by_place(std::vector<TensorEntry>& entries);

// Adds the checksums to the metadata. "crc32c.tensors" holds one checksum per tensor, in the order
// of their bytes. "crc32c" covers names, types, shapes and all other metadata. It does not depend
// on how the JSON is laid out, so another program may rewrite the header with other blanks.
void add_sums(const std::vector<TensorEntry>& sorted, Metadata& metadata);

// Removes the checksums from the metadata and gives each tensor its own. Returns false when there
// are none. Throws an Error when the checksum of the header is wrong.
bool take_sums(std::vector<TensorEntry>& sorted, Metadata& metadata, const std::string& source);

// Throws an Error when the tensor has a checksum and `found` is another one.
void check_sum(const TensorEntry& entry, uint32_t found, const std::string& source);

}  // namespace spikenm
