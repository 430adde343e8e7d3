#include "spikenm/core/safetensors.h"

#include "spikenm/core/bytes.h"
#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/json_text.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace spikenm {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");
constexpr uint64_t kMaxHeader = 32 << 20;  // parsed, it takes about 25 times the memory

constexpr uint64_t kMostModel = uint64_t{4} << 30;
constexpr size_t kLengthBytes = 8;

uint64_t element_size(std::string_view dtype) {
  if (dtype == "F64" || dtype == "I64" || dtype == "U64") return 8;
  if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 4;
  if (dtype == "F16" || dtype == "BF16" || dtype == "I16" || dtype == "U16") return 2;
  if (dtype == "I8" || dtype == "U8" || dtype == "BOOL") return 1;
  return 0;
}

// Bytes a tensor of this shape takes; false on overflow or a negative size.
bool byte_count(const std::vector<int64_t>& shape, uint64_t item, uint64_t& bytes) {
  bytes = item;
  for (const int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes))
      return false;
  }
  return true;
}

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

struct Span {
  StoredTensor tensor;
  uint64_t begin, end;
};

Span read_entry(const std::string& name, const Json& entry, const std::string& source) {
  Span span;
  span.tensor.name = name;
  try {
    span.tensor.dtype = entry.at("dtype").get<std::string>();
    span.tensor.shape = whole_numbers(entry.at("shape"));
    const std::vector<int64_t> offsets = whole_numbers(entry.at("data_offsets"));
    SPIKENM_CHECK(offsets.size() == 2 && offsets[0] <= offsets[1],
                  "{}: tensor '{}': found bad data_offsets, wanted [begin, end]", source, name);
    span.begin = static_cast<uint64_t>(offsets[0]);
    span.end = static_cast<uint64_t>(offsets[1]);
  } catch (const Json::exception&) {
    fail("{}: tensor '{}': wanted dtype, shape and data_offsets in its header entry", source, name);
  }

  const uint64_t item = element_size(span.tensor.dtype);
  SPIKENM_CHECK(item > 0, "{}: tensor '{}': found type '{}', which is not one of the format's",
                source, name, span.tensor.dtype);
  uint64_t wanted = 0;
  SPIKENM_CHECK(byte_count(span.tensor.shape, item, wanted) && wanted == span.end - span.begin,
                "{}: tensor '{}': its shape and its {} bytes do not agree", source, name,
                span.end - span.begin);
  return span;
}

// The format asks for tensors that cover the data without gap or overlap.
void check_cover(const std::vector<Span>& spans, uint64_t n_bytes, const std::string& source) {
  std::vector<const Span*> by_offset;
  for (const Span& span : spans) by_offset.push_back(&span);
  std::stable_sort(by_offset.begin(), by_offset.end(), [](const Span* a, const Span* b) {
    return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
  });

  uint64_t covered = 0;
  for (const Span* span : by_offset) {
    SPIKENM_CHECK(span->begin == covered, "{}: tensor '{}' starts at byte {}, wanted {}", source,
                  span->tensor.name, span->begin, covered);
    covered = span->end;
    SPIKENM_CHECK(covered <= n_bytes,
                  "{}: tensor '{}' ends at byte {} and the data has {}: cut file", source,
                  span->tensor.name, covered, n_bytes);
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
  SPIKENM_CHECK(length <= kMaxHeader,
                "{}: the header claims {} bytes, wanted at most {} (a fixed limit)", source, length,
                kMaxHeader);
  return length;
}

struct Header {
  std::map<std::string, std::string> metadata;
  std::vector<Span> spans;
};

// n_bytes: size of the data after the header.
Header read_header(std::string_view text, uint64_t n_bytes, const std::string& source) {
  const Json entries = parse_json_object(text, source + ": header");
  Header header;
  for (const auto& [name, entry] : entries.items()) {
    if (name == "__metadata__") {
      SPIKENM_CHECK(entry.is_object(), "{}: __metadata__ is not a JSON object", source);
      for (const auto& [key, value] : entry.items()) {
        SPIKENM_CHECK(value.is_string(), "{}: __metadata__ '{}' is not text", source, key);
        header.metadata[key] = value.get<std::string>();
      }
    } else {
      header.spans.push_back(read_entry(name, entry, source));
    }
  }
  check_cover(header.spans, n_bytes, source);
  return header;
}

}  // namespace

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto it = std::find_if(tensors.begin(), tensors.end(),
                               [&](const StoredTensor& t) { return t.name == name; });
  return it == tensors.end() ? nullptr : &*it;
}

std::string encode_safetensors(const SafetensorsFile& file) {
  Json header = Json::object();
  auto& entries = header.get_ref<Json::object_t&>();  // appended to: a lookup searches all
  if (!file.metadata.empty()) entries.emplace_back("__metadata__", file.metadata);

  uint64_t offset = 0;
  for (const StoredTensor& t : file.tensors) {
    uint64_t bytes = 0;
    SPIKENM_ASSERT(byte_count(t.shape, element_size(t.dtype), bytes) && bytes == t.bytes.size());
    entries.emplace_back(
        t.name,
        Json{{"dtype", t.dtype}, {"shape", t.shape}, {"data_offsets", {offset, offset + bytes}}});
    offset += bytes;
  }

  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // tensors start at a multiple of 8 bytes
  const uint64_t length = text.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  out += text;
  out.reserve(out.size() + offset);

  for (const StoredTensor& t : file.tensors) {
    out.append(reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size());
  }
  return out;
}

SafetensorsFile decode_safetensors(std::string_view bytes, const std::string& source) {
  const uint64_t length = header_length(as_bytes(bytes), bytes.size(), source);
  const std::string_view data = bytes.substr(kLengthBytes + length);
  Header header = read_header(bytes.substr(kLengthBytes, length), data.size(), source);
  SafetensorsFile file{.tensors = {}, .metadata = std::move(header.metadata)};
  for (Span& span : header.spans) {
    span.tensor.bytes.assign(data.begin() + static_cast<ptrdiff_t>(span.begin),
                             data.begin() + static_cast<ptrdiff_t>(span.end));
    file.tensors.push_back(std::move(span.tensor));
  }
  return file;
}

SafetensorsInput::SafetensorsInput(const std::filesystem::path& path) : file_(path) {
  const std::string source = path.string();
  SPIKENM_CHECK(file_.size() <= kMostModel,
                "{}: found a file of {} bytes, wanted at most {} (a fixed limit)", source,
                file_.size(), kMostModel);

  std::vector<uint8_t> text(std::min<uint64_t>(file_.size(), kLengthBytes));
  file_.read(0, text);
  text.resize(header_length(text, file_.size(), source));
  file_.read(kLengthBytes, text);

  const uint64_t begin = kLengthBytes + text.size();
  Header header = read_header(as_text(text), file_.size() - begin, source);
  header_.metadata = std::move(header.metadata);
  for (Span& span : header.spans) {
    header_.tensors.push_back(std::move(span.tensor));
    places_.push_back({begin + span.begin, begin + span.end});
  }
}

std::vector<uint8_t> SafetensorsInput::bytes(const StoredTensor& tensor) const {
  constexpr uint64_t kPiece = 4 << 20;
  const Place& place = places_[static_cast<size_t>(&tensor - header_.tensors.data())];
  std::vector<uint8_t> bytes(place.end - place.begin);
  for (uint64_t done = 0; done < bytes.size(); done += kPiece) {
    throw_if_interrupted("while " + file_.path().string() + " was read");
    const uint64_t n = std::min(kPiece, bytes.size() - done);
    file_.read(place.begin + done, std::span(bytes).subspan(done, n));
  }
  return bytes;
}

void write_safetensors(const std::filesystem::path& path, const SafetensorsFile& file) {
  write_file_atomically(path, encode_safetensors(file));
}

SafetensorsFile read_safetensors(const std::filesystem::path& path) {
  const SafetensorsInput input(path);
  SafetensorsFile file = input.header();
  for (size_t i = 0; i < file.tensors.size(); ++i)
    file.tensors[i].bytes = input.bytes(input.header().tensors[i]);
  return file;
}

}  // namespace spikenm
