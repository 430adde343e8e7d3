#include "spikenm/data/formats/npz.h"

#include "spikenm/core/text.h"
#include "spikenm/data/formats/member_name.h"

namespace spikenm::data {
namespace {

constexpr std::string_view kSuffix = ".npy";

std::string member_name(std::string_view key) {
  return fmt::format("{}{}", key, kSuffix);
}

}  // namespace

NpzReader::NpzReader(Bytes bytes, std::string_view source, UnpackLimit limit)
    : source_(source), zip_(bytes, source, std::move(limit)) {}

bool NpzReader::has(std::string_view key) const {
  return zip_.find(member_name(key)) != nullptr;
}

std::vector<std::string> NpzReader::keys() const {
  std::vector<std::string> keys;
  for (const ZipMember& member : zip_.members()) {
    const std::string_view name = member.name;
    if (name.ends_with(kSuffix)) keys.emplace_back(name.substr(0, name.size() - kSuffix.size()));
  }
  return keys;
}

NpzEntry NpzReader::read(std::string_view key) const {
  const ZipMember* member = zip_.find(member_name(key));
  SPIKENM_CHECK(member != nullptr, "{}: found arrays '{}', wanted '{}'", source_,
                excerpt(join(keys(), "', '")), key);
  NpzEntry entry;
  entry.bytes = std::make_shared<const std::string>(zip_.read(*member));
  entry.array =
      parse_npy(as_bytes(*entry.bytes), fmt::format("{}: {}", source_, excerpt(member->name)));
  return entry;
}

}  // namespace spikenm::data
