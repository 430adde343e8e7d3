// Some samples of a set, equally many of every class: data.train_size and data.test_size.
#pragma once

#include "spikenm/core/key.h"
#include "spikenm/data/dataset.h"

#include <memory>
#include <vector>

namespace spikenm::data {

inline const IntKey kTrainSize{"train_size", 0, 0, 10'000'000,
                               "training samples that are used, as many of every class; 0: all"};
inline const IntKey kTestSize{"test_size", 0, 0, 10'000'000, "the same of test samples"};

// n samples of a part in the order of the part, chosen by seed. One sample per class is taken in
// turn, so the numbers per class differ by at most one until a class has no more samples. A larger
// n contains the samples of a smaller n.
std::vector<int64_t> choose_balanced(const Dataset& dataset, Part part, int64_t n, uint64_t seed);

// Reads train_size and test_size; 0, the default, means all samples. A generated set already has
// the wanted sizes. A part that was not opened stays empty.
std::shared_ptr<const Dataset> read_subset(const Config& config,
                                           std::shared_ptr<const Dataset> dataset, uint64_t seed);

}  // namespace spikenm::data
