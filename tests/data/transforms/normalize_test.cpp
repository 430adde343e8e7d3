#include "spikenm/data/transforms/normalize.h"

#include "support/compare.h"
#include "support/expect_error.h"
#include "support/samples.h"

namespace spikenm::data {
namespace {

using test::all_close;
using test::numbered_sample;

TEST(Normalize, SubtractsTheMeanAndDividesByTheDeviationOfEachChannel) {
  const std::vector<double> mean = {0.4914, 0.4822, 0.4465}, std = {0.2023, 0.1994, 0.2010};
  for (const int64_t width : {1, 3, 4, 17}) {
    Sample sample = numbered_sample({2, 3, 2, width});
    std::vector<float> wanted;
    for (size_t i = 0; i < sample.values.size(); ++i) {
      const size_t c = i / static_cast<size_t>(sample.shape.plane()) % 3;
      wanted.push_back(static_cast<float>((sample.values[i] / 255.0 - mean[c]) / std[c]));
    }
    normalize(sample, mean, std);
    EXPECT_TRUE(all_close(sample.values, wanted, {.absolute = 1e-6}));
  }
}

TEST(Normalize, RefusesOtherNumbersOfChannels) {
  Sample sample = numbered_sample({1, 3, 2, 2});
  EXPECT_ERROR(normalize(sample, {0.5}, {0.5}), "found 1 means and 1 standard deviations",
               "wanted 3 of each");
  EXPECT_ERROR(normalize(sample, {0.5, 0.5, 0.5}, {}), "found 3 means and 0");
}

TEST(Normalize, RefusesADeviationOfZero) {
  Sample sample = numbered_sample({1, 1, 2, 2});
  EXPECT_ERROR(normalize(sample, {0.5}, {0.0}), "found a standard deviation of 0");
  EXPECT_ERROR(normalize(sample, {0.5}, {std::nan("")}), "wanted more than 0");
}

}  // namespace
}  // namespace spikenm::data
