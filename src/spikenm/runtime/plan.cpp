#include "spikenm/runtime/plan.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace spikenm::runtime {
namespace {

// Cycles of a Zen 5 core with AVX-512 for one output pixel, step and block of 64 outputs, beyond what
// every kernel takes; fitted to the layers of 6conv2fc at 5 to 20 %, bench/runtime_bench --layers. They need
// to be right only as long as two ways are close.
constexpr double kRowCycles = 1.16;     // to add a row
constexpr double kSegmentCycles = 4.7;  // for each part of the rows
constexpr double kEmitCycles = 3.3;     // to turn up to 64 bits into numbers
constexpr double kPieceCycles = 1.5;    // the same where a pixel's kept bits were taken out before
constexpr double kWordCycles = 1.3;  // to take out the kept bits of a word, where none gathers them
constexpr double kDenseCycles = 0.48;  // for each input, whatever fires
constexpr double kPickCycles = 0.83;   // for each input that an output keeps
// The same where no input is a count, by what a Zen 4 took beside events.
constexpr double kPickStepsCycles = 0.76;
constexpr double kByteCycles = 18;  // to turn spikes into bytes
constexpr double kSlowBytes = 5;    // times dense and pick, without VNNI

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

int64_t window_of(const graph::Pool& pool) {
  return pool.size * pool.size;
}

// The rate of one map of a node.
double map_rate(const StoredModel& model, const MapPlane& map, const std::vector<double>& rates) {
  const auto* const pool = model.graph.node(map.node).as<graph::Pool>();
  if (pool == nullptr || pool->kind == graph::PoolKind::kMax) return rates[map.node];
  return plane_rate(rates[map.node], window_of(*pool), map.plane);
}

}  // namespace

std::vector<double> bit_rates(const StoredModel& model) {
  std::vector<double> rates(model.graph.nodes().size(), kUsualRate);
  for (NodeId id = 0; id < rates.size(); ++id) {
    const graph::Node& node = model.graph.node(id);
    if (const auto recorded = model.rates.find(id); recorded != model.rates.end())
      rates[id] = recorded->second;
    if (const auto* pool = node.as<graph::Pool>()) {
      rates[id] = rates[node.inputs[0]];
      if (pool->kind == graph::PoolKind::kMax)
        rates[id] = 1 - std::pow(1 - rates[id], static_cast<double>(window_of(*pool)));
    }
  }
  return rates;
}

double input_rate(const StoredModel& model, const Program& program, const Layer& layer,
                  const std::vector<double>& rates) {
  const Sources& sources = program.sources[layer.input];
  if (sources.list.empty()) return 1;
  std::vector<double> rate;  // of each map
  for (const MapPlane& map : sources.maps) rate.push_back(map_rate(model, map, rates));
  double total = 0;
  for (const kernels::SpikeSource& source : sources.list)
    total += rate[static_cast<size_t>(source.map)];
  return total / static_cast<double>(sources.height * sources.width);
}

namespace {

// Cycles of each way.
struct Costs {
  double events = 0;
  double packed_events = HUGE_VAL, packed = HUGE_VAL, dense = HUGE_VAL;  // where they cannot be
};

double parts_of(double rows, int64_t part_rows) {
  return std::ceil(rows / static_cast<double>(part_rows));
}

double events_cost(const SynapseTensor& tensor, const Layer& layer, const PlanFacts& facts) {
  const auto taps = static_cast<double>(layer.window.taps());
  const double rows = taps * static_cast<double>(layer.channels);
  // Lists are made for all blocks at once, and a row of the map is listed once for all rows of the kernel.
  const auto words = static_cast<double>(layer.window.kernel_width *
                                         kernels::spike_words(layer.channels) * facts.most_sources);
  return rows * facts.rate * kRowCycles +
         words * kEmitCycles / static_cast<double>(kernels::spike_words(tensor.shape.cout)) +
         parts_of(rows, kernels::rows_of_parts(layer.window, layer.channels)) * kSegmentCycles;
}

double packed_events_cost(const SynapseTensor& tensor, const Layer& layer, const PlanFacts& facts) {
  constexpr double kLeastRows = 8;  // of a word, in a unit of kernels/spike_picks.h
  const int64_t words_of_pixel = kernels::spike_words(layer.channels);
  const auto words = static_cast<double>(layer.window.taps() * words_of_pixel);
  const double rows = static_cast<double>(layer.window.taps() * layer.channels) * facts.kept;
  const auto word_rows = std::bit_ceil(static_cast<uint32_t>(std::ceil(64 * facts.kept)));
  const auto sources = static_cast<double>(facts.most_sources);
  const bool same_taps = tensor.rule && tensor.rule->share_taps;
  const double emits = std::ceil(words * std::max<double>(word_rows, kLeastRows) / 64) * sources;
  const double extracts = facts.byte_products || same_taps ? 0 : words * sources * kWordCycles;
  const int64_t part_rows =
      kernels::kept_rows_of_parts(layer.window, words_of_pixel, static_cast<int32_t>(word_rows));
  return rows * facts.rate * kRowCycles + emits * (same_taps ? kPieceCycles : kEmitCycles) +
         extracts + parts_of(words * word_rows, part_rows) * kSegmentCycles;
}

Costs costs_of(const SynapseTensor& tensor, const Layer& layer, const PlanFacts& facts) {
  Costs costs{.events = events_cost(tensor, layer, facts)};
  if (facts.kept < 1) costs.packed_events = packed_events_cost(tensor, layer, facts);

  if (tensor.type == WeightType::kInt8 && facts.most_count <= kernels::kMostCount &&
      layer.window.taps() <= kernels::kMostTaps) {
    const double slow = facts.byte_products ? 1 : kSlowBytes;
    const auto words =
        static_cast<double>(layer.window.taps() * kernels::spike_words(layer.channels));
    costs.dense = kByteCycles + words * 64 * kDenseCycles * slow;
    if (tensor.rule) {
      const nm::NmPattern& pattern = tensor.rule->pattern;
      const double slots = std::ceil(16.0 * pattern.n / pattern.m) * 4;  // of 64 inputs
      const double pick = facts.most_count == 1 ? kPickStepsCycles : kPickCycles;
      costs.packed = kByteCycles + words * slots * pick * slow;
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
      "for them at a pixel: events {}, packed events {}, packed {}, dense {}",
      facts.rate, 100 * facts.kept, cycles(costs.events), cycles(costs.packed_events),
      cycles(costs.packed), cycles(costs.dense));
  return plan;
}

}  // namespace spikenm::runtime
