#include "spikenm/data/memory_cache.h"

#include "support/counted_dataset.h"
#include "support/expect_error.h"
#include "support/image_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

namespace spikenm::data {
namespace {

using test::CountedDataset;
using test::values_of;

TEST(MemoryCache, ReadsEverySampleOnce) {
  const auto dataset = std::make_shared<CountedDataset>(5, 3);
  const auto cached = with_memory_cache(dataset);
  EXPECT_EQ(dataset->reads(), 0);
  for (int round = 0; round < 3; ++round) {
    for (int64_t i = 0; i < 5; ++i)
      EXPECT_EQ(values_of(*cached, Part::kTrain, i), dataset->train[static_cast<size_t>(i)].values);
    for (int64_t i = 0; i < 3; ++i)
      EXPECT_EQ(values_of(*cached, Part::kTest, i), dataset->test[static_cast<size_t>(i)].values);
  }
  EXPECT_EQ(dataset->reads(), 8);
}

TEST(MemoryCache, DescribesTheDatasetBehindIt) {
  const auto dataset = std::make_shared<CountedDataset>(5, 3);
  dataset->source_files = {{.path = "some.file"}};
  dataset->raw = std::make_unique<test::ListedRecordings>();
  const auto cached = with_memory_cache(dataset);
  EXPECT_EQ(cached->info().name, "counted");
  EXPECT_EQ(cached->size(Part::kTrain), 5);
  EXPECT_EQ(cached->size(Part::kTest), 3);
  EXPECT_EQ(cached->label(Part::kTrain, 4), 1);
  EXPECT_EQ(cached->files().size(), 1u);
  EXPECT_EQ(cached->recordings(), dataset->raw.get());
  EXPECT_EQ(cached->cache_key(), dataset->key);
}

TEST(MemoryCache, BytesAreThoseOfTheDatasetBehindIt) {
  const auto images = test::random_images(3, 1, 2, 2);
  EXPECT_EQ(with_memory_cache(images)->bytes(Part::kTrain, 2), images->bytes(Part::kTrain, 2));
  const auto other = std::make_shared<CountedDataset>(5, 3);
  EXPECT_EQ(with_memory_cache(other)->bytes(Part::kTrain, 0), nullptr);
}

TEST(MemoryCache, KeepsValuesThatDoNotFitAByte) {
  const auto dataset = std::make_shared<CountedDataset>(1, 0, 1);
  dataset->train[0].values = {0.25f, -0.0f, 65536, -7, 1e30f, 255};
  const auto cached = with_memory_cache(dataset);
  values_of(*cached, Part::kTrain, 0);
  const std::vector<float> again = values_of(*cached, Part::kTrain, 0);
  EXPECT_EQ(again, dataset->train[0].values);
  EXPECT_TRUE(std::signbit(again[1]));
  EXPECT_EQ(dataset->reads(), 1);
}

TEST(MemoryCache, AFailedReadIsTriedAgain) {
  const auto dataset = std::make_shared<CountedDataset>(2, 0);
  dataset->train[1].error = "the disk is away";
  const auto cached = with_memory_cache(dataset);
  EXPECT_ERROR(values_of(*cached, Part::kTrain, 1), "the disk is away");
  dataset->train[1].error.clear();
  EXPECT_EQ(values_of(*cached, Part::kTrain, 1), dataset->train[1].values);
}

TEST(MemoryCache, ServesManyThreads) {
  const auto dataset = std::make_shared<CountedDataset>(50, 0);
  const auto cached = with_memory_cache(dataset);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t k = 0; k < 200; ++k) {
        const int64_t i = (k * (2 * t + 1)) % 50;
        if (values_of(*cached, Part::kTrain, i) != dataset->train[static_cast<size_t>(i)].values)
          ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace spikenm::data
