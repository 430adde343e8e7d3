// Zip archives (and zip64), read by their central directory. Nothing in the archive is trusted:
// members are refused if they overlap, have unsafe names, repeat a name or claim more bytes than
// deflate can give.
#pragma once

#include "spikenm/core/bytes.h"
#include "spikenm/data/formats/unpack_limit.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::data {

struct ZipMember {
  std::string name;
  uint64_t packed = 0, size = 0;  // bytes in the archive, and unpacked
  uint32_t crc = 0;               // crc32 of the unpacked bytes
  uint16_t method = 0;            // 0: stored, 8: deflated
  uint16_t flags = 0;
  uint64_t begin = 0, end = 0;  // place of the local header, and of the next record
};

class ZipReader {
 public:
  // `bytes` must outlive the reader. `limit` applies to each member.
  ZipReader(Bytes bytes, std::string_view source, UnpackLimit limit = {});

  // Files in the order of the directory; folders are left out.
  [[nodiscard]] const std::vector<ZipMember>& members() const { return members_; }
  // The member of this name, or null.
  [[nodiscard]] const ZipMember* find(std::string_view name) const;
  // The member's content, checked by its crc32.
  [[nodiscard]] std::string read(const ZipMember& member) const;
  // A stored member in place, as a part of the archive's bytes, checked by its crc32; an Error when
  // it is packed.
  [[nodiscard]] Bytes view(const ZipMember& member) const;

 private:
  // The member's bytes in the archive, still packed.
  [[nodiscard]] Bytes content(const ZipMember& member) const;

  Bytes bytes_;
  std::string source_;
  UnpackLimit limit_;
  std::vector<ZipMember> members_;
  std::map<std::string, size_t, std::less<>> by_name_;
};

}  // namespace spikenm::data
