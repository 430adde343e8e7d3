// Augmentation on the GPU against the reference, bit for bit.
#include "spikenm/kernels/augment.h"

#include "cuda/device_array.h"
#include "support/augment_run.h"
#include "support/image_set.h"

#include <gtest/gtest.h>

#include <cstring>

namespace spikenm::kernels {
namespace {

using test::DeviceArray;

std::vector<float> on_gpu(const Augment& args) {
  const int64_t image = args.C * args.H * args.W;
  const DeviceArray<uint8_t> pixels(
      std::vector<uint8_t>(args.pixels, args.pixels + args.B * image));
  const DeviceArray<PlaneEdit> edits(std::vector<PlaneEdit>(args.edits, args.edits + args.B));
  const DeviceArray<ChannelEdit> channels(
      std::vector<ChannelEdit>(args.channels, args.channels + args.C));
  const DeviceArray<int64_t> partner(
      args.partner == nullptr ? std::vector<int64_t>{}
                              : std::vector<int64_t>(args.partner, args.partner + args.B));
  const DeviceArray<float> out(static_cast<size_t>(args.B * image));
  Augment there = args;
  there.pixels = pixels.get();
  there.edits = edits.get();
  there.channels = channels.get();
  if (args.partner != nullptr) there.partner = partner.get();
  there.out = out.get();
  augment_cuda(there, nullptr);
  return out.host();
}

TEST(CudaAugment, IsBitForBitTheReference) {
  test::for_each_augmentation([](const auto& dataset, data::Pipeline pipeline) {
    pipeline.raw = true;
    data::Loader loader(
        data::test_view(dataset),
        {.batch_size = 13, .seed = 5, .workers = 0, .pipeline = std::move(pipeline)});
    const data::Batch raw = loader.next();
    for (const bool channels_last : {false, true}) {
      Augment args = test::augment_args(raw, channels_last);
      std::vector<float> wanted(static_cast<size_t>(raw.size() * raw.shape.size()));
      args.out = wanted.data();
      augment(args);
      const std::vector<float> found = on_gpu(args);
      ASSERT_EQ(std::memcmp(found.data(), wanted.data(), wanted.size() * sizeof(float)), 0);
    }
  });
}

TEST(CudaAugment, AnEmptyBatchLaunchesNothing) {
  EXPECT_NO_THROW(augment_cuda({.C = 3, .H = 4, .W = 4}, nullptr));
}

}  // namespace
}  // namespace spikenm::kernels
