#include "commands.h"
#include "dataset_options.h"
#include "path_option.h"

#include "spikenm/core/input_file.h"
#include "spikenm/core/show.h"
#include "spikenm/data/cache.h"

#include <filesystem>

namespace spikenm::cli {
namespace {

struct CacheArguments {
  DatasetOptions dataset;
  std::string folder;
};

void cache(const CacheArguments& a) {
  const auto dataset = a.dataset.open();
  const data::DatasetInfo& info = dataset->info();
  if (dataset->cache_key().empty()) {
    show("{}: no cache is made: a sample is read as fast as a cache would give it\n", info.name);
    return;
  }

  const std::filesystem::path folder =
      a.folder.empty() ? data::default_cache_folder() : std::filesystem::path(a.folder);
  ProgressLine line;
  data::with_disk_cache(dataset, folder)->prepare(progress_on(line, a.dataset.name));
  line.clear();

  const std::filesystem::path file = data::cache_file(*dataset, folder);
  show("{}: {} train + {} test samples of {}, {:.1f} MB\n", file.string(),
       dataset->size(data::Part::kTrain), dataset->size(data::Part::kTest), info.name,
       static_cast<double>(InputFile(file).size()) / 1e6);
}

}  // namespace

std::function<void()> setup_data_cache(CLI::App& app) {
  auto a = std::make_shared<CacheArguments>();
  a->dataset.declare(app);
  as_path(app.add_option("--folder", a->folder,
                         "where the cache lies (default: the user's cache folder)"));
  app.footer(
      "Training makes the same file by itself when it first needs it. The file belongs to the T, "
      "split and\n"
      "size given here; other ones get files of their own. It may be deleted at any time.\n\n"
      "Examples:\n"
      "  spikenm data cache cifar10-dvs --root ~/data/CIFAR10DVS --T 10 resize=48\n"
      "  spikenm data cache dvs-gesture --root ~/data/DVS128Gesture --T 16 --folder /fast/cache");
  return [a] { cache(*a); };
}

}  // namespace spikenm::cli
