#include "spikenm/data/open.h"

#include "spikenm/core/home.h"
#include "spikenm/data/cache.h"
#include "spikenm/data/data_keys.h"
#include "spikenm/data/memory_cache.h"
#include "spikenm/data/subset.h"

namespace spikenm::data {
namespace {

const ChoiceKey kCache{
    "cache",
    "auto",
    {"auto", "disk", "memory", "off"},
    "where decoded samples are kept; auto: recordings on disk, what is made from images in memory"};
const RealListKey kMean{"mean", Varies{"the dataset's own"},
                        "what is subtracted, a number for each channel"};
const RealRangeListKey kStd{"std",
                            Varies{"the dataset's own"},
                            {0, kMostNumber, /*open=*/true},
                            "what is divided by after that, a number for each channel",
                            "with normalize = true"};
const BoolKey kNormalize{"normalize", Varies{"true where there is a mean and std"},
                         "whether samples are brought to mean 0 and deviation 1"};
const TextListKey kAugment{"augment", Varies{"the dataset's own"},
                           "transforms of training samples, in order"};
const RealKey kMixup{"mixup", 0, 0, 100, "alpha of mixup; 0: none"};
const RealKey kCutmix{"cutmix", 0, 0, 100, "alpha of cutmix; 0: none"};

template <class ListKey>
std::vector<double> per_channel(const Config& config, const ListKey& key,
                                const std::vector<double>& fallback, int64_t channels) {
  std::vector<double> values = key.read(config, fallback);
  SPIKENM_CHECK(values.empty() || static_cast<int64_t>(values.size()) == channels,
                "{}: found {} numbers, wanted one for each of {} channels",
                config.full_key(key.name), values.size(), channels);
  return values;
}

// Opens both parts of a set with a cache if possible, since a cache holds both parts.
std::shared_ptr<const Dataset> open_whole_or_test(const DatasetFactory& open, const Config& config,
                                                  const DatasetRequest& request) {
  const auto with = [&](Extent extent) {
    return open(config, {.frames = request.frames, .seed = request.seed, .extent = extent});
  };
  if (with(Extent::kNothing)->cache_key().empty()) return with(Extent::kTest);
  try {
    return with(Extent::kAll);
  } catch (const Error&) {  // opening the test part reports what is missing
    return with(Extent::kTest);
  }
}

std::shared_ptr<const Dataset> open_files(const DatasetFactory& open, const Config& config,
                                          const DatasetRequest& request, std::string* missing) {
  try {
    return request.extent == Extent::kTest ? open_whole_or_test(open, config, request)
                                           : open(config, request);
  } catch (const Error& e) {
    if (missing == nullptr) throw;
    *missing = e.what();
  }

  DatasetRequest nothing = request;
  nothing.extent = Extent::kNothing;
  return open(config, nothing);
}

}  // namespace

std::shared_ptr<const Dataset> open_dataset(const Config& config, const DatasetRequest& request,
                                            std::string* missing) {
  const std::string name = kDataName.read(config);
  config.selects("name");
  const DatasetFactory& open = datasets().find(name);
  std::shared_ptr<const Dataset> dataset =
      read_subset(config, open_files(open, config, request, missing), request.seed);

  enum { kAuto, kDisk, kMemory, kOff };
  size_t kind = kCache.read(config);
  const std::filesystem::path folder =
      expand_home(kCacheDir.read(config), config.full_key("cache_dir"));
  if (kind == kMemory || kind == kOff) config.no_effect("cache_dir", {"cache"});

  // Recordings are large and slow to decode; generated data is small.
  if (kind == kAuto && dataset->cache_key().empty()) kind = kOff;
  if (kind == kAuto) kind = dataset->files().empty() ? kMemory : kDisk;
  SPIKENM_CHECK(kind != kDisk || !dataset->cache_key().empty(),
                "{}: found 'disk', but {} is read from memory already", config.full_key("cache"),
                name);

  if (kind == kDisk)
    return with_disk_cache(dataset, folder.empty() ? default_cache_folder() : folder);
  if (kind == kMemory) return with_memory_cache(dataset);
  return dataset;
}

Pipelines read_pipelines(const Config& config, const DatasetInfo& info) {
  Pipeline test;
  const std::vector<double> mean = per_channel(config, kMean, info.mean, info.channels);
  const std::vector<double> std = per_channel(config, kStd, info.std, info.channels);

  if (kNormalize.read(config, !mean.empty() || !std.empty())) {
    SPIKENM_CHECK(mean.size() == std.size(),
                  "{} and {}: found {} and {} numbers, wanted as many of both",
                  config.full_key("mean"), config.full_key("std"), mean.size(), std.size());
    SPIKENM_CHECK(!mean.empty(), "{}: {} has no mean and std of its own; give both",
                  config.full_key("normalize"), info.name);
    test.mean = mean;
    test.std = std;
  } else {
    config.no_effect("std", {"normalize"});  // the mean may still be cutout's colour
  }

  Pipeline train = test;
  train.augment = std::make_shared<TransformChain>(
      kAugment.read(config, info.augment),
      TransformContext{
          .shape = info.shape(), .events = info.events, .mirrored = info.mirrored, .mean = mean},
      config.full_key("augment"));

  train.mix.mixup_alpha = kMixup.read(config);
  train.mix.cutmix_alpha = kCutmix.read(config);
  return {std::move(train), std::move(test)};
}

std::vector<KeyGroup> data_keys() {
  std::vector<KeyGroup> groups = keys_by_dataset();
  groups.insert(groups.begin(), {"data",
                                 "",
                                 {&kDataName, &kTrainSize, &kTestSize, &kCache, &kCacheDir, &kMean,
                                  &kStd, &kNormalize, &kAugment, &kMixup, &kCutmix}});
  return groups;
}

}  // namespace spikenm::data
