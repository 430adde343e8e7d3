#include "spikenm/data/loader.h"

#include "spikenm/core/parallel.h"
#include "support/counted_dataset.h"
#include "support/expect_error.h"
#include "support/image_set.h"
#include "support/numbered_dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>
#include <thread>

namespace spikenm::data {
namespace {

using test::CountedDataset;
using test::NumberedDataset;

constexpr int64_t kClasses = 5;

View view_of(int64_t n, int64_t frames = 3) {
  return test_view(
      std::make_shared<NumberedDataset>(test::cyclic_labels(n, kClasses), kClasses, frames));
}

std::vector<float> values_of(const Batch& batch) {
  return {batch.frames.get(), batch.frames.get() + batch.size() * batch.shape.size()};
}

// The samples of an epoch by number, in the order they came.
std::vector<int> order_of(Loader& loader, int64_t epoch) {
  loader.start_epoch(epoch);
  std::vector<int> order;
  for (int64_t i = 0; i < loader.batches(); ++i) {
    const Batch batch = loader.next();
    const int64_t frame = batch.shape.channels * batch.shape.plane();
    for (int64_t b = 0; b < batch.size(); ++b) {
      int64_t sample = 0;
      while (NumberedDataset::value(sample, 0) != batch.frames[b * frame]) ++sample;
      EXPECT_EQ(batch.labels[static_cast<size_t>(b)], sample % kClasses);
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

// All batches of an epoch, in order.
struct Epoch {
  std::vector<std::vector<float>> values;
  std::vector<std::vector<int64_t>> labels, partner_labels;
  std::vector<double> shares;
  bool operator==(const Epoch&) const = default;
};

Epoch epoch_of(Loader& loader, int64_t number) {
  loader.start_epoch(number);
  Epoch epoch;
  for (int64_t i = 0; i < loader.batches(); ++i) {
    const Batch batch = loader.next();
    epoch.values.push_back(values_of(batch));
    epoch.labels.push_back(batch.labels);
    epoch.partner_labels.push_back(batch.partner_labels);
    epoch.shares.push_back(batch.share);
  }
  return epoch;
}

Pipeline augmenting() {
  // Labels follow the mirror: 0 <-> 1, 2 <-> 3.
  const TransformContext context{.shape = {3, 2, 1, 3}, .mirrored = {1, 0, 3, 2, 4}};
  Pipeline pipeline{.mean = {0.5, 0.25}, .std = {0.5, 2}};
  pipeline.augment = std::make_shared<TransformChain>(
      std::vector<std::string>{"crop:1", "flip:label-swap"}, context, "data.augment");
  return pipeline;
}

TEST(Loader, ABatchIsTimeByBatchByChannelsByHeightByWidth) {
  Loader loader(view_of(10), {.batch_size = 4});
  static_cast<void>(loader.next());
  const Batch batch = loader.next();
  EXPECT_EQ(batch.shape, (SampleShape{3, 2, 1, 3}));
  EXPECT_TRUE(batch.has_time);
  EXPECT_EQ(batch.labels, (std::vector<int64_t>{4, 0, 1, 2}));
  EXPECT_TRUE(batch.partner_labels.empty());
  EXPECT_EQ(batch.share, 1);
  const float* found = batch.frames.get();
  for (int64_t t = 0; t < 3; ++t)
    for (int64_t b = 0; b < 4; ++b)
      for (int64_t k = 0; k < 6; ++k) EXPECT_EQ(*found++, NumberedDataset::value(4 + b, t * 6 + k));
}

TEST(Loader, AStaticImageIsOneFrameWithoutTime) {
  Loader loader(view_of(4, 0), {.batch_size = 4});
  const Batch batch = loader.next();
  EXPECT_FALSE(batch.has_time);
  EXPECT_EQ(batch.shape, (SampleShape{1, 2, 1, 3}));
}

TEST(Loader, WithoutShuffleTheLastBatchMayBeSmaller) {
  Loader loader(view_of(10), {.batch_size = 4});
  EXPECT_EQ(loader.batches(), 3);
  EXPECT_EQ(loader.samples(), 10);
  EXPECT_EQ(order_of(loader, 0), first_n(10));
  EXPECT_EQ(order_of(loader, 1), first_n(10));
}

TEST(Loader, WithShuffleAPartialBatchIsLeftOut) {
  Loader loader(view_of(10), {.batch_size = 4, .shuffle = true});
  EXPECT_EQ(loader.batches(), 2);
  const std::vector<int> order = order_of(loader, 0);
  EXPECT_EQ(order.size(), 8u);
  EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), 8u);
}

TEST(Loader, AnEpochsOrderIsItsSeedAndItsNumber) {
  const auto loader_with = [](uint64_t seed) {
    return LoaderOptions{.batch_size = 10, .shuffle = true, .seed = seed};
  };
  Loader a(view_of(60), loader_with(1)), b(view_of(60), loader_with(1)),
      other(view_of(60), loader_with(2));
  const std::vector<int> order = order_of(a, 3);
  EXPECT_NE(order, first_n(60));
  EXPECT_NE(order_of(a, 4), order);
  EXPECT_EQ(order_of(b, 3), order);  // without having seen other epochs
  EXPECT_NE(order_of(other, 3), order);
}

TEST(Loader, AnEpochIsTheSameWithAnyNumberOfWorkers) {
  for (const bool shuffle : {false, true}) {
    std::vector<Epoch> epochs;
    for (const int64_t workers : {0, 1, 3, 7}) {
      Loader loader(view_of(61), {.batch_size = 4,
                                  .shuffle = shuffle,
                                  .seed = 1,
                                  .workers = workers,
                                  .pipeline = augmenting()});
      epochs.push_back(epoch_of(loader, 2));
      EXPECT_EQ(epochs.back(), epochs.front()) << workers << " workers";
      EXPECT_FALSE(epoch_of(loader, 3) == epochs.front());
      EXPECT_EQ(epoch_of(loader, 2), epochs.front()) << "asked for again";
    }
  }
}

TEST(Loader, SamplesAreAugmentedThenNormalised) {
  Loader plain(view_of(20), {.batch_size = 20});
  Loader changed(view_of(20), {.batch_size = 20, .pipeline = augmenting()});
  const Batch before = plain.next(), after = changed.next();
  int flipped = 0;
  for (size_t b = 0; b < 20; ++b) {
    static constexpr int64_t kMirrored[] = {1, 0, 3, 2, 4};
    if (after.labels[b] == before.labels[b]) continue;
    EXPECT_EQ(after.labels[b], kMirrored[before.labels[b]]);
    ++flipped;
  }
  EXPECT_GT(flipped, 0);
  EXPECT_LT(flipped, 16);
  // Two of three crops of a picture one pixel high leave nothing but black, which then becomes
  // -mean/std: -1 in 9 of a sample's 18 values.
  const std::vector<float> values = values_of(after);
  EXPECT_GT(std::count(values.begin(), values.end(), -1.0f), 5 * 9);
  EXPECT_LT(std::count(values.begin(), values.end(), -1.0f), 20 * 9);
}

TEST(Loader, NormalisesEachChannelByItsOwnNumbers) {
  Loader loader(view_of(3), {.batch_size = 3, .pipeline = {.mean = {0.5, 0.25}, .std = {0.5, 2}}});
  const Batch batch = loader.next();
  for (int64_t t = 0; t < 3; ++t) {
    for (int64_t b = 0; b < 3; ++b) {
      for (int64_t k = 0; k < 6; ++k) {
        const double pixel = NumberedDataset::value(b, t * 6 + k) / 255.0;
        const double wanted = k < 3 ? (pixel - 0.5) / 0.5 : (pixel - 0.25) / 2;
        EXPECT_NEAR(batch.frames[(t * 3 + b) * 6 + k], wanted, 1e-6);
      }
    }
  }
}

TEST(Loader, MixesEveryBatchWithPartnersFromIt) {
  const int before = threads();
  set_threads(1);
  std::vector<Epoch> epochs;
  for (const int64_t workers : {0, 3}) {
    LoaderOptions options{.batch_size = 8, .shuffle = true, .seed = 3, .workers = workers};
    Loader plain(view_of(40), options);
    options.pipeline.mix.mixup_alpha = 1;
    Loader mixed(view_of(40), options);
    const Epoch own = epoch_of(plain, 1);
    epochs.push_back(epoch_of(mixed, 1));
    const Epoch& found = epochs.back();
    EXPECT_EQ(found.labels, own.labels);
    std::set<double> shares(found.shares.begin(), found.shares.end());
    EXPECT_EQ(shares.size(), 5u);  // every batch has its own
    for (size_t i = 0; i < found.values.size(); ++i) {
      ASSERT_EQ(found.partner_labels[i].size(), 8u);
      // A batch's sum does not change when every sample is once a partner.
      const auto sum = [](const std::vector<float>& v) {
        return std::accumulate(v.begin(), v.end(), 0.0);
      };
      EXPECT_NEAR(sum(found.values[i]), sum(own.values[i]), 1e-3 * sum(own.values[i]));
      EXPECT_NE(found.values[i], own.values[i]);
      std::vector<int64_t> labels = own.labels[i], partners = found.partner_labels[i];
      std::sort(labels.begin(), labels.end());
      std::sort(partners.begin(), partners.end());
      EXPECT_EQ(partners, labels);
    }
  }
  EXPECT_EQ(epochs[0], epochs[1]);
  set_threads(before);
}

TEST(Loader, ARawBatchIsTheBytesAndWhatIsToBeDone) {
  const auto dataset = test::random_images(10, 2, 3, 5);
  LoaderOptions options{.batch_size = 4,
                        .shuffle = true,
                        .seed = 9,
                        .pipeline = test::image_pipeline(
                            dataset->info(), {"crop:2", "flip:label-swap"}, {.cutmix_alpha = 1})};
  Loader finished(test_view(dataset), options);
  options.pipeline.raw = true;
  Loader raw(test_view(dataset), options);
  const Batch before = finished.next(), batch = raw.next();
  ASSERT_TRUE(batch.is_raw());
  EXPECT_EQ(batch.frames, nullptr);
  EXPECT_FALSE(batch.has_time);
  EXPECT_FALSE(before.is_raw());
  EXPECT_EQ(batch.labels, before.labels);
  EXPECT_EQ(batch.partner_labels, before.partner_labels);
  EXPECT_EQ(batch.share, before.share);
  EXPECT_EQ(batch.raw.mix.partner.size(), 4u);
  EXPECT_TRUE(batch.raw.mix.boxed);
  ASSERT_EQ(batch.raw.edits.size(), 4u);
  ASSERT_EQ(batch.raw.channels.size(), 2u);
  EXPECT_FLOAT_EQ(batch.raw.channels[1].scale, static_cast<float>(1 / (255 * 0.2123)));
  EXPECT_FLOAT_EQ(batch.raw.channels[1].offset, static_cast<float>(0.4814 / 0.2123));
  for (int64_t b = 0; b < 4; ++b) {
    // Which of the ten it is, and that its edit is the chain's for it.
    int64_t i = 0;
    while (!std::equal(dataset->bytes(Part::kTest, i), dataset->bytes(Part::kTest, i) + 30,
                       batch.raw.pixels.get() + b * 30))
      ASSERT_LT(++i, 10);
    int64_t label = dataset->label(Part::kTest, i);
    EXPECT_EQ(batch.raw.edits[static_cast<size_t>(b)],
              options.pipeline.augment->edit(batch.shape, label, 9, 0, i));
    EXPECT_EQ(batch.labels[static_cast<size_t>(b)], label);
  }
}

TEST(Loader, ARawBatchWithoutAPipelineChangesNothing) {
  const auto dataset = test::random_images(5, 1, 2, 3);
  Loader loader(test_view(dataset), {.batch_size = 3, .pipeline = {.raw = true}});
  static_cast<void>(loader.next());
  const Batch batch = loader.next();  // the last two
  ASSERT_EQ(batch.raw.edits.size(), 2u);
  EXPECT_EQ(batch.raw.edits[1], whole_plane(2, 3));
  EXPECT_EQ(batch.raw.channels[0].scale, 1);
  EXPECT_EQ(batch.raw.channels[0].offset, 0);
  EXPECT_TRUE(batch.raw.mix.partner.empty());
}

TEST(Loader, WhatCannotStayRawIsNamed) {
  const auto images = test::random_images(5, 1, 2, 3);
  const auto obstacle_of = [&](const std::vector<std::string>& texts) {
    return raw_obstacle(*images, test::image_pipeline(images->info(), texts));
  };
  EXPECT_EQ(raw_obstacle(*images, {}), "");
  EXPECT_EQ(obstacle_of({"crop", "flip:label-swap", "cutout:1"}), "");
  EXPECT_EQ(obstacle_of({"crop", "roll:1"}), "'roll:1' does more than move and blank pixels");
  const NumberedDataset still(test::cyclic_labels(4, 2), 2, 0),
      moving(test::cyclic_labels(4, 2), 2);
  EXPECT_EQ(raw_obstacle(still, {}), "numbered holds no still images as bytes");
  EXPECT_EQ(raw_obstacle(moving, {}), "numbered holds no still images as bytes");
}

TEST(Loader, BatchesAreMadeInTheMemoryItIsGiven) {
  std::set<const std::byte*> given;
  std::vector<size_t> sizes;
  LoaderOptions options{.batch_size = 4, .workers = 0};
  options.memory = [&](size_t n_bytes) {
    sizes.push_back(n_bytes);
    auto block = std::make_shared<std::byte[]>(n_bytes);
    given.insert(block.get());
    return block;
  };
  const auto dataset = test::random_images(8, 2, 3, 5);
  Loader finished(test_view(dataset), options);
  options.pipeline.raw = true;
  Loader raw(test_view(dataset), options);
  const Batch a = finished.next(), b = raw.next();
  EXPECT_TRUE(given.contains(reinterpret_cast<const std::byte*>(a.frames.get())));
  EXPECT_TRUE(given.contains(reinterpret_cast<const std::byte*>(b.raw.pixels.get())));
  EXPECT_EQ(sizes, (std::vector<size_t>{4 * 30 * sizeof(float), 4 * 30}));
}

TEST(Loader, ABatchLargerThanTheSplitIsRefused) {
  EXPECT_ERROR(Loader(view_of(10), {.batch_size = 11, .shuffle = true}), "train.batch_size", "11",
               "10");
  Loader loader(view_of(10), {.batch_size = 11});
  EXPECT_EQ(order_of(loader, 0), first_n(10));
}

TEST(Loader, ABatchOutlivesItsLoader) {
  Batch batch;
  {
    Loader loader(view_of(8), {.batch_size = 2});
    batch = loader.next();
  }
  EXPECT_EQ(batch.frames[7], NumberedDataset::value(1, 1));
}

TEST(Loader, ReleasedBatchesServeAgainAndHeldOnesStay) {
  Loader loader(view_of(100), {.batch_size = 2, .workers = 2});
  const Batch held = loader.next();
  const std::vector<float> values = values_of(held);
  std::set<const float*> places;
  for (int i = 1; i < 50; ++i) places.insert(loader.next().frames.get());
  EXPECT_EQ(values_of(held), values);
  EXPECT_FALSE(places.contains(held.frames.get()));
  EXPECT_LE(places.size(), 6u);  // one in hand, two ahead for each worker, one under way
}

TEST(Loader, AWorkersErrorReachesWhoeverAsksForTheBatch) {
  for (const int64_t workers : {0, 1, 3}) {
    const auto dataset = std::make_shared<CountedDataset>(0, 20);
    dataset->test[9].error = "recording.bin: cut short";
    Loader loader(test_view(dataset), {.batch_size = 4, .workers = workers});
    EXPECT_EQ(loader.next().labels[0], 0);
    EXPECT_EQ(loader.next().labels[0], 1);
    EXPECT_ERROR(loader.next(), "recording.bin: cut short");
    EXPECT_EQ(loader.next().labels[0], 0);  // the batch after it is there all the same
    dataset->test[9].error.clear();
    loader.start_epoch(0);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(loader.next().size(), 4);
  }
}

TEST(Loader, AnErrorOfAnotherKindStaysItself) {
  const auto dataset = std::make_shared<CountedDataset>(0, 4);
  dataset->before_read = [](Part, int64_t) { throw Interrupted(2, "interrupted"); };
  Loader loader(test_view(dataset), {.batch_size = 4, .workers = 2});
  EXPECT_THROW(static_cast<void>(loader.next()), Interrupted);
}

TEST(Loader, MayEndOrStartAgainInTheMiddleOfAnEpoch) {
  for (const int64_t workers : {1, 3}) {
    const auto dataset = std::make_shared<CountedDataset>(0, 40);
    dataset->before_read = [](Part, int64_t) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    };
    for (int taken = 0; taken < 6; ++taken) {
      Loader loader(test_view(dataset), {.batch_size = 4, .workers = workers});
      for (int i = 0; i < taken; ++i) static_cast<void>(loader.next());
      loader.start_epoch(1);
      EXPECT_EQ(loader.next().frames[0], 1000);
      loader.start_epoch(1);
      loader.start_epoch(2);
      EXPECT_EQ(loader.next().frames[0], 1000);
      EXPECT_EQ(loader.next().frames[0], 1000 + 4 * 7);
    }
  }
}

TEST(Loader, NothingIsReadBeforeTheFirstBatchIsAskedFor) {
  const auto dataset = std::make_shared<CountedDataset>(0, 40);
  Loader loader(test_view(dataset), {.batch_size = 4, .workers = 2});
  loader.start_epoch(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(dataset->reads(), 0);
}

TEST(Loader, WorkersStayAtMostTwoBatchesEachAhead) {
  for (const int64_t workers : {1, 3}) {
    const auto dataset = std::make_shared<CountedDataset>(0, 100);
    Loader loader(test_view(dataset), {.batch_size = 1, .workers = workers});
    for (int taken = 1; taken <= 10; ++taken) {
      static_cast<void>(loader.next());
      const int most = taken + 2 * static_cast<int>(workers);
      // A slow trainer: the workers have time to go as far as they may.
      for (int wait = 0; wait < 200 && dataset->reads() < most; ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      EXPECT_EQ(dataset->reads(), most);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      EXPECT_EQ(dataset->reads(), most);
    }
  }
}

TEST(Loader, WorkersThatAreUnevenlyFastKeepTheOrder) {
  const auto dataset = std::make_shared<CountedDataset>(0, 60);
  dataset->before_read = [](Part, int64_t i) {
    std::this_thread::sleep_for(std::chrono::microseconds(i % 7 == 0 ? 3000 : 10));
  };
  Loader loader(test_view(dataset), {.batch_size = 2, .workers = 5});
  for (int64_t i = 0; i < 30; ++i)
    EXPECT_EQ(loader.next().frames[0], static_cast<float>(1000 + 7 * 2 * i));
}

TEST(Loader, EverySampleIsReadOnceAnEpoch) {
  const auto dataset = std::make_shared<CountedDataset>(0, 30);
  Loader loader(test_view(dataset), {.batch_size = 4, .shuffle = true, .workers = 3});
  for (int epoch = 1; epoch <= 3; ++epoch) {
    loader.start_epoch(epoch);
    for (int64_t i = 0; i < loader.batches(); ++i) static_cast<void>(loader.next());
    EXPECT_EQ(dataset->reads(), 28 * epoch);
  }
}

}  // namespace
}  // namespace spikenm::data
