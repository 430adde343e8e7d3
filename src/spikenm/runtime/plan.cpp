#include "spikenm/runtime/plan.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <cmath>

namespace spikenm::runtime {
namespace {

// Cycles of a Zen 4 core with AVX-512, measured by bench/runtime_bench: they need to be right only
// as long as two ways are close.
constexpr double kRowCycles = 1.9;      // to add a row
constexpr double kWideRowCycles = 2.3;  // of lists whose sums need 32 bits
constexpr double kWideRows = 256;
constexpr double kWordCycles = 1.3;   // to extract the kept bits of a word
constexpr double kEmitCycles = 3.2;   // to turn up to 64 bits into numbers
constexpr double kJoinCycles = 6;     // to append the list of a tap
constexpr double kSourceCycles = 35;  // for each further source of a pixel
constexpr double kDenseCycles = 1.0;  // for each input, whatever fires
constexpr double kPickCycles = 1.6;   // for each input that an output keeps
constexpr double kSlowBytes = 5;      // times the last two, without VNNI

// The share of places where bit `plane` is set in the number of spikes of `window` neurons.
double plane_rate(double rate, int64_t window, int64_t plane) {
  double total = 0, ways = 1;  // `window` over `count`
  for (int64_t count = 0; count <= window; ++count) {
    const auto ones = static_cast<double>(count), zeros = static_cast<double>(window - count);
    if ((count >> plane & 1) != 0) total += ways * std::pow(rate, ones) * std::pow(1 - rate, zeros);
    ways = ways * zeros / (ones + 1);
  }
  return total;
}

// The rate of a map of bits: of neurons, or of a pool over them.
double map_rate(const StoredModel& model, const MapPlane& map) {
  const graph::Node& node = model.graph.node(map.node);
  if (const auto* pool = node.as<graph::Pool>()) {
    const double below = map_rate(model, {node.inputs[0], 0});
    const int64_t window = pool->size * pool->size;
    if (pool->kind == graph::PoolKind::kAverage) return plane_rate(below, window, map.plane);
    return 1 - std::pow(1 - below, static_cast<double>(window));
  }
  const auto found = model.rates.find(map.node);
  return found == model.rates.end() ? kUsualRate : found->second;
}

}  // namespace

double input_rate(const StoredModel& model, const Program& program, const Layer& layer) {
  const Sources& sources = program.sources[layer.input];
  if (sources.list.empty()) return 1;
  double total = 0;
  for (const kernels::SpikeSource& source : sources.list)
    total += map_rate(model, sources.maps[static_cast<size_t>(source.map)]);
  return total / static_cast<double>(sources.height * sources.width);
}

namespace {

// Cycles of each way for one output pixel, step and block of 64 outputs.
struct Costs {
  double events = 0;
  double packed_events = HUGE_VAL, packed = HUGE_VAL, dense = HUGE_VAL;  // where they cannot be
};

Costs costs_of(const SynapseTensor& tensor, const Layer& layer, const PlanFacts& facts) {
  const auto taps = static_cast<double>(layer.window.taps());
  const auto sources = static_cast<double>(facts.most_sources);
  const double rows = taps * static_cast<double>(layer.channels);
  const double words = taps * static_cast<double>(kernels::spike_words(layer.channels));
  const auto blocks = static_cast<double>(kernels::spike_words(tensor.shape.cout));
  Costs costs;
  const double spikes = rows * facts.rate;
  costs.events =
      spikes * (spikes > kWideRows ? kWideRowCycles : kRowCycles) + taps * kJoinCycles / blocks;

  // Numbers of packed rows must fit a list too.
  if (facts.kept < 1 && 2 * rows * facts.kept < static_cast<double>(kernels::kMostListedRows)) {
    const bool same_taps = tensor.rule && tensor.rule->share_taps;
    const double extracting = words * sources * kWordCycles / (same_taps ? taps : 1);
    const double emits = std::ceil(rows * facts.kept / 64) * sources * kEmitCycles;
    costs.packed_events = rows * facts.kept * facts.rate * kRowCycles + extracting + emits +
                          kSourceCycles * (sources - 1);
  }

  if (tensor.type == WeightType::kInt8 && facts.most_count <= kernels::kMostCount) {
    const double slow = facts.byte_products ? 1 : kSlowBytes;
    costs.dense = words * 64 * kDenseCycles * slow;
    if (tensor.rule) {
      const nm::NmPattern& pattern = tensor.rule->pattern;
      const double slots = std::ceil(16.0 * pattern.n / pattern.m) * 4;  // of 64 inputs
      costs.packed = words * slots * kPickCycles * slow;
    }
  }
  return costs;
}

std::string cycles(double value) {
  return value == HUGE_VAL ? "-" : fmt::format("{:.0f}", value);
}

}  // namespace

LayerPlan plan_layer(const SynapseTensor& tensor, const Layer& layer, const PlanFacts& facts) {
  if (!layer.reads_spikes)
    return {.kernel = "values", .reason = "it reads real values, and skips those that are 0"};

  const Costs costs = costs_of(tensor, layer, facts);
  LayerPlan plan{.input_rate = facts.rate};
  const double least = std::min({costs.events, costs.packed_events, costs.packed, costs.dense});
  if (least == costs.events) {
    plan.kernel = "events";
  } else if (least == costs.packed_events) {
    plan.kernel = "packed events";
    plan.packs = true;
  } else if (least == costs.packed) {
    plan.kernel = "packed";
    plan.form = kernels::RowForm::kPacked;
  } else {
    plan.kernel = "dense";
    plan.form = kernels::RowForm::kDense;
  }
  plan.reason = fmt::format(
      "{:.3g} spikes an input and step; 64 neighbouring outputs keep {:.0f} % of the rows; cycles "
      "for "
      "them at a pixel: events {}, packed events {}, packed {}, dense {}",
      facts.rate, 100 * facts.kept, cycles(costs.events), cycles(costs.packed_events),
      cycles(costs.packed), cycles(costs.dense));
  return plan;
}

}  // namespace spikenm::runtime
