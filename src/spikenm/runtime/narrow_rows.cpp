#include "spikenm/runtime/narrow_rows.h"

#include "spikenm/core/parallel.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace spikenm::runtime {
namespace {

using kernels::kSpikeBlock;

constexpr int64_t kLargest = 32'767, kAny = int64_t{1} << 40;

// How often each byte stands at each place of a row.
using Counts = std::array<std::array<int32_t, 256>, kSpikeBlock>;

// The weight that a byte stands for (kernels/spike_layer.h).
int weight_of(size_t place, int byte) {
  return place % 2 == 0 ? byte - 128 : static_cast<int8_t>(byte);
}

// The largest weights of one sign come first: no other rows have a larger sum.
int64_t rows_of_sign(const std::array<int64_t, 129>& count_of) {
  int64_t rows = 0, sum = 0;
  for (int64_t value = 128; value > 0; --value) {
    const int64_t count = count_of[static_cast<size_t>(value)];
    if (sum + count * value > kLargest) return rows + (kLargest - sum) / value;
    rows += count;
    sum += count * value;
  }
  return kAny;
}

int64_t rows_of_block(const uint8_t* data, int64_t rows, int64_t most_count) {
  Counts counts{};
  for (int64_t row = 0; row < rows; ++row, data += kSpikeBlock)
    for (size_t place = 0; place < kSpikeBlock; ++place) ++counts[place][data[place]];
  int64_t least = kAny;
  for (size_t place = 0; place < kSpikeBlock; ++place) {
    std::array<int64_t, 129> positive{}, negative{};
    for (int byte = 0; byte < 256; ++byte) {
      const int weight = weight_of(place, byte);
      (weight > 0 ? positive : negative)[static_cast<size_t>(std::abs(weight))] +=
          most_count * counts[place][static_cast<size_t>(byte)];
    }
    least = std::min({least, rows_of_sign(positive), rows_of_sign(negative)});
  }
  return least;
}

}  // namespace

int64_t count_narrow_rows(const kernels::LayerRows& rows, int64_t blocks, int64_t most_count) {
  std::vector<int64_t> found(static_cast<size_t>(blocks));
  const auto* const data = static_cast<const uint8_t*>(rows.data);
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block)
      found[static_cast<size_t>(block)] = rows_of_block(
          data + block * rows.block_rows() * kSpikeBlock, rows.block_rows(), most_count);
  });
  return std::ranges::min(found);
}

}  // namespace spikenm::runtime
