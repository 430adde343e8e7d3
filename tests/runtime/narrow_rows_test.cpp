#include "spikenm/runtime/narrow_rows.h"

#include "spikenm/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace spikenm::runtime {
namespace {

constexpr int64_t kBlock = kernels::kSpikeBlock;

// The weights of blocks as the kernels read them; weight(row, output) of all blocks.
struct Weights {
  std::vector<uint8_t> bytes;
  kernels::LayerRows rows;

  Weights(int64_t count, int64_t blocks, const std::function<int(int64_t, int64_t)>& weight) {
    rows.int8 = true;
    rows.rows = rows.part_rows = count;
    for (int64_t block = 0; block < blocks; ++block)
      for (int64_t row = 0; row <= count; ++row)
        for (int64_t i = 0; i < kBlock / 2; ++i) {
          const auto of = [&](int64_t lane) {
            return row < count ? weight(row, block * kBlock + lane)
                               : 0;  // behind them one of zeros
          };
          bytes.push_back(static_cast<uint8_t>(of(i) + 128));
          bytes.push_back(static_cast<uint8_t>(of(i + kBlock / 2)));
        }
    rows.data = bytes.data();
  }
};

TEST(NarrowRows, AreCountedByTheLargestWeights) {
  const Weights largest(1000, 2, [](int64_t, int64_t output) { return output == 90 ? -127 : 1; });
  EXPECT_EQ(count_narrow_rows(largest.rows, 2, 1), 32767 / 127);
  EXPECT_EQ(count_narrow_rows(largest.rows, 1, 1), int64_t{1} << 40);  // the first block alone
  const Weights mixed(1000, 1, [](int64_t row, int64_t) { return row < 200 ? 100 : 50; });
  EXPECT_EQ(count_narrow_rows(mixed.rows, 1, 1), 200 + (32767 - 20000) / 50);
}

TEST(NarrowRows, AnInputThatCountsTwiceAddsItsRowTwice) {
  const Weights mixed(1000, 1, [](int64_t row, int64_t) { return row < 100 ? 120 : 1; });
  EXPECT_EQ(count_narrow_rows(mixed.rows, 1, 1), int64_t{1} << 40);
  EXPECT_EQ(count_narrow_rows(mixed.rows, 1, 3), 32767 / 120);
}

// No choice of so many rows leaves 16 bits, and one of one more does.
TEST(NarrowRows, AreAsManyAsThereCanBe) {
  const RandomAddress random(5, 1);
  const Weights drawn(3000, 1, [&](int64_t row, int64_t output) {
    const double value = 40 * random.normal(static_cast<uint64_t>(row * kBlock + output));
    return static_cast<int>(std::clamp(value, -127.0, 127.0));
  });
  const int64_t found = count_narrow_rows(drawn.rows, 1, 1);
  EXPECT_GT(found, 256);
  ASSERT_LT(found, 3000);
  int64_t most = 0, more = 0;
  for (const int sign : {1, -1})
    for (int64_t output = 0; output < kBlock; ++output) {
      std::vector<int64_t> weights;
      for (int64_t row = 0; row < 3000; ++row) {
        const size_t at = static_cast<size_t>(row * kBlock + output % 32 * 2 + output / 32);
        weights.push_back(
            sign * (output < 32 ? drawn.bytes[at] - 128 : static_cast<int8_t>(drawn.bytes[at])));
      }
      std::sort(weights.rbegin(), weights.rend());
      most = std::max(most, std::accumulate(weights.begin(), weights.begin() + found, int64_t{0}));
      more =
          std::max(more, std::accumulate(weights.begin(), weights.begin() + found + 1, int64_t{0}));
    }
  EXPECT_LE(most, 32767);
  EXPECT_GT(more, 32767);
}

}  // namespace
}  // namespace spikenm::runtime
