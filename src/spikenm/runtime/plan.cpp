#include "spikenm/runtime/plan.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <cmath>

namespace spikenm::runtime {
namespace {

// Cycles of a Zen 4 core with AVX-512, measured by bench/runtime_bench: they need to be right only
// as long as two ways are close.
constexpr double kRowCycles = 1.9;    // to add a row
constexpr double kWordCycles = 1.3;   // to extract the kept bits of a word
constexpr double kEmitCycles = 4.5;   // to turn up to 64 bits into numbers
constexpr double kJoinCycles = 6;     // to append the list of a tap
constexpr double kSourceCycles = 30;  // for each further source of a pixel

// The rate of a map of bits: of neurons, or of a pool over them. All levels of an average pool
// together hold as many spikes as its window.
double map_rate(const StoredModel& model, NodeId map) {
  const graph::Node& node = model.graph.node(map);
  if (const auto* pool = node.as<graph::Pool>()) {
    const double below = map_rate(model, node.inputs[0]);
    if (pool->kind == graph::PoolKind::kAverage) return below;
    return 1 - std::pow(1 - below, static_cast<double>(pool->size * pool->size));
  }
  const auto found = model.rates.find(map);
  return found == model.rates.end() ? kUsualRate : found->second;
}

}  // namespace

double input_rate(const StoredModel& model, const Program& program, const Layer& layer) {
  const Sources& sources = program.sources[layer.input];
  if (sources.list.empty()) return 1;
  double total = 0;
  for (const kernels::SpikeSource& source : sources.list)
    total += map_rate(model, sources.maps[static_cast<size_t>(source.map)].node);
  return total / static_cast<double>(sources.height * sources.width);
}

LayerPlan plan_layer(const SynapseTensor& tensor, const Layer& layer, double kept, double rate,
                     int64_t most_sources) {
  if (!layer.reads_spikes)
    return {.kernel = "values", .reason = "it reads real values, and skips those that are 0"};

  LayerPlan plan{.input_rate = rate};
  const auto taps = static_cast<double>(layer.window.taps());
  const double rows = taps * static_cast<double>(layer.channels);
  const auto blocks = static_cast<double>(kernels::spike_words(tensor.shape.cout));
  const double words = taps * static_cast<double>(kernels::spike_words(layer.channels)) *
                       static_cast<double>(most_sources);
  const bool same_taps = tensor.rule && tensor.rule->share_taps;
  const double extracting = words * kWordCycles / (same_taps ? taps : 1);
  const double emits =
      std::ceil(rows * kept / 64) * static_cast<double>(most_sources) * kEmitCycles;
  const double all = rows * rate * kRowCycles + taps * kJoinCycles / blocks;
  const double packed = rows * kept * rate * kRowCycles + extracting + emits +
                        kSourceCycles * static_cast<double>(most_sources - 1);

  // Numbers of packed rows must fit a list too.
  const bool fits = 2 * rows * kept < static_cast<double>(kernels::kMostListedRows);
  plan.packs = kept < 1 && packed < all && fits;
  plan.kernel = plan.packs ? "packed events" : "events";
  if (kept == 1)
    plan.reason = fmt::format(
        "nearly every input is kept by some of 64 neighbouring outputs; {:.3g} "
        "spikes an input and step",
        rate);
  else
    plan.reason = fmt::format(
        "64 neighbouring outputs keep {:.0f} % of the rows; at {:.3g} spikes an input and step "
        "about {:.0f} cycles packed, {:.0f} not",
        100 * kept, rate, packed, all);
  return plan;
}

}  // namespace spikenm::runtime
