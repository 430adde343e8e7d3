#include "spikenm/data/loader.h"

#include "spikenm/core/parallel.h"
#include "spikenm/data/shuffle.h"

#include <ATen/ATen.h>

#include <numeric>

namespace spikenm::data {

Loader::Loader(View view, int64_t batch_size, bool shuffle, uint64_t seed)
    : view_(std::move(view)), batch_size_(batch_size), shuffle_(shuffle), seed_(seed) {
  SPIKENM_CHECK(batches() > 0, "train.batch_size: found {}, more than the {} samples of the split",
                batch_size, view_.size());
  cache_.resize(static_cast<size_t>(view_.size() * view_.info().sample_size()));
  cached_.resize(static_cast<size_t>(view_.size()));
  start_epoch(0);
}

int64_t Loader::batches() const {
  return shuffle_ ? view_.size() / batch_size_ : (view_.size() + batch_size_ - 1) / batch_size_;
}

void Loader::start_epoch(int64_t epoch) {
  order_.resize(static_cast<size_t>(view_.size()));
  std::iota(order_.begin(), order_.end(), int64_t{0});
  if (shuffle_)
    shuffle(order_,
            RandomAddress(seed_, random_stream(RandomUse::kShuffle), static_cast<uint32_t>(epoch)));
}

// Different samples may be asked for at the same time; each is written by its own caller only.
const uint8_t* Loader::sample(int64_t i) {
  uint8_t* const at = cache_.data() + i * view_.info().sample_size();
  if (cached_[static_cast<size_t>(i)] == 0) {
    view_.read(i, at);
    cached_[static_cast<size_t>(i)] = 1;
  }
  return at;
}

Batch Loader::batch(int64_t index) {
  const DatasetInfo& info = view_.info();
  const int64_t first = index * batch_size_;
  const int64_t B = std::min(batch_size_, view_.size() - first);
  const int64_t T = std::max<int64_t>(1, info.frames);
  const int64_t frame = info.channels * info.height * info.width;
  Batch batch{.frames = at::empty({T, B, info.channels, info.height, info.width}, at::kFloat),
              .labels = at::empty({B}, at::kLong)};
  float* const out = batch.frames.mutable_data_ptr<float>();
  parallel_for(B, 1, [&](int64_t b, int64_t) {
    const int64_t i = order_[static_cast<size_t>(first + b)];
    const uint8_t* const in = sample(i);
    for (int64_t t = 0; t < T; ++t)
      std::copy(in + t * frame, in + (t + 1) * frame, out + (t * B + b) * frame);
    batch.labels.mutable_data_ptr<int64_t>()[b] = view_.label(i);
  });
  if (info.frames == 0) batch.frames = batch.frames.squeeze(0);
  return batch;
}

}  // namespace spikenm::data
