// Reads a [data] section: the dataset behind its cache, and what is done to its samples.
#pragma once

#include "spikenm/data/loader.h"

namespace spikenm::data {

// Reads name, cache, cache_dir, train_size and test_size, and passes the rest to the dataset. With
// Extent::kTest, a complete set that has a cache is opened with both parts, so that the cache made
// in training can be used. With `missing`, a set that cannot be opened is opened with
// Extent::kNothing, and *missing says why; wrong keys are still an Error.
std::shared_ptr<const Dataset> open_dataset(const Config& config, const DatasetRequest& request,
                                            std::string* missing = nullptr);

struct Pipelines {
  Pipeline train;
  Pipeline test;  // no augmentation
};

// Reads augment, normalize, mean, std, mixup and cutmix; a dataset's usual transforms are the
// default.
Pipelines read_pipelines(const Config& config, const DatasetInfo& info);

}  // namespace spikenm::data
