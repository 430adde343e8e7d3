// How much memory bandwidth do the sequence kernels reach at each instruction-set level? LIF, hard
// reset, detached, ATan; n = 65536 neurons, T = 8. Forward reads x and writes spikes and h;
// backward reads the spikes' gradient and h and writes the input's gradient: 12 bytes per value in
// each direction.
#include "spikenm/core/parallel.h"
#include "spikenm/kernels/neuron_seq.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace spikenm::kernels {
namespace {

constexpr int64_t kSteps = 8, kNeurons = 65536;
constexpr size_t kValues = kSteps * kNeurons;

struct Arrays {
  std::vector<float> x, spikes, h;
  Arrays() : x(kValues), spikes(kValues), h(kValues) {
    for (size_t i = 0; i < kValues; ++i)
      x[i] = 0.02f * static_cast<float>(i * 2654435761u % 199) - 1;
  }
  [[nodiscard]] NeuronForward<float> forward() {
    return {.params = {},
            .steps = kSteps,
            .n = kNeurons,
            .x = x.data(),
            .spikes = spikes.data(),
            .h = h.data()};
  }
};

void count(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kValues) * 12);
}

void forward(benchmark::State& state, Isa isa) {
  Arrays arrays;
  const NeuronForward<float> args = arrays.forward();
  for (auto _ : state) {
    neuron_forward_cpu(args, isa);
    benchmark::ClobberMemory();
  }
  count(state);
}

void backward(benchmark::State& state, Isa isa) {
  Arrays arrays;
  neuron_forward_cpu(arrays.forward(), isa);
  std::vector<float> grad_x(kValues);
  const NeuronBackward<float> args{.params = {},
                                   .steps = kSteps,
                                   .n = kNeurons,
                                   .grad_spikes = arrays.x.data(),
                                   .h = arrays.h.data(),
                                   .grad_x = grad_x.data()};
  for (auto _ : state) {
    benchmark::DoNotOptimize(neuron_backward_cpu(args, isa));
    benchmark::ClobberMemory();
  }
  count(state);
}

}  // namespace
}  // namespace spikenm::kernels

int main(int argc, char** argv) {
  using namespace spikenm::kernels;
  benchmark::Initialize(&argc, argv);
  spikenm::set_threads(1);  // time a core, not the load of the others
  const auto add = [](const std::string& name, void (*body)(benchmark::State&, spikenm::Isa),
                      spikenm::Isa isa) {
    const std::string full = name + "/" + std::string(isa_name(isa));
    auto* made = benchmark::RegisterBenchmark(full.c_str(), body, isa);
    made->Unit(benchmark::kMicrosecond)->Repetitions(5)->ReportAggregatesOnly();
  };
  for (const spikenm::Isa isa : spikenm::supported_isas()) {
    add("forward", forward, isa);
    add("backward", backward, isa);
  }
  benchmark::RunSpecifiedBenchmarks();
}
