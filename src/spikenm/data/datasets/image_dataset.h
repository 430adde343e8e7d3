// Images held in memory as bytes: CIFAR, MNIST.
#pragma once

#include "spikenm/data/dataset.h"

#include <utility>

namespace spikenm::data {

// One part of an image set.
struct ImagePart {
  std::vector<uint8_t> pixels;  // [n,channels,height,width]
  std::vector<uint8_t> labels;  // [n]
};

class ImageDataset : public Dataset {
 public:
  // Every part must hold one image per label, of the size in `info`.
  ImageDataset(DatasetInfo info, ImagePart train, ImagePart test, std::vector<SourceFile> files)
      : info_(std::move(info)),
        train_(std::move(train)),
        test_(std::move(test)),
        files_(std::move(files)) {
    for (const ImagePart* part : {&train_, &test_}) {
      SPIKENM_ASSERT(part->pixels.size() ==
                     part->labels.size() * static_cast<size_t>(info_.sample_size()));
    }
  }

  [[nodiscard]] const DatasetInfo& info() const override { return info_; }
  [[nodiscard]] int64_t size(Part part) const override {
    return static_cast<int64_t>(of(part).labels.size());
  }
  [[nodiscard]] int64_t label(Part part, int64_t index) const override {
    return of(part).labels[static_cast<size_t>(index)];
  }
  void read(Part part, int64_t index, float* out) const override {
    const uint8_t* const in = bytes(part, index);
    std::copy(in, in + info_.sample_size(), out);
  }
  [[nodiscard]] const uint8_t* bytes(Part part, int64_t index) const override {
    return of(part).pixels.data() + index * info_.sample_size();
  }
  [[nodiscard]] std::vector<SourceFile> files() const override { return files_; }

 private:
  [[nodiscard]] const ImagePart& of(Part part) const {
    return part == Part::kTrain ? train_ : test_;
  }

  DatasetInfo info_;
  ImagePart train_, test_;
  std::vector<SourceFile> files_;
};

}  // namespace spikenm::data
