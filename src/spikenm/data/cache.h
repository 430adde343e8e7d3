// Decoded samples in one file, so that recordings are decoded once and not once per epoch. The file
// is named by a hash of what it was made from, appears whole or not at all, and is made again when
// a source file has changed.
#pragma once

#include "spikenm/data/dataset.h"

namespace spikenm::data {

// $XDG_CACHE_HOME/spikenm, else $HOME/.cache/spikenm, else the system's temporary folder.
std::filesystem::path default_cache_folder();

// `dataset` behind its cache in `folder`. The file is made by prepare(), or by the first read; if
// two processes need it at the same time, one makes it and the other waits. The dataset must have a
// cache_key().
std::shared_ptr<const Dataset> with_disk_cache(std::shared_ptr<const Dataset> dataset,
                                               const std::filesystem::path& folder);

// The path of that file, which may not exist yet.
std::filesystem::path cache_file(const Dataset& dataset, const std::filesystem::path& folder);

}  // namespace spikenm::data
