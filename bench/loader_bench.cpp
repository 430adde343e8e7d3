// How many images per second do batches hold? 50,000 images [3,32,32] in memory as in CIFAR,
// crop:4, flip and normalisation, batches of 128 in a new order; items are images, by the wall
// clock. `epoch`: the consumer takes batches as fast as they come; `raw`: the same with bytes and
// edits that a GPU finishes. `paced`: it wants 100,000 images per second and sleeps between;
// `waited` is the share of its time that it spends waiting for them.
#include "spikenm/data/datasets/image_dataset.h"
#include "spikenm/data/loader.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <thread>

namespace spikenm::data {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kImages = 50'000, kBatch = 128;
constexpr double kWantedImages = 100'000;  // per second

std::shared_ptr<const Dataset> images() {
  DatasetInfo info{.name = "images", .channels = 3, .height = 32, .width = 32, .classes = 10};
  ImagePart test{.pixels = std::vector<uint8_t>(static_cast<size_t>(kImages * info.sample_size())),
                 .labels = std::vector<uint8_t>(static_cast<size_t>(kImages))};
  for (size_t i = 0; i < test.pixels.size(); ++i)
    test.pixels[i] = static_cast<uint8_t>(i * 2654435761u >> 11);
  return std::make_shared<ImageDataset>(std::move(info), ImagePart{}, std::move(test),
                                        std::vector<SourceFile>{});
}

Loader make_loader(int64_t workers, bool raw) {
  static const std::shared_ptr<const Dataset> dataset = images();
  Pipeline pipeline{.mean = {0.4914, 0.4822, 0.4465}, .std = {0.2470, 0.2435, 0.2616}};
  pipeline.augment =
      std::make_shared<TransformChain>(std::vector<std::string>{"crop:4", "flip"},
                                       TransformContext{.shape = dataset->info().shape()}, "bench");
  pipeline.raw = raw;
  return {test_view(dataset),
          {.batch_size = kBatch,
           .shuffle = true,
           .seed = 1,
           .workers = workers,
           .pipeline = std::move(pipeline)}};
}

void run(benchmark::State& state, bool paced, bool raw = false) {
  Loader loader = make_loader(state.range(0), raw);
  const auto pace = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(kBatch / kWantedImages));
  Clock::duration waited{}, total{};
  int64_t epoch = 0;
  for (auto _ : state) {
    loader.start_epoch(epoch++);
    const Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < loader.batches(); ++i) {
      const Clock::time_point asked = Clock::now();
      const Batch batch = loader.next();
      const Clock::time_point got = Clock::now();
      benchmark::DoNotOptimize(batch.labels[0]);
      waited += got - asked;
      if (paced) std::this_thread::sleep_until(got + pace);
    }
    total += Clock::now() - start;
  }
  state.SetItemsProcessed(state.iterations() * loader.batches() * kBatch);
  state.counters["waited"] =
      std::chrono::duration<double>(waited) / std::chrono::duration<double>(total);
}

void epoch(benchmark::State& state) {
  run(state, false);
}

void raw(benchmark::State& state) {
  run(state, false, true);
}

void paced(benchmark::State& state) {
  run(state, true);
}

}  // namespace
}  // namespace spikenm::data

int main(int argc, char** argv) {
  using namespace spikenm::data;
  benchmark::Initialize(&argc, argv);
  const auto add = [](const char* name, void (*body)(benchmark::State&)) {
    auto* made = benchmark::RegisterBenchmark(name, body);
    made->ArgName("workers")->Arg(0)->Arg(1)->Arg(2);
    made->UseRealTime()->Unit(benchmark::kMillisecond)->Repetitions(5)->ReportAggregatesOnly();
  };
  add("epoch", epoch);
  add("raw", raw);
  add("paced", paced);
  benchmark::RunSpecifiedBenchmarks();
}
