// A [data] section, read: the dataset behind its cache, and what happens to its samples.
#pragma once

#include "spikenm/data/loader.h"

namespace spikenm::data {

// Reads name, cache, cache_dir, train_size and test_size, and hands the rest to the dataset. For
// the test part alone (Extent::kTest), a set that is whole is opened whole where it has a cache, so
// that what training has cached serves. With `missing`, a set that cannot be opened is replaced by
// Extent::kNothing of it, and *missing says why; keys that are wrong are an Error all the same.
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
