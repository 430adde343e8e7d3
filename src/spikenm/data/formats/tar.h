// Tar archives: v7, ustar, GNU and pax.
#pragma once

#include "spikenm/core/bytes.h"

#include <string>
#include <string_view>
#include <vector>

namespace spikenm::data {

struct TarMember {
  std::string name;  // without a leading "./"
  Bytes content;     // points into the archive's bytes
};

// The regular files in the order of the archive; folders, links and devices are left out.
std::vector<TarMember> read_tar(Bytes tar, std::string_view source);

}  // namespace spikenm::data
