#include "spikenm/core/event_records.h"

#include "spikenm/core/crc32c.h"

#include <array>
#include <bit>
#include <limits>
#include <optional>

namespace spikenm {
namespace {

// How the value of a field is stored.
enum class Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Field numbers of event.proto and summary.proto.
constexpr uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;
constexpr uint32_t kSummaryValue = 1;
constexpr uint32_t kTag = 1, kSimpleValue = 2, kImage = 4, kHisto = 5;
constexpr uint32_t kHeight = 1, kWidth = 2, kColorSpace = 3, kEncodedImage = 4;
constexpr uint64_t kRgb = 3;
constexpr uint32_t kMin = 1, kMax = 2, kNum = 3, kSum = 4, kSumSquares = 5, kBucketLimit = 6,
                   kBucket = 7;

constexpr size_t kHeader = 12, kFooter = 4;  // length and its checksum; the event's checksum

template <class T>
void put(std::string& out, T value) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  out.append(bytes.data(), bytes.size());
}

// Seven bits a byte, lowest first; the high bit says that more follow.
void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void put_key(std::string& out, uint32_t field, Wire wire) {
  put_varint(out, field << 3 | static_cast<uint32_t>(wire));
}

void put_bytes(std::string& out, uint32_t field, std::string_view bytes) {
  put_key(out, field, Wire::kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

void put_number(std::string& out, uint32_t field, uint64_t number) {
  put_key(out, field, Wire::kVarint);
  put_varint(out, number);
}

void put_double(std::string& out, uint32_t field, double value) {
  put_key(out, field, Wire::kFixed64);
  put(out, value);
}

void put_doubles(std::string& out, uint32_t field, const std::vector<double>& values) {
  std::string packed;
  for (const double value : values) put(packed, value);
  put_bytes(out, field, packed);
}

// The format rotates and shifts its checksums, because the CRC of data that contains its own CRC is
// useless.
uint32_t masked_checksum(Bytes bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xa282ead8U;
}

std::string framed(std::string_view event) {
  std::string record;
  put(record, uint64_t{event.size()});
  put(record, masked_checksum(as_bytes(record)));
  record += event;
  put(record, masked_checksum(as_bytes(event)));
  return record;
}

std::string begun_event(double wall_time) {
  std::string event;
  put_double(event, kWallTime, wall_time);
  return event;
}

// The record of one value of a summary. `fields`: what the value has besides its tag.
std::string summary_record(std::string_view tag, int64_t step, double wall_time,
                           std::string_view fields) {
  std::string value, summary, event = begun_event(wall_time);
  put_bytes(value, kTag, tag);
  value += fields;
  put_bytes(summary, kSummaryValue, value);
  put_number(event, kStep, static_cast<uint64_t>(step));
  put_bytes(event, kSummary, summary);
  return framed(event);
}

// Reads forward through a message, and never past its end.
class Message {
 public:
  explicit Message(Bytes bytes) : left_(bytes) {}
  [[nodiscard]] bool at_end() const { return left_.empty(); }

  std::optional<uint64_t> varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const uint8_t byte = left_[0];
      left_ = left_.subspan(1);
      value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  bool skip(uint64_t n) {
    if (n > left_.size()) return false;
    left_ = left_.subspan(n);
    return true;
  }

  bool skip_value(Wire wire) {
    switch (wire) {
      case Wire::kVarint:
        return varint().has_value();
      case Wire::kFixed64:
        return skip(8);
      case Wire::kFixed32:
        return skip(4);
      case Wire::kBytes:
        return skip(varint().value_or(std::numeric_limits<uint64_t>::max()));
    }
    return false;
  }

 private:
  Bytes left_;
};

// An event that cannot be read completely keeps the step found so far: its checksums are right, so
// another program wrote it.
EventRecord read_record(Bytes record) {
  EventRecord found{.bytes = record};
  Message event(record.subspan(kHeader, record.size() - kHeader - kFooter));
  while (!event.at_end()) {
    const std::optional<uint64_t> key = event.varint();
    if (!key) break;
    const uint64_t field = *key >> 3;
    const auto wire = static_cast<Wire>(*key & 7);
    if (field == kFileVersion) found.is_version = true;
    if (field == kStep && wire == Wire::kVarint) {
      found.step = static_cast<int64_t>(event.varint().value_or(0));
    } else if (!event.skip_value(wire)) {
      break;
    }
  }
  return found;
}

}  // namespace

std::string version_record(double wall_time) {
  std::string event = begun_event(wall_time);
  put_bytes(event, kFileVersion, "brain.Event:2");
  return framed(event);
}

std::string scalar_record(std::string_view tag, int64_t step, double wall_time, float value) {
  std::string scalar;
  put_key(scalar, kSimpleValue, Wire::kFixed32);
  put(scalar, value);
  return summary_record(tag, step, wall_time, scalar);
}

std::string picture_record(std::string_view tag, int64_t step, double wall_time,
                           const PackedPicture& picture) {
  std::string image, field;
  put_number(image, kHeight, static_cast<uint64_t>(picture.height));
  put_number(image, kWidth, static_cast<uint64_t>(picture.width));
  put_number(image, kColorSpace, kRgb);
  put_bytes(image, kEncodedImage, picture.png);
  put_bytes(field, kImage, image);
  return summary_record(tag, step, wall_time, field);
}

std::string histogram_record(std::string_view tag, int64_t step, double wall_time,
                             const Histogram& histogram) {
  std::string histo, field;
  put_double(histo, kMin, histogram.min);
  put_double(histo, kMax, histogram.max);
  put_double(histo, kNum, static_cast<double>(histogram.n));
  put_double(histo, kSum, histogram.sum);
  put_double(histo, kSumSquares, histogram.sum_squares);
  put_doubles(histo, kBucketLimit, histogram.limits);
  put_doubles(histo, kBucket, histogram.counts);
  put_bytes(field, kHisto, histo);
  return summary_record(tag, step, wall_time, field);
}

std::vector<EventRecord> whole_records(Bytes file) {
  std::vector<EventRecord> records;
  while (file.size() >= kHeader + kFooter) {
    const auto size = load_le<uint64_t>(file.data());
    if (load_le<uint32_t>(file.data() + 8) != masked_checksum(file.first(8))) break;
    if (size > file.size() - kHeader - kFooter) break;
    const Bytes event = file.subspan(kHeader, size);
    if (load_le<uint32_t>(event.data() + size) != masked_checksum(event)) break;
    records.push_back(read_record(file.first(kHeader + size + kFooter)));
    file = file.subspan(records.back().bytes.size());
  }
  return records;
}

}  // namespace spikenm
