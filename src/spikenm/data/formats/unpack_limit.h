// The size that a packed file may unpack to. Checked before memory is used: a few kilobytes can
// claim gigabytes, and deflate can make a thousand bytes from one.
#pragma once

#include "spikenm/core/error.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace spikenm::data {

struct UnpackLimit {
  static constexpr size_t kDefaultMb = 256;

  size_t bytes = kDefaultMb << 20;
  std::string lifted_by = "data.max_unpacked_mb";  // the key or option that changes the limit

  // The size that a file of `packed` bytes may unpack to. Real files grow several times; sixteen
  // times their own size is never refused, so the limit affects only small files.
  [[nodiscard]] size_t of(size_t packed) const { return std::max(bytes, 16 * packed); }
};

[[noreturn]] inline void refuse_unpacking(std::string_view source, size_t most,
                                          const UnpackLimit& limit) {
  const std::string shown =
      most % (1 << 20) == 0 ? fmt::format("{} MB", most >> 20) : fmt::format("{} bytes", most);
  fail("{}: would unpack to more than {}, the most that is allowed; {} lifts the limit", source,
       shown, limit.lifted_by);
}

}  // namespace spikenm::data
