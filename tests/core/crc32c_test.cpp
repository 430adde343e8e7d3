#include "spikenm/core/crc32c.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace spikenm {
namespace {

std::vector<uint8_t> counted(size_t n) {
  std::vector<uint8_t> bytes(n);
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  return bytes;
}

// The examples of RFC 3720, appendix B.4, and the sum by which CRCs are told apart.
TEST(Crc32c, GivesThePublishedSums) {
  EXPECT_EQ(crc32c({}), 0u);
  EXPECT_EQ(crc32c(as_bytes("123456789")), 0xE3069283u);
  EXPECT_EQ(crc32c(std::vector<uint8_t>(32, 0x00)), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::vector<uint8_t>(32, 0xFF)), 0x62A8AB43u);
  std::vector<uint8_t> bytes = counted(32);
  EXPECT_EQ(crc32c(bytes), 0x46DD794Eu);
  std::reverse(bytes.begin(), bytes.end());
  EXPECT_EQ(crc32c(bytes), 0x113FDB5Cu);
  const std::vector<uint8_t> read_command{
      0x01, 0xC0, 0, 0,    0, 0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0,
      0,    0,    0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0,    0};
  EXPECT_EQ(crc32c(read_command), 0xD9963A56u);
}

TEST(Crc32c, IsTheSameByTables) {
  const std::vector<uint8_t> bytes = counted(67);
  for (size_t n = 0; n <= bytes.size(); ++n) {
    const Bytes some = Bytes(bytes).first(n);
    EXPECT_EQ(crc32c_by_tables(some, 5), crc32c(some, 5)) << n;
  }
}

TEST(Crc32c, OfPiecesIsThatOfTheWhole) {
  const std::vector<uint8_t> bytes = counted(67);
  const Bytes whole(bytes);
  for (size_t cut = 0; cut <= whole.size(); ++cut)
    EXPECT_EQ(crc32c(whole.subspan(cut), crc32c(whole.first(cut))), crc32c(whole)) << cut;
}

TEST(Crc32c, DoesNotCareWhereTheBytesLie) {
  for (const size_t n : {0, 1, 7, 8, 9, 15, 16, 17, 63}) {
    const std::vector<uint8_t> bytes = counted(n);
    std::vector<uint8_t> room(n + 8);
    for (size_t at = 0; at < 8; ++at) {
      std::copy(bytes.begin(), bytes.end(), room.begin() + static_cast<ptrdiff_t>(at));
      EXPECT_EQ(crc32c(Bytes(room).subspan(at, n)), crc32c(bytes)) << n << " at " << at;
    }
  }
}

TEST(Crc32c, EveryFlippedBitShows) {
  std::vector<uint8_t> bytes = counted(40);
  const uint32_t good = crc32c(bytes);
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const auto flip = static_cast<uint8_t>(1U << bit % 8);
    bytes[bit / 8] ^= flip;
    EXPECT_NE(crc32c(bytes), good) << bit;
    bytes[bit / 8] ^= flip;
  }
}

}  // namespace
}  // namespace spikenm
