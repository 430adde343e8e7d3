// A [data] section, read: the dataset behind its cache, and what happens to its samples.
#pragma once

#include "spikenm/data/loader.h"

namespace spikenm::data {

// Reads name and cache, and hands the rest to the dataset.
std::shared_ptr<const Dataset> open_dataset(const Config& config, int64_t frames, uint64_t seed);

struct Pipelines {
  Pipeline train;
  Pipeline test;  // no augmentation
};

// Reads augment, normalize, mean, std, mixup and cutmix; a dataset's usual transforms are the
// default.
Pipelines read_pipelines(const Config& config, const DatasetInfo& info);

}  // namespace spikenm::data
