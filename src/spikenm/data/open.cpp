#include "spikenm/data/open.h"

#include "spikenm/core/home.h"
#include "spikenm/data/cache.h"
#include "spikenm/data/memory_cache.h"
#include "spikenm/data/subset.h"

namespace spikenm::data {
namespace {

std::vector<double> per_channel(const Config& config, const char* key,
                                const std::vector<double>& fallback, int64_t channels) {
  std::vector<double> values = config.get<std::vector<double>>(key, fallback);
  SPIKENM_CHECK(values.empty() || static_cast<int64_t>(values.size()) == channels,
                "{}: found {} numbers, wanted one for each of {} channels", config.full_key(key),
                values.size(), channels);
  return values;
}

// A cache holds both parts.
std::shared_ptr<const Dataset> open_whole_or_test(const DatasetFactory& open, const Config& config,
                                                  const DatasetRequest& request) {
  const auto with = [&](Extent extent) {
    return open(config, {.frames = request.frames, .seed = request.seed, .extent = extent});
  };
  if (with(Extent::kNothing)->cache_key().empty()) return with(Extent::kTest);
  try {
    return with(Extent::kAll);
  } catch (const Error&) {  // what the test part lacks is said below
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
  const std::string name = config.get("name", "moving-shapes");
  config.selects("name");
  const DatasetFactory& open = datasets().find(name);
  std::shared_ptr<const Dataset> dataset =
      read_subset(config, open_files(open, config, request, missing), request.seed);
  enum { kAuto, kDisk, kMemory, kOff };
  size_t kind = config.get_choice("cache", "auto", {"auto", "disk", "memory", "off"});
  const std::filesystem::path folder =
      expand_home(config.get("cache_dir", ""), config.full_key("cache_dir"));
  if (kind == kMemory || kind == kOff) config.no_effect("cache_dir", {"cache"});
  // Recordings are large and slow to decode; what is made on the fly is small.
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
  const std::vector<double> mean = per_channel(config, "mean", info.mean, info.channels);
  const std::vector<double> std = per_channel(config, "std", info.std, info.channels);
  for (const double s : std)
    SPIKENM_CHECK(s > 0, "{}: found {:g}, wanted more than 0", config.full_key("std"), s);
  if (config.get<bool>("normalize", !mean.empty() || !std.empty())) {
    SPIKENM_CHECK(mean.size() == std.size(),
                  "{} and {}: found {} and {} numbers, wanted as many of both",
                  config.full_key("mean"), config.full_key("std"), mean.size(), std.size());
    SPIKENM_CHECK(!mean.empty(), "{}: {} has no mean and std of its own; give both",
                  config.full_key("normalize"), info.name);
    test.mean = mean;
    test.std = std;
  } else {
    config.no_effect("std", {"normalize"});  // the mean may still be what cutout fills with
  }
  Pipeline train = test;
  train.augment = std::make_shared<TransformChain>(
      config.get<std::vector<std::string>>("augment", info.augment),
      TransformContext{
          .shape = info.shape(), .events = info.events, .mirrored = info.mirrored, .mean = mean},
      config.full_key("augment"));
  train.mix.mixup_alpha = config.get_real("mixup", 0, 0, 100);
  train.mix.cutmix_alpha = config.get_real("cutmix", 0, 0, 100);
  return {std::move(train), std::move(test)};
}

}  // namespace spikenm::data
