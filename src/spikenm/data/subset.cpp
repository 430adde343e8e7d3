#include "spikenm/data/subset.h"

#include "spikenm/core/random.h"
#include "spikenm/data/shuffle.h"
#include "spikenm/data/wrapped_dataset.h"

#include <algorithm>

namespace spikenm::data {
namespace {

constexpr uint32_t kStream[] = {2, 3};  // of the train and test part; splits use 0 and 1

class Subset : public WrappedDataset {
 public:
  // train, test: the indices of the chosen samples in each part.
  Subset(std::shared_ptr<const Dataset> dataset, std::vector<int64_t> train,
         std::vector<int64_t> test, uint64_t seed)
      : WrappedDataset(std::move(dataset)),
        info_(inner().info()),
        seed_(seed),
        train_(std::move(train)),
        test_(std::move(test)) {
    info_.subset =
        fmt::format("{} of {} train and {} of {} test samples, balanced by class", train_.size(),
                    inner().size(Part::kTrain), test_.size(), inner().size(Part::kTest));
    info_.official_train = info_.official_test = 0;
  }

  [[nodiscard]] const DatasetInfo& info() const override { return info_; }
  [[nodiscard]] int64_t size(Part part) const override {
    return static_cast<int64_t>(of(part).size());
  }
  [[nodiscard]] int64_t label(Part part, int64_t index) const override {
    return inner().label(part, at(part, index));
  }
  void read(Part part, int64_t index, float* out) const override {
    inner().read(part, at(part, index), out);
  }
  [[nodiscard]] const uint8_t* bytes(Part part, int64_t index) const override {
    return inner().bytes(part, at(part, index));
  }
  [[nodiscard]] const RecordingSet* recordings() const override { return nullptr; }
  // A separate cache, so that a small trial decodes only the samples that it needs.
  [[nodiscard]] std::string cache_key() const override {
    const std::string key = inner().cache_key();
    return key.empty()
               ? key
               : fmt::format("{} subset={}+{} seed={}", key, train_.size(), test_.size(), seed_);
  }

 private:
  [[nodiscard]] const std::vector<int64_t>& of(Part part) const {
    return part == Part::kTrain ? train_ : test_;
  }
  [[nodiscard]] int64_t at(Part part, int64_t index) const {
    return of(part)[static_cast<size_t>(index)];
  }

  DatasetInfo info_;
  uint64_t seed_;
  std::vector<int64_t> train_, test_;
};

// The number of samples to use of a part: all of them if the key is 0.
int64_t read_size(const Config& config, const IntKey& key, const Dataset& dataset, Part part) {
  const int64_t wanted = key.read(config), found = dataset.size(part);
  if (wanted == 0 || found == 0) return found;
  SPIKENM_CHECK(wanted <= found, "{}: found {}, but {} has {} {} samples",
                config.full_key(key.name), wanted, dataset.info().name, found,
                part == Part::kTrain ? "train" : "test");
  return wanted;
}

}  // namespace

std::vector<int64_t> choose_balanced(const Dataset& dataset, Part part, int64_t n, uint64_t seed) {
  const int64_t size = dataset.size(part), classes = dataset.info().classes;
  SPIKENM_ASSERT(0 <= n && n <= size);
  std::vector<std::vector<int64_t>> by_class(static_cast<size_t>(classes));
  for (int64_t i = 0; i < size; ++i) {
    const int64_t label = dataset.label(part, i);
    SPIKENM_CHECK(label >= 0 && label < classes, "{}: found label {} on sample {}, wanted 0 to {}",
                  dataset.info().name, label, i, classes - 1);
    by_class[static_cast<size_t>(label)].push_back(i);
  }

  const uint32_t stream = random_stream(RandomUse::kSplit, kStream[static_cast<size_t>(part)]);
  for (size_t c = 0; c < by_class.size(); ++c)
    shuffle(by_class[c], RandomAddress(seed, stream, static_cast<uint32_t>(c)));

  std::vector<int64_t> chosen;
  for (size_t round = 0; static_cast<int64_t>(chosen.size()) < n; ++round) {
    for (const std::vector<int64_t>& members : by_class)
      if (round < members.size() && static_cast<int64_t>(chosen.size()) < n)
        chosen.push_back(members[round]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::shared_ptr<const Dataset> read_subset(const Config& config,
                                           std::shared_ptr<const Dataset> dataset, uint64_t seed) {
  const int64_t train = read_size(config, kTrainSize, *dataset, Part::kTrain);
  const int64_t test = read_size(config, kTestSize, *dataset, Part::kTest);
  if (train == dataset->size(Part::kTrain) && test == dataset->size(Part::kTest)) return dataset;
  std::vector<int64_t> of_train = choose_balanced(*dataset, Part::kTrain, train, seed);
  std::vector<int64_t> of_test = choose_balanced(*dataset, Part::kTest, test, seed);
  return std::make_shared<Subset>(std::move(dataset), std::move(of_train), std::move(of_test),
                                  seed);
}

}  // namespace spikenm::data
