// Images of random bytes in memory, and the pipelines that prepare them.
#pragma once

#include "spikenm/core/random.h"
#include "spikenm/data/datasets/image_dataset.h"
#include "spikenm/data/loader.h"

#include <memory>
#include <string>
#include <vector>

namespace spikenm::test {

inline std::shared_ptr<const data::Dataset> random_images(int64_t n, int64_t channels,
                                                          int64_t height, int64_t width) {
  data::DatasetInfo info{
      .name = "images", .channels = channels, .height = height, .width = width, .classes = 7};
  const RandomAddress random(3, 0);
  const auto part = [&](uint64_t first) {
    data::ImagePart images;
    for (int64_t i = 0; i < n * info.sample_size(); ++i)
      images.pixels.push_back(static_cast<uint8_t>(random.word(first + static_cast<uint64_t>(i))));
    for (int64_t i = 0; i < n; ++i) images.labels.push_back(static_cast<uint8_t>(i % 7));
    return images;
  };
  data::ImagePart train = part(0), test = part(1 << 20);
  return std::make_shared<data::ImageDataset>(std::move(info), std::move(train), std::move(test),
                                              std::vector<data::SourceFile>{});
}

// Normalised by numbers that no two channels share.
inline data::Pipeline image_pipeline(const data::DatasetInfo& info,
                                     const std::vector<std::string>& texts,
                                     const data::MixOptions& mix = {}) {
  data::Pipeline pipeline{.mix = mix};
  for (int64_t c = 0; c < info.channels; ++c) {
    pipeline.mean.push_back(0.4914 - 0.01 * static_cast<double>(c));
    pipeline.std.push_back(0.2023 + 0.01 * static_cast<double>(c));
  }
  pipeline.augment = std::make_shared<data::TransformChain>(
      texts,
      data::TransformContext{
          .shape = info.shape(), .mirrored = {1, 0, 2, 3, 5, 4, 6}, .mean = pipeline.mean},
      "data.augment");
  return pipeline;
}

// A batch of every kind of mix, on sizes that hurt and with chains in which each transform meets
// each other; body(dataset, pipeline).
template <class Body>
void for_each_augmentation(Body&& body) {
  using Texts = std::vector<std::string>;
  struct Size {
    int64_t channels, height, width;
  };
  for (const Size& s :
       {Size{1, 1, 1}, Size{3, 1, 5}, Size{2, 7, 1}, Size{3, 9, 13}, Size{1, 28, 28}})
    for (const Texts& texts :
         {Texts{}, Texts{"crop:4"}, Texts{"crop:40", "flip:label-swap"}, Texts{"flip:label-swap:1"},
          Texts{"cutout:1"}, Texts{"cutout:5", "flip:label-swap", "crop:3"},
          Texts{"crop:2", "flip:label-swap", "cutout:65535"},
          Texts{"flip:label-swap", "crop:1", "flip:label-swap", "crop:2|flip:label-swap|cutout:3"}})
      for (const data::MixOptions& mix : {data::MixOptions{}, data::MixOptions{.mixup_alpha = 0.3},
                                          data::MixOptions{.cutmix_alpha = 1}}) {
        const auto dataset = random_images(13, s.channels, s.height, s.width);
        body(dataset, image_pipeline(dataset->info(), texts, mix));
      }
}

}  // namespace spikenm::test
