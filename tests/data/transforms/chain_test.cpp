#include "support/expect_error.h"
#include "support/samples.h"

#include <algorithm>
#include <numeric>
#include <thread>

namespace spikenm::data {
namespace {

using test::equal_planes;
using test::looks_uniform;
using test::numbered_sample;
using test::planes_are_equal;
using test::transformed;

constexpr SampleShape kShape{3, 2, 11, 9};
const TransformContext kEvents{.shape = kShape, .events = true};
const std::vector<std::string> kTexts = {"crop:2", "flip", "roll:5|rotate:30|cutout", "event-drop"};

// The values of sample `index`, after the chain.
std::vector<float> prepared(const TransformChain& chain, int64_t epoch, int64_t index,
                            uint64_t seed = 1) {
  Sample sample = numbered_sample(kShape);
  chain.apply(sample, seed, epoch, index);
  return sample.values;
}

std::vector<std::vector<float>> epoch_in_order(const TransformChain& chain, int64_t epoch) {
  std::vector<std::vector<float>> samples;
  for (int64_t i = 0; i < 64; ++i) samples.push_back(prepared(chain, epoch, i));
  return samples;
}

TEST(TransformChain, EpochDoesNotDependOnTheOrderOrTheThreads) {
  const TransformChain chain(kTexts, kEvents, "data.augment");
  const auto wanted = epoch_in_order(chain, 3);
  std::vector<std::vector<float>> backwards(64), threaded(64);
  for (size_t i = 64; i-- > 0;) backwards[i] = prepared(chain, 3, static_cast<int64_t>(i));
  EXPECT_EQ(backwards, wanted);

  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = t; i < 64; i += 4) threaded[i] = prepared(chain, 3, static_cast<int64_t>(i));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(threaded, wanted);
}

TEST(TransformChain, EpochsSamplesAndSeedsDiffer) {
  const TransformChain chain(kTexts, kEvents, "data.augment");
  const auto first = epoch_in_order(chain, 0), second = epoch_in_order(chain, 1);
  int same_epoch = 0, same_sample = 0, same_seed = 0;
  for (size_t i = 0; i < 64; ++i) {
    same_epoch += first[i] == second[i];
    same_sample += first[i] == first[(i + 1) % 64];
    same_seed += first[i] == prepared(chain, 0, static_cast<int64_t>(i), 2);
  }
  // Two draws may agree, but rarely.
  EXPECT_LE(same_epoch, 3);
  EXPECT_LE(same_sample, 3);
  EXPECT_LE(same_seed, 3);
}

TEST(TransformChain, ExactlyOneOfSeveralIsTakenEquallyOften) {
  const Sample sample = numbered_sample({1, 1, 1, 3});
  const TransformChain chain({"flip:1|crop:0|cutout:9"}, {.shape = sample.shape}, "data.augment");
  const std::vector<float> results[] = {{3, 2, 1}, {1, 2, 3}, {0, 0, 0}};
  std::vector<int64_t> counts(3);
  for (int64_t i = 0; i < 3000; ++i) {
    Sample found = sample;
    chain.apply(found, 1, 0, i);
    const auto* const which = std::find(std::begin(results), std::end(results), found.values);
    ASSERT_NE(which, std::end(results));
    ++counts[static_cast<size_t>(which - results)];
  }
  EXPECT_TRUE(looks_uniform(counts)) << testing::PrintToString(counts);
}

// Were the number that chooses also the one that transforms, a choice would favour some draws.
TEST(TransformChain, ChoiceSaysNothingAboutTheDraw) {
  const Sample sample = numbered_sample({1, 1, 1, 2});
  const TransformChain chain({"flip:0.5|cutout:9"}, {.shape = sample.shape}, "data.augment");
  int64_t flipped = 0, kept = 0;
  for (int64_t i = 0; i < 4000; ++i) {
    Sample found = sample;
    chain.apply(found, 1, 0, i);
    flipped += found.values[0] == 2;
    kept += found.values[0] == 1;
  }
  EXPECT_TRUE(looks_uniform({flipped, kept})) << flipped << " " << kept;
}

TEST(TransformChain, StepsOfTheSameNameDrawApart) {
  Sample sample = numbered_sample({1, 1, 1, 2});
  sample.label = 0;
  // Each flip moves the label on by one, so the label counts them.
  const TransformChain chain({"flip:label-swap", "flip:label-swap"},
                             {.shape = sample.shape, .mirrored = {1, 2, 3}}, "data.augment");
  std::vector<int64_t> counts(3);
  for (int64_t i = 0; i < 4000; ++i) {
    Sample found = sample;
    chain.apply(found, 1, 0, i);
    ++counts[static_cast<size_t>(found.label)];
  }
  // 1 : 2 : 1.
  EXPECT_TRUE(looks_uniform({counts[0], counts[1] / 2, counts[2]}))
      << testing::PrintToString(counts);
}

// Some transforms are for images alone, some for events alone.
bool takes(const std::string& name, const TransformContext& context) {
  try {
    static_cast<void>(TransformChain({name}, context, "data.augment"));
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Every registered transform, on images and on events, on sizes that hurt.
TEST(TransformChain, EveryTransformKeepsTheShapeAndTreatsAllPlanesAlike) {
  const SampleShape shapes[] = {{1, 3, 1, 1}, {1, 1, 1, 7},   {2, 3, 5, 1},
                                {1, 3, 2, 2}, {3, 3, 17, 33}, {4, 1, 6, 6}};
  for (const std::string& name : transforms().names()) {
    const bool for_images = takes(name, {.shape = shapes[0]});
    const bool for_events = takes(name, {.shape = shapes[0], .events = true});
    EXPECT_TRUE(for_images || for_events) << name;
    for (const SampleShape& shape : shapes) {
      for (const bool events : {false, true}) {
        if (!(events ? for_events : for_images)) continue;
        for (int64_t i = 0; i < 40; ++i) {
          const Sample found =
              transformed(name, {.shape = shape, .events = events}, equal_planes(shape), i);
          ASSERT_EQ(found.shape, shape) << name;
          ASSERT_EQ(static_cast<int64_t>(found.values.size()), shape.size()) << name;
          // Event drop loses single events and whole frames.
          ASSERT_TRUE(name == "event-drop" || planes_are_equal(found)) << name;
        }
      }
    }
  }
}

TEST(TransformChain, WhatOnlyMovesAndBlanksPixelsIsOneEdit) {
  for (const char* text : {"crop:2", "flip", "cutout:3", "crop:0|flip:1|cutout:2"})
    EXPECT_EQ(TransformChain({text}, kEvents, "data.augment").obstacle(), "") << text;
  const TransformChain chain({"crop:2", "flip", "cutout:3", "crop:1"}, kEvents, "data.augment");
  EXPECT_EQ(chain.obstacle(), "");
  EXPECT_EQ(chain.fill(), (std::vector<float>{0, 0}));
  EXPECT_TRUE(TransformChain({"crop", "flip"}, kEvents, "data.augment").fill().empty());
}

TEST(TransformChain, AnObstacleNamesTheEntry) {
  const auto obstacle_of = [](const std::vector<std::string>& texts) {
    return TransformChain(texts, kEvents, "data.augment").obstacle();
  };
  EXPECT_EQ(obstacle_of({"flip", "rotate:30", "event-drop"}),
            "'rotate:30' does more than move and blank pixels");
  EXPECT_EQ(obstacle_of({"flip", "crop|roll:5"}),
            "'crop|roll:5' does more than move and blank pixels");
  EXPECT_EQ(obstacle_of({"cutout:4", "flip", "cutout:2|flip"}),
            "'cutout:2|flip' makes a second hole in an image");
  int64_t label = 0;
  EXPECT_THROW(static_cast<void>(
                   TransformChain({"roll"}, kEvents, "data.augment").edit(kShape, label, 1, 0, 0)),
               Bug);
}

TEST(TransformChain, AnEditMovesTheLabelAsApplyDoes) {
  const Sample sample = numbered_sample({1, 1, 2, 3});
  const TransformChain chain({"flip:label-swap", "flip:label-swap"},
                             {.shape = sample.shape, .mirrored = {1, 2, 3}}, "data.augment");
  for (int64_t i = 0; i < 100; ++i) {
    Sample found = sample;
    chain.apply(found, 1, 3, i);
    int64_t label = 0;
    static_cast<void>(chain.edit(sample.shape, label, 1, 3, i));
    EXPECT_EQ(label, found.label);
  }
}

TEST(TransformChain, EmptyChainChangesNothing) {
  EXPECT_TRUE(TransformChain().empty());
  EXPECT_TRUE(TransformChain({}, kEvents, "data.augment").empty());
  EXPECT_FALSE(TransformChain({"flip"}, kEvents, "data.augment").empty());
  EXPECT_EQ(prepared(TransformChain(), 0, 0), numbered_sample(kShape).values);
}

TEST(TransformChain, UnknownNamesListTheKnownOnes) {
  EXPECT_ERROR(TransformChain({"flip", "crob:4"}, kEvents, "data.augment"),
               "data.augment: 'crob:4': transform 'crob' is not known", "event-drop",
               "nearest: crop");
  EXPECT_ERROR(TransformChain({""}, kEvents, "data.augment"), "data.augment: '': transform ''");
  EXPECT_ERROR(TransformChain({"flip|"}, kEvents, "data.augment"), "transform '' is not known");
  EXPECT_ERROR(TransformChain({"roll:5|normalize"}, kEvents, "a.b"), "a.b: 'normalize'");
}

TEST(TransformChain, ArgumentsAreNumbers) {
  for (const char* text : {"crop:", "crop:x", "crop:4x", "crop: 4", "crop:nan", "crop:inf",
                           "crop:1e999", "crop::", "crop:0x4", "crop:+4"})
    EXPECT_ERROR(TransformChain({text}, kEvents, "data.augment"), "data.augment: '", text,
                 "wanted a number");
}

}  // namespace
}  // namespace spikenm::data
