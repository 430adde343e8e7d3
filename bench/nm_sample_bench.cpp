// Does sampling time and memory per weight stay constant as M grows from 4 to 64 at N = 2? The
// M-way sampler (one logit per weight, N draws) stands beside one logit for every pattern
// (pattern_class.h).
#include "spikenm/core/parallel.h"
#include "spikenm/kernels/nm_sample.h"
#include "spikenm/kernels/pattern_class.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace spikenm::kernels {
namespace {

constexpr int64_t kWeights = int64_t{1} << 20;
constexpr int32_t kDraws = 2;
constexpr int kBlockSizes[] = {4, 8, 16, 32, 64};

// Small and not all equal; what they are does not change the time.
std::vector<float> values(int64_t n) {
  std::vector<float> result(static_cast<size_t>(n));
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = 0.01f * static_cast<float>(i * 2654435761u % 199) - 1;
  return result;
}

void count(benchmark::State& state, int64_t n_logits) {
  using benchmark::Counter;
  state.counters["s/weight"] =
      Counter(kWeights, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["logits/weight"] = static_cast<double>(n_logits) / kWeights;
}

struct Layer {
  std::vector<float> logits = values(kWeights);
  std::vector<uint8_t> draws;
  DrawInputs<float> inputs;

  explicit Layer(int m) : draws(static_cast<size_t>(kWeights / m * kDraws)) {
    inputs.layout = nm::make_layout({kWeights / 1024, 1024, 1, 1}, {.n = kDraws, .m = m},
                                    nm::Axis::kIn, "bench");
    inputs.logits = logits.data();
    inputs.n_draws = kDraws;
  }
};

void draw(benchmark::State& state) {
  Layer layer(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    ++layer.inputs.step;
    nm_draw_cpu(layer.inputs, layer.draws.data());
    benchmark::ClobberMemory();
  }
  count(state, kWeights);
}

void straight_through(benchmark::State& state) {
  Layer layer(static_cast<int>(state.range(0)));
  nm_draw_cpu(layer.inputs, layer.draws.data());
  const std::vector<float> weight = values(kWeights), gradient = values(kWeights);
  std::vector<float> grad_logits(weight.size());
  const StraightThrough<float> args{.draw = layer.inputs,
                                    .draws = layer.draws.data(),
                                    .weight = weight.data(),
                                    .grad_effective = gradient.data(),
                                    .grad_logits = grad_logits.data()};
  for (auto _ : state) {
    nm_straight_through_cpu(args);
    benchmark::ClobberMemory();
  }
  count(state, kWeights);
}

// At M = 64 the logits take 136 MB.
void pattern_class(benchmark::State& state) {
  const int m = static_cast<int>(state.range(0));
  const auto n_patterns = static_cast<int64_t>(nm::count_at_most({.n = kDraws, .m = m}));
  const std::vector<float> logits = values(kWeights / m * n_patterns);
  std::vector<uint32_t> chosen(static_cast<size_t>(kWeights / m));
  PatternClassDraw args{
      .n_blocks = kWeights / m, .n_patterns = n_patterns, .logits = logits.data()};
  for (auto _ : state) {
    ++args.step;
    pattern_class_draw(args, chosen.data());
    benchmark::ClobberMemory();
  }
  count(state, kWeights / m * n_patterns);
}

// Prints as usual and keeps the medians.
class Collector : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs)
      if (run.aggregate_name == "median")
        medians_[run.run_name.function_name + run.run_name.args] = run.counters;
  }
  [[nodiscard]] double median(const char* name, int m, const char* counter) const {
    const auto found = medians_.find(name + ("M:" + std::to_string(m)));
    return found == medians_.end() ? 0 : found->second.at(counter).value;
  }

 private:
  std::map<std::string, benchmark::UserCounters> medians_;
};

void print_table(const Collector& results) {
  std::printf("\nN = 2, %d threads, %s\n", threads(), std::string(isa_name(active_isa())).c_str());
  std::printf(
      "  M | draw ns/weight | backward ns/weight | logits/weight || a logit a pattern: draw "
      "ns/weight | logits/weight\n");
  double low = 1e9, high = 0;
  for (const int m : kBlockSizes) {
    const double ours = 1e9 * results.median("draw", m, "s/weight");
    low = std::min(low, ours);
    high = std::max(high, ours);
    std::printf(" %2d | %14.2f | %18.2f | %13.2f || %34.2f | %13.2f\n", m, ours,
                1e9 * results.median("straight_through", m, "s/weight"),
                results.median("draw", m, "logits/weight"),
                1e9 * results.median("pattern_class", m, "s/weight"),
                results.median("pattern_class", m, "logits/weight"));
  }
  std::printf("draw, slowest M over fastest: %.2f (wanted: at most 1.5)\n", high / low);
}

}  // namespace
}  // namespace spikenm::kernels

int main(int argc, char** argv) {
  using namespace spikenm::kernels;
  benchmark::Initialize(&argc, argv);
  spikenm::set_threads(1);  // on one core, times do not depend on what other cores do
  const auto add = [](const char* name, void (*body)(benchmark::State&)) {
    auto* made = benchmark::RegisterBenchmark(name, body);
    made->ArgName("M")->Unit(benchmark::kMillisecond)->MinTime(0.1);
    made->Repetitions(5)->ReportAggregatesOnly();
    for (const int m : kBlockSizes) made->Arg(m);
  };
  add("draw", draw);
  add("straight_through", straight_through);
  add("pattern_class", pattern_class);
  Collector results;
  benchmark::RunSpecifiedBenchmarks(&results);
  print_table(results);
}
