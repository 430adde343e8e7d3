#include "spikenm/train/batch_tensors.h"

#include "support/image_set.h"
#include "support/numbered_dataset.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

BatchTensors first_batch(const std::shared_ptr<const data::Dataset>& dataset,
                         data::Pipeline pipeline = {}, bool raw = false) {
  pipeline.raw = raw;
  data::Loader loader(data::test_view(dataset),
                      {.batch_size = 6, .workers = 0, .pipeline = std::move(pipeline)});
  return to_tensors(loader.next());
}

TEST(BatchTensors, HaveTheShapeAndTheLabels) {
  const auto labels = test::cyclic_labels(9, 5);
  const BatchTensors moving =
      first_batch(std::make_shared<test::NumberedDataset>(labels, 5, /*frames=*/3));
  EXPECT_EQ(moving.frames.sizes(), (at::IntArrayRef{3, 6, 2, 1, 3}));
  EXPECT_TRUE(at::equal(moving.labels, at::tensor({0, 1, 2, 3, 4, 0}, at::kLong)));
  EXPECT_FALSE(moving.partner_labels.defined());
  EXPECT_EQ(moving.frames[1][4][1][0][2].item<float>(), test::NumberedDataset::value(4, 11));
  const BatchTensors still =
      first_batch(std::make_shared<test::NumberedDataset>(labels, 5, /*frames=*/0));
  EXPECT_EQ(still.frames.sizes(), (at::IntArrayRef{6, 2, 1, 3}));
}

TEST(BatchTensors, OnTheCpuTakeTheBatchsMemoryOver) {
  data::Loader loader(data::test_view(test::random_images(8, 1, 2, 2)), {.batch_size = 4});
  data::Batch batch = loader.next();
  const float* const place = batch.frames.get();
  const BatchTensors tensors = to_tensors(std::move(batch));
  EXPECT_EQ(tensors.frames.const_data_ptr<float>(), place);
}

TEST(BatchTensors, OfARawBatchAreThoseOfAFinishedOne) {
  test::for_each_augmentation([](const auto& dataset, const data::Pipeline& pipeline) {
    const BatchTensors wanted = first_batch(dataset, pipeline),
                       found = first_batch(dataset, pipeline, /*raw=*/true);
    ASSERT_TRUE(at::equal(found.frames, wanted.frames));
    EXPECT_TRUE(at::equal(found.labels, wanted.labels));
    EXPECT_EQ(found.share, wanted.share);
    ASSERT_EQ(found.partner_labels.defined(), wanted.partner_labels.defined());
    if (!found.partner_labels.defined()) return;
    EXPECT_TRUE(at::equal(found.partner_labels, wanted.partner_labels));
  });
}

}  // namespace
}  // namespace spikenm::train
