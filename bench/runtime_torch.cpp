#include "runtime_torch.h"

#include "spikenm/core/parallel.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace spikenm::bench {
namespace {

struct Case {
  at::Tensor x, weight;
  bool linear = false;
  int64_t stride = 1, padding = 0;

  [[nodiscard]] at::Tensor run() const {
    return linear ? at::linear(x, weight) : at::conv2d(x, weight, {}, stride, padding);
  }
};

Case make_case(const graph::Graph& graph, const graph::Node& node, int64_t samples,
               bool channels_last) {
  const auto& spec = *node.as<graph::Synapse>();
  const graph::Shape& in = graph.input_of(node).out;
  const nm::WeightShape& s = spec.shape;
  Case made{.linear = !in.is_map, .stride = spec.geometry.stride, .padding = spec.geometry.padding};
  if (made.linear) {
    made.x = at::rand({samples, s.cin}).lt(0.06).to(at::kBFloat16);
    made.weight = at::randn({s.cout, s.cin}).to(at::kBFloat16);
    return made;
  }
  const auto format = channels_last ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  made.x = at::rand({samples, in.channels, in.height, in.width})
               .lt(0.06)
               .to(at::kBFloat16)
               .contiguous(format);
  made.weight = at::randn({s.cout, s.cin, s.kh, s.kw}).to(at::kBFloat16).contiguous(format);
  return made;
}

double best_of(const Case& made, int rounds) {
  double best = 1e30;
  for (int round = 0; round <= rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    const at::Tensor y = made.run();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (round > 0) best = std::min(best, took.count());
  }
  return best;
}

}  // namespace

double torch_best_ms(const graph::Graph& graph, int64_t steps, int64_t batch, int rounds) {
  const c10::InferenceMode guard;
  at::set_num_threads(threads());
  double total = 0;
  bool first = true;
  for (const graph::Node& node : graph.nodes()) {
    if (node.as<graph::Synapse>() == nullptr) continue;
    // The current of an image is computed once.
    const bool once = first && graph.frame().channels == 3;
    const int64_t samples = batch * (once ? 1 : steps);
    double best = 1e30;
    for (const bool channels_last : {false, true})
      best = std::min(best, best_of(make_case(graph, node, samples, channels_last), rounds));
    total += best;
    first = false;
  }
  // OpenMP's threads spin for a while after their work, and would slow what is timed next.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  return total / static_cast<double>(batch);
}

}  // namespace spikenm::bench
