// The keys of [data].
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::data {

inline const TextKey kDataName{"name", "moving-shapes", "the dataset"};
inline const TextKey kCacheDir{"cache_dir", "",
                               "folder of decoded samples; empty: the user's cache folder",
                               "with cache = \"auto\" or \"disk\""};

// The keys that each dataset reads.
std::vector<KeyGroup> keys_by_dataset();

// Every key of [data] that is read in this layer.
std::vector<KeyGroup> data_keys();

}  // namespace spikenm::data
