#include "spikenm/core/crc32c.h"
#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/json.h"
#include "spikenm/core/safetensors.h"

#include <cstring>
#include <utility>

namespace spikenm {
namespace {

constexpr size_t kGather = 64 << 10;  // bytes of small tensors that are copied for one write

// All bytes of the file before the first tensor.
std::string encode_header(std::span<const TensorView> tensors, Metadata metadata) {
  std::vector<TensorEntry> entries;
  uint64_t offset = 0;
  for (const TensorView& t : tensors) {
    uint64_t bytes = 0;
    SPIKENM_ASSERT(byte_count(t.shape, element_size(t.dtype), bytes) && bytes == t.bytes.size());
    entries.push_back({t.name, t.dtype, t.shape, offset, offset + bytes, crc32c(t.bytes)});
    offset += bytes;
  }
  sort_by_place(entries);
  add_sums(entries, metadata);

  Json header = Json::object();
  auto& items = header.get_ref<Json::object_t&>();  // appended to: a lookup searches all
  items.emplace_back("__metadata__", std::move(metadata));
  for (const TensorEntry& e : entries)
    items.emplace_back(
        e.name, Json{{"dtype", e.dtype}, {"shape", e.shape}, {"data_offsets", {e.begin, e.end}}});

  std::string text = header.dump();
  // The header is padded, so that tensors start at a multiple of 8 bytes.
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  const uint64_t length = text.size();
  std::string out(kLengthBytes, '\0');
  std::memcpy(out.data(), &length, kLengthBytes);
  return out += text;
}

std::vector<TensorView> views_of(const SafetensorsFile& file) {
  std::vector<TensorView> views;
  for (const StoredTensor& t : file.tensors)
    views.push_back({.name = t.name, .dtype = t.dtype, .shape = t.shape, .bytes = t.bytes});
  return views;
}

// Refuses to write a file that the reader would refuse.
void check_limits(const std::filesystem::path& path, uint64_t header,
                  std::span<const TensorView> tensors) {
  uint64_t whole = header;
  for (const TensorView& t : tensors) whole += t.bytes.size();
  SPIKENM_CHECK(header <= kLengthBytes + kMostHeader && whole <= kMostModel,
                "{}: would have {} bytes, {} of them header; wanted at most {} and {} (fixed "
                "limits)",
                path.string(), whole, header, kMostModel, kMostHeader);
}

}  // namespace

std::string encode_safetensors(const SafetensorsFile& file) {
  std::string out = encode_header(views_of(file), file.metadata);
  for (const StoredTensor& t : file.tensors) out += as_text(t.bytes);
  return out;
}

void write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                       const Metadata& metadata) {
  std::string small = encode_header(tensors, metadata);
  check_limits(path, small.size(), tensors);

  AtomicFile file(path);  // the header and small tensors are gathered into one write
  for (const TensorView& t : tensors) {
    if (small.size() + t.bytes.size() <= kGather) {
      small += as_text(t.bytes);
      continue;
    }
    file.write(std::exchange(small, {}));
    file.write(as_text(t.bytes));
  }
  file.write(small);
  file.commit();
}

void write_safetensors(const std::filesystem::path& path, const SafetensorsFile& file) {
  write_safetensors(path, views_of(file), file.metadata);
}

}  // namespace spikenm
