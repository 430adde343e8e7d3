#include "runtime_torch.h"

#include "spikenm/core/parallel.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

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

double ms_of(const Case& made) {
  const auto begin = std::chrono::steady_clock::now();
  const at::Tensor y = made.run();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  return took.count();
}

// The one of two formats with the shortest of some runs; the first run of each does not count.
Case faster(Case a, Case b) {
  constexpr int kRuns = 3;
  double best_a = 1e30, best_b = 1e30;
  ms_of(a);
  ms_of(b);
  for (int run = 0; run < kRuns; ++run) {
    best_a = std::min(best_a, ms_of(a));
    best_b = std::min(best_b, ms_of(b));
  }
  return best_b < best_a ? std::move(b) : std::move(a);
}

}  // namespace

struct TorchLayers::Cases {
  std::vector<Case> list;
};

TorchLayers::TorchLayers(const graph::Graph& graph, int64_t steps, int64_t batch) {
  const c10::InferenceMode guard;
  at::set_num_threads(threads());
  auto cases = std::make_unique<Cases>();
  for (const graph::Node& node : graph.nodes()) {
    if (node.as<graph::Synapse>() == nullptr) continue;
    // The current of an image is computed once.
    const bool once = cases->list.empty() && graph.frame().channels == 3;
    const int64_t samples = batch * (once ? 1 : steps);
    cases->list.push_back(
        faster(make_case(graph, node, samples, false), make_case(graph, node, samples, true)));
  }
  cases_ = std::move(cases);
}

TorchLayers::~TorchLayers() = default;

void TorchLayers::run() const {
  const c10::InferenceMode guard;
  for (const Case& each : cases_->list) static_cast<void>(each.run());
}

void TorchLayers::rest() {
  if (threads() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace spikenm::bench
