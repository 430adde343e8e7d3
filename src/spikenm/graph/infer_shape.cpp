#include "spikenm/graph/infer_shape.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <cmath>

namespace spikenm::graph {
namespace {

constexpr int64_t kLargest = 1 << 24;       // channels, features, kernels, strides
constexpr double kMostWeights = 1LL << 33;  // per layer: 32 GiB
constexpr double kMostValues = 1LL << 33;   // per map

void check_range(const std::string& name, const char* what, int64_t value, int64_t low,
                 int64_t high = kLargest) {
  SPIKENM_CHECK(low <= value && value <= high, "{}: found {} {}, wanted {} to {}", name, what,
                value, low, high);
}

// One function per kind of node; `in` is the node's first input.
struct Inference {
  const std::string& name;
  std::span<const Shape> inputs;

  [[nodiscard]] const Shape& in() const { return inputs[0]; }

  Shape operator()(Input&) const { fail("{}: found a second input, wanted one", name); }

  Shape operator()(Synapse& synapse) const {
    nm::WeightShape& w = synapse.shape;
    if (w.cin == 0) w.cin = in().channels;
    check_range(name, "out", w.cout, 1);
    SPIKENM_CHECK(w.cin == in().channels, "{}: wants {} channels, and its input gives {}", name,
                  w.cin, in().text());
    for (const int64_t side : {w.kh, w.kw}) check_range(name, "kernel", side, 1, 1024);
    check_range(name, "stride", synapse.geometry.stride, 1, 1024);
    check_range(name, "padding", synapse.geometry.padding, 0, 1024);

    // In double: an integer product of sizes from a file could overflow.
    const double weights =
        static_cast<double>(w.cout) * static_cast<double>(w.cin) * static_cast<double>(w.kh * w.kw);
    SPIKENM_CHECK(weights <= kMostWeights,
                  "{}: would have {}x{}x{}x{} weights, wanted at most {:g} (a fixed limit)", name,
                  w.cout, w.cin, w.kh, w.kw, kMostWeights);

    if (!in().is_map) {
      SPIKENM_CHECK(
          w.kh == 1 && w.kw == 1 && synapse.geometry.stride == 1 && synapse.geometry.padding == 0,
          "{}: finds a row of {} features, wanted kernel 1, stride 1 and padding 0 or a "
          "map as its input",
          name, in().text());
      return {.channels = w.cout, .is_map = false};
    }

    const SynapseGeometry& g = synapse.geometry;
    SPIKENM_CHECK(in().height + 2 * g.padding >= w.kh && in().width + 2 * g.padding >= w.kw,
                  "{}: a {}x{} kernel finds a {} map, too small even with padding {}", name, w.kh,
                  w.kw, in().text(), g.padding);
    return checked({w.cout, g.out(in().height, w.kh), g.out(in().width, w.kw)});
  }

  Shape operator()(Norm&) const { return in(); }

  Shape operator()(Neuron& neuron) const {
    const NeuronParams& p = neuron.params;
    const NeuronTraits& traits = traits_of(p.neuron);
    for (const double value : {neuron.tau, neuron.tau_syn, p.threshold, p.v_reset, p.alpha})
      SPIKENM_CHECK(std::isfinite(value), "{}: found a constant that is not finite", name);

    SPIKENM_CHECK(neuron.tau >= 1 && (!traits.learns_leak || neuron.tau > 1),
                  "{}: found tau {:g}, wanted {} 1", name, neuron.tau,
                  traits.learns_leak ? "more than" : "at least");
    SPIKENM_CHECK(neuron.tau_syn >= 1, "{}: found tau_syn {:g}, wanted at least 1", name,
                  neuron.tau_syn);
    SPIKENM_CHECK(p.threshold > 0, "{}: found threshold {:g}, wanted more than 0", name,
                  p.threshold);
    SPIKENM_CHECK(p.alpha > 0, "{}: found alpha {:g}, wanted more than 0", name, p.alpha);
    SPIKENM_CHECK(p.soft_reset || p.v_reset < p.threshold,
                  "{}: found v_reset {:g}, wanted a value below the threshold {:g}", name,
                  p.v_reset, p.threshold);
    return in();
  }

  Shape operator()(Pool& pool) const {
    check_range(name, "size", pool.size, 1, kLargestPool);
    check_range(name, "stride", pool.stride, 1, 1024);
    SPIKENM_CHECK(pool.padding >= 0 && 2 * pool.padding <= pool.size,
                  "{}: found padding {}, wanted 0 to half of the size {}", name, pool.padding,
                  pool.size);
    SPIKENM_CHECK(pool.kind == PoolKind::kMax || pool.padding == 0,
                  "{}: found an average pool with padding {}, wanted 0", name, pool.padding);
    SPIKENM_CHECK(in().is_map && in().height + 2 * pool.padding >= pool.size &&
                      in().width + 2 * pool.padding >= pool.size,
                  "{0}: a {1}x{1} pool finds {2}, too small; use larger frames or fewer pools",
                  name, pool.size, in().text());
    return {in().channels, pool.out(in().height), pool.out(in().width)};
  }

  Shape operator()(Sum&) const {
    for (const Shape& other : inputs)
      SPIKENM_CHECK(other == in(), "{}: finds {} and {}, wanted inputs of one shape", name,
                    in().text(), other.text());
    return in();
  }

  Shape operator()(Flatten&) const { return {.channels = in().values(), .is_map = false}; }

  Shape operator()(Mean&) const {
    SPIKENM_CHECK(in().is_map, "{}: finds a row of {} features, wanted a map", name, in().text());
    return {.channels = in().channels, .is_map = false};
  }

  Shape operator()(Vote& vote) const {
    check_range(name, "voters", vote.voters, 1);
    SPIKENM_CHECK(!in().is_map && in().channels % vote.voters == 0,
                  "{}: finds {}, wanted a row of features in groups of {}", name, in().text(),
                  vote.voters);
    return {.channels = in().channels / vote.voters, .is_map = false};
  }

 private:
  [[nodiscard]] Shape checked(const Shape& shape) const {
    const double values = static_cast<double>(shape.channels) * static_cast<double>(shape.height) *
                          static_cast<double>(shape.width);
    SPIKENM_CHECK(values <= kMostValues,
                  "{}: would give {} values, wanted at most {:g} (a fixed limit)", name,
                  shape.text(), kMostValues);
    return shape;
  }
};

}  // namespace

Shape infer_shape(const std::string& name, Operation& operation, std::span<const Shape> inputs) {
  const bool is_sum = std::holds_alternative<Sum>(operation);
  const size_t wanted = is_sum ? 2 : 1;
  SPIKENM_CHECK(is_sum ? inputs.size() >= wanted : inputs.size() == wanted,
                "{}: found {} inputs, wanted {}", name, inputs.size(), is_sum ? "2 or more" : "1");
  return std::visit(Inference{name, inputs}, operation);
}

}  // namespace spikenm::graph
