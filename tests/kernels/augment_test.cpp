// The kernel's reference against what the loader makes of the same samples on the CPU, bit for bit.
#include "spikenm/kernels/augment.h"

#include "support/augment_run.h"
#include "support/image_set.h"

#include <gtest/gtest.h>

#include <cstring>

namespace spikenm::kernels {
namespace {

data::Batch first_batch(const std::shared_ptr<const data::Dataset>& dataset,
                        data::Pipeline pipeline, bool raw, int64_t epoch) {
  pipeline.raw = raw;
  data::Loader loader(data::test_view(dataset), {.batch_size = 11,
                                                 .shuffle = true,
                                                 .seed = 5,
                                                 .workers = 0,
                                                 .pipeline = std::move(pipeline)});
  loader.start_epoch(epoch);
  return loader.next();
}

TEST(Augment, IsBitForBitTheTransforms) {
  test::for_each_augmentation([](const auto& dataset, const data::Pipeline& pipeline) {
    for (const int64_t epoch : {0, 1, 2}) {
      const data::Batch finished = first_batch(dataset, pipeline, false, epoch);
      const data::Batch raw = first_batch(dataset, pipeline, true, epoch);
      ASSERT_TRUE(raw.is_raw());
      Augment args = test::augment_args(raw, /*channels_last=*/false);
      const auto n = static_cast<size_t>(finished.size() * finished.shape.size());
      std::vector<float> found(n, -1e30f);
      args.out = found.data();
      augment(args);
      ASSERT_EQ(std::memcmp(found.data(), finished.frames.get(), n * sizeof(float)), 0);
      EXPECT_EQ(raw.labels, finished.labels);
      EXPECT_EQ(raw.partner_labels, finished.partner_labels);
      EXPECT_EQ(raw.share, finished.share);
    }
  });
}

TEST(Augment, WritesWhereTheStridesPoint) {
  const auto dataset = test::random_images(13, 3, 4, 5);
  const data::Batch raw = first_batch(
      dataset, test::image_pipeline(dataset->info(), {"crop:1", "flip:label-swap"}), true, 0);
  std::vector<float> planes(static_cast<size_t>(11 * 60)), pixels(planes.size() + 2, -7.0f);
  Augment first = test::augment_args(raw, false), last = test::augment_args(raw, true);
  first.out = planes.data();
  last.out = pixels.data() + 1;
  augment(first);
  augment(last);
  for (size_t b = 0; b < 11; ++b)
    for (size_t c = 0; c < 3; ++c)
      for (size_t i = 0; i < 20; ++i)
        ASSERT_EQ(pixels[1 + b * 60 + i * 3 + c], planes[b * 60 + c * 20 + i]);
  EXPECT_EQ(pixels.front(), -7);
  EXPECT_EQ(pixels.back(), -7);
}

// One image [1,2,3] of one channel, every number by hand.
TEST(Augment, AHoleIsScaledLikeAPixelAndTheBorderLikeBlack) {
  const std::vector<uint8_t> pixels = {10, 20, 30, 40, 50, 60};
  const ChannelEdit channel{.fill = 8, .scale = 0.5f, .offset = 1};
  const PlaneEdit edit{
      .dy = -1, .dx = 2, .mirrored = true, .kept = {1, 2, 0, 3}, .hole = {1, 2, 1, 2}};
  std::vector<float> out(6);
  augment({.B = 1,
           .C = 1,
           .H = 2,
           .W = 3,
           .pixels = pixels.data(),
           .edits = &edit,
           .channels = &channel,
           .out = out.data(),
           .stride_b = 6,
           .stride_c = 6,
           .stride_y = 3,
           .stride_x = 1});
  EXPECT_EQ(out, (std::vector<float>{-1, -1, -1, 14, 3, 4}));
}

TEST(Augment, AMixIsSharesOrABox) {
  const std::vector<uint8_t> pixels = {10, 20, 30, 40};  // two samples of two pixels
  const std::vector<PlaneEdit> edits(2, whole_plane(1, 2));
  const ChannelEdit channel;
  const std::vector<int64_t> partner = {1, 0};
  std::vector<float> out(4);
  Augment args{.B = 2,
               .C = 1,
               .H = 1,
               .W = 2,
               .pixels = pixels.data(),
               .edits = edits.data(),
               .channels = &channel,
               .partner = partner.data(),
               .mix = {.share = 0.75f, .rest = 0.25f},
               .out = out.data(),
               .stride_b = 2,
               .stride_c = 2,
               .stride_y = 2,
               .stride_x = 1};
  augment(args);
  EXPECT_EQ(out, (std::vector<float>{15, 25, 25, 35}));
  args.mix.boxed = true;
  args.mix.box = {0, 1, 1, 2};
  augment(args);
  EXPECT_EQ(out, (std::vector<float>{10, 40, 30, 20}));
}

}  // namespace
}  // namespace spikenm::kernels
