#include "spikenm/data/split.h"

#include "spikenm/core/interrupt.h"
#include "spikenm/core/random.h"
#include "spikenm/data/shuffle.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spikenm::data {

TrainViews split_train(const std::shared_ptr<const Dataset>& dataset, double fraction,
                       uint64_t seed) {
  const DatasetInfo& info = dataset->info();
  const int64_t n = dataset->size(Part::kTrain);
  std::vector<std::vector<int64_t>> by_class(static_cast<size_t>(info.classes));
  for (int64_t i = 0; i < n; ++i) {
    const int64_t label = dataset->label(Part::kTrain, i);
    SPIKENM_CHECK(label >= 0 && label < info.classes,
                  "{}: found label {} on train sample {}, wanted 0 to {}", info.name, label, i,
                  info.classes - 1);
    by_class[static_cast<size_t>(label)].push_back(i);
  }

  std::vector<bool> is_held(static_cast<size_t>(n));
  for (size_t c = 0; c < by_class.size(); ++c) {
    std::vector<int64_t>& members = by_class[c];
    shuffle(members,
            RandomAddress(seed, random_stream(RandomUse::kSplit), static_cast<uint32_t>(c)));

    // At least one sample of every class that has more than one, so that small sets are split too.
    const int64_t n_members = static_cast<int64_t>(members.size());
    const int64_t share = std::lround(fraction * static_cast<double>(n_members));
    const ptrdiff_t held = fraction > 0 && n_members > 1 ? std::max<int64_t>(1, share) : share;
    for (ptrdiff_t i = 0; i < held; ++i)
      is_held[static_cast<size_t>(members[static_cast<size_t>(i)])] = true;
    throw_if_interrupted("while the train part was split");
  }

  std::vector<int64_t> train, validation;
  for (int64_t i = 0; i < n; ++i)
    (is_held[static_cast<size_t>(i)] ? validation : train).push_back(i);
  SPIKENM_CHECK(
      !train.empty() && (fraction == 0 || !validation.empty()),
      "data.val_fraction: {:g} of {} train samples leaves the {} split empty; wanted at least "
      "one sample in both, or 0 for no validation",
      fraction, n, train.empty() ? "train" : "validation");

  return {View(dataset, Part::kTrain, std::move(train)),
          View(dataset, Part::kTrain, std::move(validation))};
}

View test_view(const std::shared_ptr<const Dataset>& dataset) {
  std::vector<int64_t> all(static_cast<size_t>(dataset->size(Part::kTest)));
  std::iota(all.begin(), all.end(), int64_t{0});
  SPIKENM_CHECK(!all.empty(), "data: {} has an empty test split", dataset->info().name);
  return {dataset, Part::kTest, std::move(all)};
}

}  // namespace spikenm::data
