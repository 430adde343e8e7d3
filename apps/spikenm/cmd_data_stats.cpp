#include "commands.h"
#include "dataset_options.h"

#include "spikenm/core/show.h"
#include "spikenm/data/stats.h"
#include "spikenm/report/table.h"

#include <numeric>

namespace spikenm::cli {
namespace {

struct StatsArguments {
  DatasetOptions dataset;
  bool json = false;
};

int64_t total(const std::vector<int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

std::string class_table(const data::DatasetStats& stats, const data::DatasetInfo& info) {
  std::vector<std::vector<std::string>> rows;
  for (size_t k = 0; k < stats.train_counts.size(); ++k) {
    rows.push_back({info.class_name(static_cast<int64_t>(k)),
                    fmt::format("{}", stats.train_counts[k]),
                    fmt::format("{}", stats.test_counts[k])});
  }
  rows.push_back({"all", fmt::format("{}", total(stats.train_counts)),
                  fmt::format("{}", total(stats.test_counts))});
  return report::format_table({"class", "train", "test"}, rows);
}

std::string channel_line(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fmt::format("{:.4f}", value));
  return join(texts, ", ");
}

void print_stats(const data::DatasetStats& stats, const data::DatasetInfo& info) {
  const data::SampleShape shape = info.shape();
  show("{}: {} x {} x {} x {} (frames, channels, height, width), split: {}\n\n{}\n", info.name,
       shape.frames, shape.channels, shape.height, shape.width, info.split,
       class_table(stats, info));
  if (!stats.mean.empty()) {
    show("train {} per channel: mean {}; std {}\n",
         info.events ? "events per pixel and frame," : "pixels in 0..1,", channel_line(stats.mean),
         channel_line(stats.std));
  }
  if (!stats.recordings) return;
  const data::RecordingStats& r = *stats.recordings;
  show("train recordings: {:.0f} events ({:.0f} to {:.0f}), {:.3f} s ({:.3f} to {:.3f})\n",
       r.events.mean, r.events.min, r.events.max, r.seconds.mean, r.seconds.min, r.seconds.max);
  show("train events: {:.0f} a second, {:.1f} % ON\n", r.events_per_second, 100 * r.on_share);
}

void stats(const StatsArguments& a) {
  const auto dataset = a.dataset.open();
  ProgressLine line;
  const data::DatasetStats found = data::compute_stats(*dataset, progress_on(line, a.dataset.name));
  line.clear();
  if (a.json) {
    show_json(data::to_json(found, dataset->info()));
  } else {
    print_stats(found, dataset->info());
  }
}

}  // namespace

std::function<void()> setup_data_stats(CLI::App& app) {
  auto a = std::make_shared<StatsArguments>();
  a->dataset.declare(app);
  app.add_flag("--json", a->json, "print everything counted, as JSON");
  app.footer(
      "Mean and std are over all pixels of all train images, as data.mean and data.std want "
      "them.\n\n"
      "Examples:\n"
      "  spikenm data stats cifar10 --root ~/data\n"
      "  spikenm data stats n-mnist --root ~/data/NMNIST --T 10 --json");
  return [a] { stats(*a); };
}

}  // namespace spikenm::cli
