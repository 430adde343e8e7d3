#include "spikenm/train/warnings.h"

#include "spikenm/core/say.h"
#include "spikenm/core/text.h"
#include "spikenm/train/trained_epochs.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace spikenm::train {
namespace {

constexpr size_t kNamed = 5;        // names that are shown of a long list
constexpr double kRounding = 1e-6;  // rounding of a loss in float
constexpr double kMissed = 0.02;    // how far from a target, as a share of it, masks may end

// "conv1, conv2", or "a, b, c, d, e and 95 more".
std::string listed(std::vector<std::string> names) {
  const size_t n = names.size();
  names.resize(std::min(n, kNamed));
  return join(names, ", ") + (n > kNamed ? fmt::format(" and {} more", n - kNamed) : "");
}

int64_t search_steps(const Recipe& recipe) {
  const std::vector<std::string>& phases = recipe.train.phases;
  if (std::find(phases.begin(), phases.end(), "search") == phases.end()) return 0;
  return recipe.train.search_epochs * (recipe.views->train.size() / recipe.train.batch_size);
}

void add_dense_layers(const sparsity::Pruning& method, Warnings& warnings) {
  std::map<std::string, std::vector<std::string>> by_pattern;
  for (const sparsity::MaskableLayer& layer : method.layers()) {
    if (layer.layout.n_blocks > 0 || layer.rule != nm::Mask::Kind::kNm) continue;
    const nm::WeightShape s = layer.synapse->shape();
    by_pattern[layer.rule_text()].push_back(
        fmt::format("{} ({}x{}x{}x{})", layer.synapse->name, s.cout, s.cin, s.kh, s.kw));
  }
  for (const auto& [pattern, layers] : by_pattern)
    warnings.push_back(
        fmt::format("pattern {} finds no whole block in {}: all weights there are kept", pattern,
                    listed(layers)));
}

void add_whole_patterns(const sparsity::Pruning& method, Warnings& warnings) {
  std::map<std::string, std::vector<std::string>> by_pattern;
  for (const sparsity::MaskableLayer& layer : method.layers())
    if (layer.rule == nm::Mask::Kind::kNm && layer.pattern.n == layer.pattern.m)
      by_pattern[layer.rule_text()].push_back(layer.synapse->name);
  for (const auto& [pattern, layers] : by_pattern)
    warnings.push_back(
        fmt::format("pattern {} asks no weight to be dropped in {}", pattern, listed(layers)));
}

void add_untrained_epochs(const TrainOptions& options, Warnings& warnings) {
  const int64_t trained = trained_epochs(options);
  if (trained < options.epochs)
    warnings.push_back(
        fmt::format("train.phases: {} train {} of {} epochs, with train.search_epochs = {}",
                    join(options.phases, ", "), trained, options.epochs, options.search_epochs));
}

void add_empty_classes(const data::DatasetInfo& info, const std::vector<bool>& has_samples,
                       const char* split, Warnings& warnings) {
  std::vector<std::string> empty;
  for (size_t k = 0; k < has_samples.size(); ++k)
    if (!has_samples[k]) empty.push_back(info.class_name(static_cast<int64_t>(k)));
  if (!empty.empty())
    warnings.push_back(fmt::format("{}: the {} split has no sample of class {}", info.name, split,
                                   listed(std::move(empty))));
}

std::vector<bool> classes_in(const data::View& view) {
  std::vector<bool> found(static_cast<size_t>(view.info().classes));
  for (int64_t i = 0; i < view.size(); ++i) found[static_cast<size_t>(view.label(i))] = true;
  return found;
}

void add_missed_target(const Json& measured, const char* found, std::optional<double> target,
                       const char* what, Warnings& warnings) {
  if (!target) return;
  const double percent = measured.at(found).get<double>(), wanted = 100 * *target;
  if (std::abs(percent - wanted) > kMissed * wanted)
    warnings.push_back(fmt::format("{:.4g} % of the {} are kept, and the target is {:.4g} %",
                                   percent, what, wanted));
}

}  // namespace

Warnings doubts_about_firing(const Json& rates, std::string_view seen) {
  std::vector<std::string> never, always;
  for (const auto& [layer, rate] : rates.items()) {
    if (layer == "mean") continue;
    if (rate.get<double>() <= 0) never.push_back(layer);
    if (rate.get<double>() >= 1) always.push_back(layer);
  }
  Warnings warnings;
  if (!never.empty())
    warnings.push_back(fmt::format("no neuron fires on {} in {}", seen, listed(never)));
  if (!always.empty())
    warnings.push_back(
        fmt::format("every neuron fires at every step of {} in {}", seen, listed(always)));
  return warnings;
}

Warnings doubts_about_recipe(const Recipe& recipe) {
  const sparsity::Pruning& method = *recipe.model.method;
  Warnings warnings;
  // Weights that another run trained need no search here.
  if (recipe.train.from.empty()) warnings = method.doubts(search_steps(recipe));
  add_dense_layers(method, warnings);
  add_whole_patterns(method, warnings);
  add_untrained_epochs(recipe.train, warnings);

  const data::DatasetInfo& info = recipe.model.dataset->info();
  add_empty_classes(info, classes_in(recipe.views->train), "train", warnings);
  if (recipe.views->validation.size() > 0)
    add_empty_classes(info, classes_in(recipe.views->validation), "validation", warnings);
  return warnings;
}

Warnings doubts_about_result(const Recipe& recipe, const Json& measured) {
  const data::DatasetInfo& info = recipe.model.dataset->info();
  Warnings warnings;
  const double loss = measured.at("test_loss").get<double>();
  const double constant = recipe.loss.of_constant(info.classes);
  if (!(loss <= constant * (1 + kRounding)))
    warnings.push_back(fmt::format(
        "test loss {:.4g} is above {:.4g}, that of one answer for all samples", loss, constant));
  for (std::string& doubt : doubts_about_firing(measured.at("firing_rate"), "the test split"))
    warnings.push_back(std::move(doubt));

  const sparsity::Targets targets = recipe.model.method->targets();
  add_missed_target(measured, "weight_pct", targets.weights, "weights", warnings);
  add_missed_target(measured, "conn_pct", targets.connections, "connections", warnings);

  std::vector<bool> has_samples;
  for (const Json& accuracy : measured.at("test_accuracy_per_class"))
    has_samples.push_back(std::isfinite(accuracy.get<double>()));
  add_empty_classes(info, has_samples, "test", warnings);
  return warnings;
}

Warnings doubts_about_steps(int64_t steps, int64_t skipped) {
  if (2 * skipped <= steps) return {};
  return {fmt::format(
      "precision: {} of {} steps were skipped, since gradients overflowed fp16; bf16 or fp32 may "
      "train better",
      skipped, steps)};
}

void say_warnings(const Warnings& warnings) {
  for (const std::string& warning : warnings) say("warning: " + warning);
}

}  // namespace spikenm::train
