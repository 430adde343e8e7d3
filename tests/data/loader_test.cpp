#include "spikenm/data/loader.h"

#include "spikenm/core/parallel.h"
#include "support/expect_error.h"
#include "support/numbered_dataset.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace spikenm::data {
namespace {

using test::NumberedDataset;

constexpr int64_t kClasses = 5;

View view_of(const std::shared_ptr<const Dataset>& dataset) {
  return test_view(dataset);
}

std::shared_ptr<NumberedDataset> dataset_of(int64_t n, int64_t frames = 3) {
  return std::make_shared<NumberedDataset>(test::cyclic_labels(n, kClasses), kClasses, frames);
}

// The samples of an epoch by number, in the order they came.
std::vector<int> order_of(Loader& loader, int64_t epoch) {
  loader.start_epoch(epoch);
  std::vector<int> order;
  for (int64_t i = 0; i < loader.batches(); ++i) {
    const Batch batch = loader.batch(i);
    for (int64_t b = 0; b < batch.labels.size(0); ++b) {
      int64_t sample = 0;
      const auto first = static_cast<int>(batch.frames[0][b].flatten()[0].item<float>());
      while (NumberedDataset::value(sample, 0) != first) ++sample;
      EXPECT_EQ(batch.labels[b].item<int64_t>(), sample % kClasses);
      order.push_back(static_cast<int>(sample));
    }
  }
  return order;
}

std::vector<int> first_n(int n) {
  std::vector<int> all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(Loader, ABatchIsTimeByBatchByChannelsByHeightByWidth) {
  Loader loader(view_of(dataset_of(10)), 4, /*shuffle=*/false, 0);
  const Batch batch = loader.batch(1);
  ASSERT_EQ(batch.frames.sizes(), (std::vector<int64_t>{3, 4, 2, 1, 3}));
  ASSERT_EQ(batch.frames.scalar_type(), at::kFloat);
  const auto found = batch.frames.accessor<float, 5>();
  for (int64_t t = 0; t < 3; ++t)
    for (int64_t b = 0; b < 4; ++b)
      for (int64_t c = 0; c < 2; ++c)
        for (int64_t x = 0; x < 3; ++x)
          EXPECT_EQ(found[t][b][c][0][x], NumberedDataset::value(4 + b, (t * 2 + c) * 3 + x));
}

TEST(Loader, StaticImagesHaveNoTimeAxis) {
  Loader loader(view_of(dataset_of(4, 0)), 4, false, 0);
  EXPECT_EQ(loader.batch(0).frames.sizes(), (std::vector<int64_t>{4, 2, 1, 3}));
}

TEST(Loader, WithoutShuffleTheLastBatchMayBeSmaller) {
  Loader loader(view_of(dataset_of(10)), 4, false, 0);
  EXPECT_EQ(loader.batches(), 3);
  EXPECT_EQ(loader.batch(2).frames.size(1), 2);
  EXPECT_EQ(order_of(loader, 0), first_n(10));
  EXPECT_EQ(order_of(loader, 1), first_n(10));
}

TEST(Loader, WithShuffleAPartialBatchIsLeftOut) {
  Loader loader(view_of(dataset_of(10)), 4, true, 0);
  EXPECT_EQ(loader.batches(), 2);
  std::vector<int> order = order_of(loader, 0);
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order.size(), 8u);
  EXPECT_EQ(std::unique(order.begin(), order.end()), order.end());
}

TEST(Loader, AnEpochsOrderIsItsSeedAndItsNumber) {
  Loader a(view_of(dataset_of(60)), 10, true, 1), b(view_of(dataset_of(60)), 10, true, 1),
      other(view_of(dataset_of(60)), 10, true, 2);
  const std::vector<int> order = order_of(a, 3);
  EXPECT_NE(order, first_n(60));
  EXPECT_NE(order_of(a, 4), order);
  EXPECT_EQ(order_of(b, 3), order);  // without having seen other epochs
  EXPECT_NE(order_of(other, 3), order);
}

TEST(Loader, BatchesAreTheSameWithOneThreadAndWithTwo) {
  const int before = threads();
  std::vector<std::vector<int>> orders;
  for (const int n : {1, 2}) {
    set_threads(n);
    Loader loader(view_of(dataset_of(60)), 7, true, 1);
    orders.push_back(order_of(loader, 2));
  }
  set_threads(before);
  EXPECT_EQ(orders[0], orders[1]);
}

TEST(Loader, EverySampleIsReadOnce) {
  const auto dataset = dataset_of(20);
  Loader loader(view_of(dataset), 5, true, 1);
  EXPECT_EQ(dataset->reads(), 0);
  const std::vector<int> first = order_of(loader, 0);
  order_of(loader, 1);
  EXPECT_EQ(order_of(loader, 0), first);
  EXPECT_EQ(dataset->reads(), 20);
}

TEST(Loader, ABatchLargerThanTheSplitIsRefused) {
  EXPECT_ERROR(Loader(view_of(dataset_of(10)), 11, true, 0), "train.batch_size", "11", "10");
}

}  // namespace
}  // namespace spikenm::data
