#include "spikenm/core/safetensors_layout.h"

#include "spikenm/core/bytes.h"
#include "spikenm/core/crc32c.h"
#include "spikenm/core/error.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace spikenm {
namespace {

constexpr const char *kHeaderSum = "crc32c", *kTensorSums = "crc32c.tensors";
constexpr size_t kDigits = 8;

std::string hex(uint32_t sum) {
  return fmt::format("{:08x}", sum);
}

// Reads only what hex() writes. If capital letters were accepted, a flipped bit could go unnoticed.
std::optional<uint32_t> parse_hex(std::string_view text) {
  if (text.size() != kDigits || text.find_first_not_of("0123456789abcdef") != text.npos) return {};
  uint32_t sum = 0;
  std::from_chars(text.data(), text.data() + text.size(), sum, 16);
  return sum;
}

// The checksum of a list of texts and numbers. The length of each text is included, so two
// different lists never give the same bytes.
class ListSum {
 public:
  void add(uint64_t number) {
    sum_ = crc32c({reinterpret_cast<const uint8_t*>(&number), sizeof number}, sum_);
  }
  void add(std::string_view text) {
    add(text.size());
    sum_ = crc32c(as_bytes(text), sum_);
  }
  [[nodiscard]] uint32_t value() const { return sum_; }

 private:
  uint32_t sum_ = 0;
};

uint32_t header_sum(const std::vector<TensorEntry>& sorted, const Metadata& metadata) {
  ListSum sum;
  sum.add(sorted.size());
  for (const TensorEntry& entry : sorted) {
    sum.add(entry.name);
    sum.add(entry.dtype);
    sum.add(entry.shape.size());
    for (const int64_t size : entry.shape) sum.add(static_cast<uint64_t>(size));
  }
  for (const auto& [key, value] : metadata) {
    if (key == kHeaderSum) continue;
    sum.add(key);
    sum.add(value);
  }
  return sum.value();
}

void give_sums(std::vector<TensorEntry>& entries, std::string_view text,
               const std::string& source) {
  const size_t n = entries.size(), wanted = n == 0 ? 0 : n * (kDigits + 1) - 1;
  SPIKENM_CHECK(text.size() == wanted, "{}: header: found {} letters of checksums, wanted {}",
                source, text.size(), wanted);
  for (size_t i = 0; i < n; ++i) {
    const size_t at = i * (kDigits + 1);
    entries[i].sum = parse_hex(text.substr(at, kDigits));
    SPIKENM_CHECK(entries[i].sum.has_value() && (i == 0 || text[at - 1] == ' '),
                  "{}: header: the checksum of tensor {} is not {} hex digits", source, i + 1,
                  kDigits);
  }
}

}  // namespace

uint64_t element_size(std::string_view dtype) {
  if (dtype == "F64" || dtype == "I64" || dtype == "U64") return 8;
  if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 4;
  if (dtype == "F16" || dtype == "BF16" || dtype == "I16" || dtype == "U16") return 2;
  if (dtype == "I8" || dtype == "U8" || dtype == "BOOL") return 1;
  return 0;
}

bool byte_count(const std::vector<int64_t>& shape, uint64_t item, uint64_t& bytes) {
  bytes = item;
  for (const int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes))
      return false;
  }
  return true;
}

void sort_by_place(std::vector<TensorEntry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
}

void add_sums(const std::vector<TensorEntry>& sorted, Metadata& metadata) {
  SPIKENM_ASSERT(!metadata.contains(kHeaderSum) && !metadata.contains(kTensorSums));
  std::string& sums = metadata[kTensorSums];
  for (const TensorEntry& entry : sorted) {
    if (!sums.empty()) sums += ' ';
    sums += hex(entry.sum.value());
  }
  metadata[kHeaderSum] = hex(header_sum(sorted, metadata));
}

bool take_sums(std::vector<TensorEntry>& sorted, Metadata& metadata, const std::string& source) {
  const bool has_header_sum = metadata.contains(kHeaderSum);
  // When only one is there, the name of the other key is damaged.
  SPIKENM_CHECK(has_header_sum == metadata.contains(kTensorSums),
                "{}: header: found the checksum '{}' without '{}': the file is damaged", source,
                has_header_sum ? kHeaderSum : kTensorSums,
                has_header_sum ? kTensorSums : kHeaderSum);
  if (!has_header_sum) return false;
  const std::optional<uint32_t> wanted = parse_hex(metadata[kHeaderSum]);
  SPIKENM_CHECK(wanted.has_value(), "{}: header: its checksum is not {} hex digits", source,
                kDigits);
  const uint32_t found = header_sum(sorted, metadata);
  SPIKENM_CHECK(found == *wanted,
                "{}: header: found the checksum {}, wanted {}: the file is damaged", source,
                hex(found), hex(*wanted));
  give_sums(sorted, metadata[kTensorSums], source);
  metadata.erase(kHeaderSum);
  metadata.erase(kTensorSums);
  return true;
}

void check_sum(const TensorEntry& entry, uint32_t found, const std::string& source) {
  SPIKENM_CHECK(!entry.sum.has_value() || found == *entry.sum,
                "{}: tensor '{}': found the checksum {}, wanted {}: the file is damaged", source,
                entry.name, hex(found), hex(*entry.sum));
}

}  // namespace spikenm
