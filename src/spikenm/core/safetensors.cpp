#include "spikenm/core/safetensors.h"

#include "spikenm/core/crc32c.h"
#include "spikenm/core/error.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/json_text.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace spikenm {
namespace {

constexpr uint64_t kPiece = 4 << 20;  // bytes read between two checks for an interrupt

// The list as whole numbers that fit int64_t; {-1} when an item has a sign or a fraction, or is
// larger.
std::vector<int64_t> whole_numbers(const Json& list) {
  std::vector<int64_t> result;
  for (const Json& item : list.get_ref<const Json::array_t&>()) {
    if (!item.is_number_unsigned() || item.get<uint64_t>() > INT64_MAX) return {-1};
    result.push_back(item.get<int64_t>());
  }
  return result;
}

TensorEntry read_entry(const std::string& name, const Json& json, const std::string& source) {
  TensorEntry entry{.name = name};
  try {
    entry.dtype = json.at("dtype").get<std::string>();
    entry.shape = whole_numbers(json.at("shape"));
    const std::vector<int64_t> offsets = whole_numbers(json.at("data_offsets"));
    SPIKENM_CHECK(offsets.size() == 2 && offsets[0] <= offsets[1],
                  "{}: tensor '{}': found bad data_offsets, wanted [begin, end]", source, name);
    entry.begin = static_cast<uint64_t>(offsets[0]);
    entry.end = static_cast<uint64_t>(offsets[1]);
  } catch (const Json::exception&) {
    fail("{}: tensor '{}': wanted dtype, shape and data_offsets in its header entry", source, name);
  }

  const uint64_t item = element_size(entry.dtype);
  SPIKENM_CHECK(item > 0, "{}: tensor '{}': found type '{}', which is not one of the format's",
                source, name, entry.dtype);
  uint64_t wanted = 0;
  SPIKENM_CHECK(byte_count(entry.shape, item, wanted) && wanted == entry.end - entry.begin,
                "{}: tensor '{}': its shape and its {} bytes do not agree", source, name,
                entry.end - entry.begin);
  return entry;
}

// The format asks for tensors that cover the data without gap or overlap.
void check_cover(const std::vector<TensorEntry>& sorted, uint64_t n_bytes,
                 const std::string& source) {
  uint64_t covered = 0;
  for (const TensorEntry& entry : sorted) {
    SPIKENM_CHECK(entry.begin == covered, "{}: tensor '{}' starts at byte {}, wanted {}", source,
                  entry.name, entry.begin, covered);
    covered = entry.end;
    SPIKENM_CHECK(covered <= n_bytes,
                  "{}: tensor '{}' ends at byte {} and the data has {}: cut file", source,
                  entry.name, covered, n_bytes);
  }
  SPIKENM_CHECK(covered == n_bytes, "{}: {} bytes follow the last tensor", source,
                n_bytes - covered);
}

// The header's length, stored at the beginning of the file. n_bytes: size of the whole file.
uint64_t header_length(Bytes begin, uint64_t n_bytes, const std::string& source) {
  SPIKENM_CHECK(n_bytes >= kLengthBytes, "{}: found {} bytes, too few for a safetensors file",
                source, n_bytes);
  uint64_t length = 0;
  std::memcpy(&length, begin.data(), kLengthBytes);
  SPIKENM_CHECK(
      length <= n_bytes - kLengthBytes,
      "{}: the header claims {} bytes and the file has {}: cut, or not a safetensors file", source,
      length, n_bytes - kLengthBytes);
  SPIKENM_CHECK(length <= kMostHeader,
                "{}: the header claims {} bytes, wanted at most {} (a fixed limit)", source, length,
                kMostHeader);
  return length;
}

struct Header {
  Metadata metadata;
  std::vector<TensorEntry> entries;  // in the order of their bytes in the file
  bool has_checksum = false;
};

// n_bytes: size of the data after the header.
Header read_header(std::string_view text, uint64_t n_bytes, const std::string& source) {
  const Json json = parse_json_object(text, source + ": header");
  Header header;
  for (const auto& [name, entry] : json.items()) {
    if (name == "__metadata__") {
      SPIKENM_CHECK(entry.is_object(), "{}: header: __metadata__ is not a JSON object", source);
      for (const auto& [key, value] : entry.items()) {
        SPIKENM_CHECK(value.is_string(), "{}: header: __metadata__ '{}' is not text", source, key);
        header.metadata[key] = value.get<std::string>();
      }
    } else {
      header.entries.push_back(read_entry(name, entry, source));
    }
  }
  sort_by_place(header.entries);
  check_cover(header.entries, n_bytes, source);
  header.has_checksum = take_sums(header.entries, header.metadata, source);
  return header;
}

StoredTensor without_bytes(const TensorEntry& entry) {
  return {.name = entry.name, .dtype = entry.dtype, .shape = entry.shape, .bytes = {}};
}

}  // namespace

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto it = std::find_if(tensors.begin(), tensors.end(),
                               [&](const StoredTensor& t) { return t.name == name; });
  return it == tensors.end() ? nullptr : &*it;
}

SafetensorsFile decode_safetensors(std::string_view bytes, const std::string& source) {
  const uint64_t length = header_length(as_bytes(bytes), bytes.size(), source);
  const Bytes data = as_bytes(bytes.substr(kLengthBytes + length));
  Header header = read_header(bytes.substr(kLengthBytes, length), data.size(), source);
  SafetensorsFile file{.tensors = {}, .metadata = std::move(header.metadata)};
  for (const TensorEntry& entry : header.entries) {
    const Bytes own = data.subspan(entry.begin, entry.end - entry.begin);
    check_sum(entry, crc32c(own), source);
    file.tensors.push_back(without_bytes(entry));
    file.tensors.back().bytes.assign(own.begin(), own.end());
  }
  return file;
}

SafetensorsInput::SafetensorsInput(InputFile file) : file_(std::move(file)) {
  const std::string source = file_.path().string();
  SPIKENM_CHECK(file_.size() <= kMostModel,
                "{}: found a file of {} bytes, wanted at most {} (a fixed limit)", source,
                file_.size(), kMostModel);

  std::vector<uint8_t> text(std::min<uint64_t>(file_.size(), kLengthBytes));
  file_.read(0, text);
  text.resize(header_length(text, file_.size(), source));
  file_.read(kLengthBytes, text);

  data_ = kLengthBytes + text.size();
  Header header = read_header(as_text(text), file_.size() - data_, source);
  header_.metadata = std::move(header.metadata);
  entries_ = std::move(header.entries);
  has_checksum_ = header.has_checksum;
  for (const TensorEntry& each : entries_) header_.tensors.push_back(without_bytes(each));
}

const TensorEntry& SafetensorsInput::entry(const StoredTensor& tensor) const {
  return entries_.at(static_cast<size_t>(&tensor - header_.tensors.data()));
}

std::vector<uint8_t> SafetensorsInput::bytes(const StoredTensor& tensor) const {
  std::vector<uint8_t> bytes(entry(tensor).end - entry(tensor).begin);
  read(tensor, bytes);
  return bytes;
}

void SafetensorsInput::read(const StoredTensor& tensor, std::span<uint8_t> out) const {
  const TensorEntry& from = entry(tensor);
  SPIKENM_ASSERT(out.size() == from.end - from.begin);
  uint32_t sum = 0;
  for (uint64_t done = 0; done < out.size(); done += kPiece) {
    throw_if_interrupted("while " + file_.path().string() + " was read");
    const std::span<uint8_t> piece = out.subspan(done, std::min(kPiece, out.size() - done));
    file_.read(data_ + from.begin + done, piece);
    if (from.sum) sum = crc32c(piece, sum);
  }
  check_sum(from, sum, file_.path().string());
}

void SafetensorsInput::verify() const {
  std::vector<uint8_t> piece;
  for (const TensorEntry& each : entries_) {
    uint32_t sum = 0;
    for (uint64_t at = each.begin; at < each.end; at += piece.size()) {
      piece.resize(std::min(kPiece, each.end - at));
      file_.read(data_ + at, piece);
      sum = crc32c(piece, sum);
    }
    check_sum(each, sum, file_.path().string());
  }
}

SafetensorsFile read_safetensors(const std::filesystem::path& path) {
  const SafetensorsInput input(path);
  SafetensorsFile file = input.header();
  for (size_t i = 0; i < file.tensors.size(); ++i)
    file.tensors[i].bytes = input.bytes(input.header().tensors[i]);
  return file;
}

}  // namespace spikenm
