// How many samples per second does one core prepare? Each chain works in place on one sample that
// stays in the cache; items are samples. Images are [3,32,32] as in CIFAR, events [10,2,48,48] as
// in CIFAR10-DVS, and the resize takes ten event frames from 128x128 to 48x48.
#include "spikenm/data/resize.h"
#include "spikenm/data/transforms/normalize.h"
#include "spikenm/data/transforms/transform.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace spikenm::data {
namespace {

Sample make_sample(const SampleShape& shape, uint32_t most) {
  Sample sample{.shape = shape, .values = std::vector<float>(static_cast<size_t>(shape.size()))};
  for (size_t i = 0; i < sample.values.size(); ++i)
    sample.values[i] = static_cast<float>((i * 2654435761u >> 7) % (most + 1));
  return sample;
}

void run(benchmark::State& state, const TransformContext& context,
         const std::vector<std::string>& texts, bool normalized) {
  const TransformChain chain(texts, context, "bench");
  const Sample fresh = make_sample(context.shape, context.events ? 3 : 255);
  const std::vector<double> mean = {0.4914, 0.4822, 0.4465}, std = {0.2023, 0.1994, 0.2010};
  Sample sample = fresh;
  int64_t index = 0;
  for (auto _ : state) {
    sample.values.assign(fresh.values.begin(), fresh.values.end());
    chain.apply(sample, 1, 0, index++);
    if (normalized) normalize(sample, mean, std);
    benchmark::DoNotOptimize(sample.values.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

void images(benchmark::State& state, const std::vector<std::string>& texts) {
  run(state, {.shape = {1, 3, 32, 32}, .mean = {0.4914, 0.4822, 0.4465}}, texts, true);
}

void events(benchmark::State& state, const std::vector<std::string>& texts) {
  run(state, {.shape = {10, 2, 48, 48}, .events = true}, texts, false);
}

void resize(benchmark::State& state, const std::vector<std::string>&) {
  const Sample sample = make_sample({10, 2, 128, 128}, 3);
  const Resizer resizer(128, 128, 48, 48);
  std::vector<float> out(10 * 2 * 48 * 48);
  for (auto _ : state) {
    resizer.apply(sample.values.data(), out.data(), 20);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

}  // namespace
}  // namespace spikenm::data

int main(int argc, char** argv) {
  using namespace spikenm::data;
  using Texts = std::vector<std::string>;
  benchmark::Initialize(&argc, argv);
  const auto add = [](const char* name, void (*body)(benchmark::State&, const Texts&),
                      const Texts& texts) {
    auto* made = benchmark::RegisterBenchmark(name, body, texts);
    made->Unit(benchmark::kMicrosecond)->Repetitions(5)->ReportAggregatesOnly();
  };
  add("images/none", images, {});
  add("images/crop,flip", images, {"crop", "flip"});
  add("images/crop,flip,cutout", images, {"crop", "flip", "cutout"});
  add("images/crop,flip,autoaugment,cutout", images, {"crop", "flip", "autoaugment", "cutout"});
  add("images/randaugment", images, {"randaugment"});
  add("images/trivialaugment", images, {"trivialaugment"});
  add("events/flip", events, {"flip:1"});
  add("events/roll", events, {"roll"});
  add("events/rotate", events, {"rotate"});
  add("events/cutout", events, {"cutout"});
  add("events/flip,roll|rotate|cutout", events, {"flip", "roll:5|rotate:30|cutout"});
  add("events/event-drop", events, {"event-drop"});
  add("resize/128->48", resize, {});
  benchmark::RunSpecifiedBenchmarks();
}
