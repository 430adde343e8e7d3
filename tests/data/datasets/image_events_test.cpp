#include "spikenm/data/datasets/image_events.h"

#include "spikenm/core/parallel.h"
#include "support/expect_error.h"
#include "support/listed_dataset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace spikenm::data {
namespace {

using Values = std::vector<float>;
constexpr int64_t kSide = 16, kPixels = kSide * kSide;

// [channels,16,16] from a function of (x, y)
template <class Pixel>
test::ListedSample picture(int64_t label, int64_t channels, const Pixel& pixel) {
  test::ListedSample sample{.label = label};
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t i = 0; i < kPixels; ++i)
      sample.values.push_back(static_cast<float>(pixel(i % kSide, i / kSide)));
  return sample;
}

float upright_edge(int64_t x, int64_t) {
  return x < kSide / 2 ? 40 : 200;
}
float level_edge(int64_t, int64_t y) {
  return y < kSide / 2 ? 200 : 40;
}
float uniform(int64_t, int64_t) {
  return 120;
}

std::shared_ptr<test::ListedDataset> images(int64_t channels = 1) {
  auto set = std::make_shared<test::ListedDataset>();
  set->described = {.name = "tiny",
                    .channels = channels,
                    .height = kSide,
                    .width = kSide,
                    .classes = 3,
                    .class_names = {"upright", "level", "uniform"},
                    .mean = std::vector<double>(static_cast<size_t>(channels), 0.5),
                    .std = std::vector<double>(static_cast<size_t>(channels), 0.5),
                    .augment = {"flip"},
                    .official_train = 3,
                    .official_test = 1};
  set->train = {picture(0, channels, upright_edge), picture(1, channels, level_edge),
                picture(2, channels, uniform)};
  set->test = {picture(0, channels, upright_edge)};
  return set;
}

Values read(const Dataset& dataset, int64_t index, Part part = Part::kTrain) {
  Values values(static_cast<size_t>(dataset.info().sample_size()), -1);
  dataset.read(part, index, values.data());
  return values;
}

// Sum over frames of one polarity: 0 OFF, 1 ON.
Values total(const Dataset& dataset, const Values& sample, int64_t polarity) {
  const SampleShape shape = dataset.info().shape();
  Values sum(static_cast<size_t>(shape.plane()), 0);
  for (int64_t t = 0; t < shape.frames; ++t)
    for (int64_t i = 0; i < shape.plane(); ++i)
      sum[static_cast<size_t>(i)] +=
          sample[static_cast<size_t>((2 * t + polarity) * shape.plane() + i)];
  return sum;
}

float sum_of(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0F);
}

TEST(ImageEvents, DescribesItselfAfterItsSource) {
  const auto dataset = make_image_events(images(), {.frames = 6, .size = 24});
  const DatasetInfo& info = dataset->info();
  EXPECT_EQ(info.name, "image-events");
  EXPECT_EQ(info.split, "official (tiny)");
  EXPECT_EQ(info.shape(), (SampleShape{.frames = 6, .channels = 2, .height = 24, .width = 24}));
  EXPECT_TRUE(info.events);
  EXPECT_TRUE(info.simulated);
  EXPECT_TRUE(info.mean.empty());
  EXPECT_TRUE(info.augment.empty());
  EXPECT_EQ(info.class_names[1], "level");
  EXPECT_EQ(info.official_train, 3);
  EXPECT_EQ(dataset->size(Part::kTrain), 3);
  EXPECT_EQ(dataset->size(Part::kTest), 1);
  EXPECT_EQ(dataset->label(Part::kTrain, 2), 2);
}

TEST(ImageEvents, AUniformImageGivesNoiseAndNothingElse) {
  const auto quiet = make_image_events(images(), {.noise = 0});
  EXPECT_EQ(sum_of(read(*quiet, 2)), 0);
  const auto noisy = make_image_events(images(), {.noise = 0.1});
  const float events = sum_of(read(*noisy, 2));
  EXPECT_NEAR(events, 0.1 * 10 * 2 * kPixels, 110);  // five standard deviations of 21
}

TEST(ImageEvents, EventsLieWhereTheEdgePasses) {
  const auto dataset = make_image_events(images(), {.travel = 2, .noise = 0});
  for (const int64_t index : {0, 1}) {
    const Values sample = read(*dataset, index);
    for (const int64_t polarity : {0, 1}) {
      const Values events = total(*dataset, sample, polarity);
      for (int64_t i = 0; i < kPixels; ++i) {
        // The edge lies between 7 and 8 and moves by 2 either way.
        const int64_t across = index == 0 ? i % kSide : i / kSide;
        const bool passes = across >= 6 && across <= 9;
        const bool spared = across < 5 || across > 10;
        if (passes) {
          EXPECT_GT(events[static_cast<size_t>(i)], 0) << index << " " << i;
        }
        if (spared) {
          EXPECT_EQ(events[static_cast<size_t>(i)], 0) << index << " " << i;
        }
      }
    }
  }
}

// Bright is to the right, and the loop goes right first: the edge darkens what it passes.
TEST(ImageEvents, TheLoopGoesDownRightFirstAndChannel0IsOff) {
  const auto dataset = make_image_events(images(), {.frames = 4, .noise = 0});
  const auto channel = [&](int64_t index, int64_t frame, int64_t polarity) {
    const Values sample = read(*dataset, index);
    const auto begin = sample.begin() + (2 * frame + polarity) * kPixels;
    return std::accumulate(begin, begin + kPixels, 0.0F);
  };
  const bool upright_darkens[] = {true, true, false, false};  // right, right, left, left
  const bool level_darkens[] = {false, true, true, false};    // down, up, up, down
  for (int64_t t = 0; t < 4; ++t) {
    EXPECT_EQ(channel(0, t, 0) > 0, upright_darkens[t]) << t;
    EXPECT_EQ(channel(0, t, 1) > 0, !upright_darkens[t]) << t;
    EXPECT_EQ(channel(1, t, 0) > 0, level_darkens[t]) << t;
    EXPECT_EQ(channel(1, t, 1) > 0, !level_darkens[t]) << t;
  }
}

TEST(ImageEvents, AClosedLoopEndsWhereItBegan) {
  auto set = images();
  set->train[2] = picture(2, 1, [](int64_t x, int64_t y) { return (37 * x + 91 * y * y) % 256; });
  for (const int64_t size : {0, 7, 40}) {
    const auto dataset = make_image_events(set, {.size = size, .threshold = 0.3, .noise = 0});
    const Values sample = read(*dataset, 2);
    const Values off = total(*dataset, sample, 0), on = total(*dataset, sample, 1);
    EXPECT_GT(sum_of(on), 50);
    // A pixel is back within one threshold of its first event.
    for (size_t i = 0; i < on.size(); ++i) EXPECT_LE(std::abs(on[i] - off[i]), 1) << size;
  }
}

TEST(ImageEvents, ALowerThresholdAndASharperEdgeGiveMoreEvents) {
  const auto coarse = make_image_events(images(), {.threshold = 0.6, .noise = 0});
  const auto fine = make_image_events(images(), {.threshold = 0.1, .noise = 0});
  EXPECT_GT(sum_of(read(*fine, 0)), 3 * sum_of(read(*coarse, 0)));
}

TEST(ImageEvents, ASampleIsItsSeedPartAndIndex) {
  const auto a = make_image_events(images(), {.seed = 1});
  const auto b = make_image_events(images(), {.seed = 1});
  const auto other = make_image_events(images(), {.seed = 2});
  EXPECT_EQ(read(*a, 0), read(*b, 0));
  EXPECT_NE(read(*a, 0), read(*other, 0));
  EXPECT_NE(read(*a, 0), read(*a, 0, Part::kTest));  // the same image
  EXPECT_NE(read(*a, 0), read(*a, 1));
}

TEST(ImageEvents, CacheKeysDifferWhereSamplesDo) {
  const auto key = [](const ImageEventOptions& options) {
    return make_image_events(images(), options)->cache_key();
  };
  EXPECT_EQ(key({}), key({}));
  for (const ImageEventOptions& options :
       {ImageEventOptions{.frames = 4}, ImageEventOptions{.size = 8},
        ImageEventOptions{.travel = 2}, ImageEventOptions{.threshold = 0.3},
        ImageEventOptions{.noise = 0}, ImageEventOptions{.seed = 9}})
    EXPECT_NE(key({}), key(options));
}

TEST(ImageEvents, GreyAndEqualColoursLookTheSame) {
  const auto grey = make_image_events(images(1), {.threshold = 0.25, .noise = 0});
  const auto colour = make_image_events(images(3), {.threshold = 0.25, .noise = 0});
  EXPECT_EQ(read(*grey, 0), read(*colour, 0));
}

TEST(ImageEvents, ThreadsReadTheSameSamplesAtOnce) {
  const auto dataset = make_image_events(images(), {.size = 20});
  std::vector<Values> at_once(30);
  parallel_for(30, 1, [&](int64_t begin, int64_t) {
    at_once[static_cast<size_t>(begin)] = read(*dataset, begin % 3);
  });
  for (int64_t i = 0; i < 30; ++i)
    EXPECT_EQ(at_once[static_cast<size_t>(i)], read(*dataset, i % 3)) << i;
}

TEST(ImageEvents, OneFrameHoldsTheWholeLoop) {
  const auto one = make_image_events(images(), {.frames = 1, .noise = 0});
  const Values off = total(*one, read(*one, 0), 0), on = total(*one, read(*one, 0), 1);
  EXPECT_GT(sum_of(on), 0);
  for (size_t i = 0; i < on.size(); ++i) EXPECT_LE(std::abs(on[i] - off[i]), 1) << i;
}

TEST(ImageEvents, OnlyStillImagesAreTaken) {
  auto moving = images();
  moving->described.frames = 4;
  EXPECT_ERROR(make_image_events(moving, {}), "tiny", "4 frames", "still images");
  auto strange = images();
  strange->described.channels = 2;
  EXPECT_ERROR(make_image_events(strange, {}), "tiny", "2 channels", "1 or 3");
}

TEST(ImageEvents, TheRegistryOpensItOverAnyImageSet) {
  const auto open = [](const std::string& text) {
    return datasets().find("image-events")(Config::from_text(text, "test"), {.frames = 4});
  };
  EXPECT_ERROR(open("source = 'image-events'"), "source", "still images");
  EXPECT_ERROR(open("source = 'moving-shapes'"), "moving-shapes", "4 frames");
  EXPECT_ERROR(open("source = 'cifar11'"), "cifar11", "cifar10");
  EXPECT_ERROR(open("source = 'mnist'\nnoise = 2"), "noise");
}

}  // namespace
}  // namespace spikenm::data
