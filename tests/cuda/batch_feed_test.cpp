// Batches on their way to a GPU: the same as on the CPU, whoever finishes them, and whole.
#include "spikenm/train/batch_feed.h"

#include "spikenm/train/recipe.h"
#include "support/expect_error.h"
#include "support/gpu.h"
#include "support/image_set.h"
#include "support/numbered_dataset.h"
#include "support/small_sets.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

const at::Device kGpu(at::kCUDA, 0);

void expect_same(const BatchTensors& gpu, const BatchTensors& cpu) {
  ASSERT_TRUE(gpu.frames.is_cuda() && gpu.labels.is_cuda());
  ASSERT_TRUE(at::equal(gpu.frames.cpu(), cpu.frames));
  ASSERT_TRUE(at::equal(gpu.labels.cpu(), cpu.labels));
  ASSERT_EQ(gpu.partner_labels.defined(), cpu.partner_labels.defined());
  EXPECT_EQ(gpu.share, cpu.share);
  if (!cpu.partner_labels.defined()) return;
  ASSERT_TRUE(at::equal(gpu.partner_labels.cpu(), cpu.partner_labels));
}

TEST(CudaBatchFeed, ABatchFinishedOnTheGpuIsTheCpus) {
  test::for_each_augmentation([](const auto& dataset, const data::Pipeline& pipeline) {
    data::LoaderOptions options{.batch_size = 5, .seed = 2, .workers = 1, .pipeline = pipeline};
    data::Loader on_cpu(data::test_view(dataset), options);
    options.pipeline.raw = true;
    options.memory = page_locked;
    data::Loader on_gpu(data::test_view(dataset), options);
    BatchFeed cpu(on_cpu, at::kCPU), gpu(on_gpu, kGpu);
    for (int64_t i = 0; i < on_gpu.batches(); ++i) expect_same(gpu.next(), cpu.next());
  });
}

// A GPU that is busy for long with each batch, while the next ones come: none may be overwritten.
TEST(CudaBatchFeed, BatchesStayWholeWhileTheGpuIsBehind) {
  const auto dataset =
      std::make_shared<test::NumberedDataset>(test::cyclic_labels(4000, 5), 5, /*frames=*/64);
  const data::LoaderOptions options{.batch_size = 100, .workers = 2, .memory = page_locked};
  data::Loader loader(data::test_view(dataset), options);
  BatchFeed feed(loader, kGpu);
  at::Tensor slow = at::rand({2048, 2048}, at::TensorOptions(kGpu));
  std::vector<at::Tensor> sums, labels;
  for (int64_t i = 0; i < loader.batches(); ++i) {
    const BatchTensors batch = feed.next();
    for (int k = 0; k < 5; ++k) slow = at::mm(slow, slow).clamp(-1, 1);
    sums.push_back(batch.frames.sum(at::IntArrayRef{0, 2, 3, 4}, false, at::kDouble));
    labels.push_back(batch.labels.clone());
  }
  data::Loader again(data::test_view(dataset), {.batch_size = 100});
  for (int64_t i = 0; i < again.batches(); ++i) {
    const BatchTensors batch = to_tensors(again.next());
    const auto at_i = static_cast<size_t>(i);
    ASSERT_TRUE(at::equal(sums[at_i].cpu(),
                          batch.frames.sum(at::IntArrayRef{0, 2, 3, 4}, false, at::kDouble)));
    ASSERT_TRUE(at::equal(labels[at_i].cpu(), batch.labels));
  }
}

TEST(CudaBatchFeed, MemoryForBatchesIsPageLocked) {
  const std::shared_ptr<std::byte[]> block = page_locked(1000);
  EXPECT_TRUE(at::from_blob(block.get(), {1000}, at::kByte).is_pinned());
}

Recipe cifar_recipe(const test::SmallSet& set, const std::vector<std::string>& overrides) {
  Config config;
  for (const std::string& assignment :
       {std::string("data.name=cifar10"), "data.root='" + set.root().string() + "'",
        std::string("data.val_fraction=0"), std::string("train.batch_size=2"),
        std::string("model.width=4"), std::string("model.T=2"), std::string("device=cuda")})
    config.override_with(assignment);
  for (const std::string& assignment : overrides) config.override_with(assignment);
  return read_recipe(config);
}

TEST(CudaRecipe, TheGpuAugmentsWhatItCanUnlessTold) {
  const test::SmallSet set("cifar10");
  const Recipe automatic = cifar_recipe(set, {}), told = cifar_recipe(set, {"data.augment_on=gpu"}),
               off = cifar_recipe(set, {"data.augment_on=cpu"}),
               hard = cifar_recipe(set, {"data.augment=['flip','rotate']"});
  EXPECT_TRUE(automatic.model.pipelines.train.raw && automatic.model.pipelines.test.raw);
  EXPECT_TRUE(told.model.pipelines.train.raw);
  EXPECT_FALSE(off.model.pipelines.train.raw || off.model.pipelines.test.raw);
  EXPECT_FALSE(hard.model.pipelines.train.raw);
  EXPECT_TRUE(hard.model.pipelines.test.raw);
  EXPECT_ERROR(cifar_recipe(set, {"data.augment_on=gpu", "data.augment=['flip','rotate']"}),
               "data.augment_on", "'rotate'");
}

TEST(CudaRecipe, ATrainLoaderGivesTheSameBatchesWhoeverAugments) {
  const test::SmallSet set("cifar10");
  for (const char* mixed : {"data.mixup=0", "data.mixup=0.4", "data.cutmix=1.0"}) {
    const std::vector<std::string> chain = {"data.augment=['crop:4','flip','cutout:16']", mixed};
    std::vector<std::string> on_cpu = chain, on_gpu = chain;
    on_cpu.emplace_back("data.augment_on=cpu");
    on_gpu.emplace_back("data.augment_on=gpu");
    const Recipe a = cifar_recipe(set, on_cpu), b = cifar_recipe(set, on_gpu);
    data::Loader first(a.views->train, a.train_loader()), second(b.views->train, b.train_loader());
    BatchFeed cpu(first, kGpu), gpu(second, kGpu);
    for (const int64_t epoch : {0, 7}) {
      first.start_epoch(epoch);
      second.start_epoch(epoch);
      for (int64_t i = 0; i < first.batches(); ++i) {
        const BatchTensors wanted = cpu.next(), found = gpu.next();
        ASSERT_TRUE(at::equal(found.frames, wanted.frames));
        ASSERT_TRUE(at::equal(found.labels, wanted.labels));
        EXPECT_EQ(found.share, wanted.share);
      }
    }
  }
}

}  // namespace
}  // namespace spikenm::train
