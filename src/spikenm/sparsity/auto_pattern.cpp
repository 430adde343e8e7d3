#include "spikenm/sparsity/auto_pattern.h"

#include "spikenm/sparsity/erk.h"
#include "spikenm/sparsity/layer_keys.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

namespace spikenm::sparsity {
namespace {

constexpr std::string_view kPrefix = "auto:";
constexpr double kHair = 1e-9;  // of a step; allows for rounding in the budget

double relative_density(AutoPattern::Rule rule, const nm::WeightShape& s) {
  return rule == AutoPattern::Rule::kUniform ? 1 : erk_density(s);
}

struct Choice {
  int64_t step = 0;     // weights that one more n keeps, over all blocks
  double relative = 1;  // density before scaling
  double share = 0;     // n by the rule, not yet a whole number
  int n = 1;
};

// Scales the densities until `room` weights are kept. Each density is clipped: at least one weight
// per block, at most all of them.
void share_out(std::span<Choice*> choices, int m, double room) {
  double low = 0, high = 0;
  for (const Choice* c : choices) high = std::max(high, 1 / c->relative);
  const auto kept_at = [&](double scale) {
    double kept = 0;
    for (Choice* c : choices) {
      c->share = std::clamp<double>(scale * c->relative * m, 1, m);
      kept += c->share * static_cast<double>(c->step);
    }
    return kept;
  };

  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (kept_at(middle) < room ? low : high) = middle;
  }
}

// The layer that is farthest below its share, among those where one more n fits into `room`; null
// if there is none.
Choice* most_wanting(std::span<Choice*> choices, int m, double room) {
  Choice* found = nullptr;
  for (Choice* c : choices) {
    if (c->n >= m || static_cast<double>(c->step) > room + kHair) continue;
    if (found == nullptr || c->share - c->n > found->share - found->n) found = c;
  }
  return found;
}

// Rounds to whole numbers. Every share is rounded down; then what is left goes, one n at a time, to
// the layer that is farthest below its share. Large layers stop fitting first, so small ones take
// the rest and stay denser. The last step may exceed the budget if that is nearer to it.
void round_shares(std::span<Choice*> choices, int m, double room) {
  share_out(choices, m, room);
  double smallest = 0;
  for (Choice* c : choices) {
    c->n = c->step == 0 ? m : std::clamp(static_cast<int>(c->share + kHair), 1, m);
    room -= static_cast<double>(c->n * c->step);
  }

  while (Choice* c = most_wanting(choices, m, room)) {
    ++c->n;
    room -= static_cast<double>(c->step);
  }

  for (const Choice* c : choices) {
    const auto step = static_cast<double>(c->step);
    if (c->n < m && (smallest == 0 || step < smallest)) smallest = step;
  }
  if (smallest > 0 && room > smallest / 2) ++most_wanting(choices, m, smallest)->n;
}

}  // namespace

std::optional<AutoPattern> read_auto_pattern(const std::string& pattern, const Config& method) {
  if (!pattern.starts_with(kPrefix)) {
    for (const char* key : {"auto_m", "auto_rule"}) method.no_effect(key, {"pattern"});
    return std::nullopt;
  }

  AutoPattern wanted;
  const char* const begin = pattern.data() + kPrefix.size();
  const char* const end = pattern.data() + pattern.size();
  const auto [stop, error] = std::from_chars(begin, end, wanted.budget);
  SPIKENM_CHECK(error == std::errc() && stop == end,
                "{}: found '{}', wanted auto: and a share of the weights, such as auto:0.25",
                method.full_key("pattern"), pattern);
  wanted.m = static_cast<int>(kAutoM.read(method, wanted.m));
  wanted.rule = static_cast<AutoPattern::Rule>(kAutoRule.read(method));
  return wanted;
}

std::vector<int> choose_n(const AutoPattern& wanted, const std::vector<AutoLayer>& layers,
                          const GivenLayers& given, const std::string& what) {
  std::vector<Choice> choices;
  double weights = static_cast<double>(given.weights), fewest = static_cast<double>(given.kept),
         tails = fewest, most = fewest;
  for (const AutoLayer& layer : layers) {
    const int64_t step = (layer.shape.numel() - layer.tail) / wanted.m;
    choices.push_back({.step = step, .relative = relative_density(wanted.rule, layer.shape)});
    weights += static_cast<double>(layer.shape.numel());
    tails += static_cast<double>(layer.tail);
    fewest += static_cast<double>(layer.tail + step);
    most += static_cast<double>(layer.shape.numel());
  }

  const double kept = wanted.budget * weights;
  // The tolerance is for users who copy an end of the range, rounded, from the message.
  SPIKENM_CHECK(
      kept >= fewest - 1e-4 * weights && kept <= most + 1e-4 * weights,
      "{}: found a budget of {:g}, wanted {:.4g} to {:.4g} of the weights, as 1:{} to all "
      "of them keep (tails and layers with a pattern of their own counted)",
      what, wanted.budget, fewest / weights, most / weights, wanted.m);

  std::vector<Choice*> order;
  for (Choice& c : choices) order.push_back(&c);
  round_shares(order, wanted.m, kept - tails);

  std::vector<int> chosen;
  for (const Choice& c : choices) chosen.push_back(c.n);
  return chosen;
}

}  // namespace spikenm::sparsity
