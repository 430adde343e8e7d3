#include "spikenm/train/run_lists.h"

#include "spikenm/core/error.h"
#include "spikenm/data/dataset.h"
#include "spikenm/data/transforms/transform.h"
#include "spikenm/graph/models/models.h"
#include "spikenm/graph/models/neuron_options.h"
#include "spikenm/nm/grouping.h"
#include "spikenm/sparsity/methods/method_rows.h"
#include "spikenm/sparsity/methods/spikenm_keys.h"
#include "spikenm/train/losses/loss_rows.h"
#include "spikenm/train/optimizer_keys.h"
#include "spikenm/train/phases/phase_rows.h"
#include "spikenm/train/schedule_keys.h"

#include <map>

namespace spikenm::train {
namespace {

using Lines = std::map<std::string, std::string>;

const Lines& neuron_lines() {
  static const Lines lines{
      {"if", "integrate and fire: the membrane sums its input and does not leak"},
      {"lif", "leaky integrate and fire, with the time constant neuron.tau"},
      {"plif", "lif whose time constant is learned, one for each layer"},
      {"cuba-lif", "lif behind a synaptic current that has its own time constant, tau_syn"}};
  return lines;
}

// u is the membrane less the threshold.
const Lines& surrogate_lines() {
  static const Lines lines{{"atan", "(alpha/2) / (1 + (pi/2 alpha u)^2)"},
                           {"sigmoid", "alpha s (1 - s), s the sigmoid of alpha u"},
                           {"triangle", "alpha - alpha^2 |u|, not below 0"}};
  return lines;
}

const Lines& optimizer_lines() {
  static const Lines lines{{"sgd", "gradient descent with momentum, nesterov by choice"},
                           {"adam", "Adam; weight_decay goes through the gradient"},
                           {"adamw", "Adam; weight_decay pulls weights to zero by itself"}};
  return lines;
}

const Lines& schedule_lines() {
  static const Lines lines{
      {"constant", "lr in the search, finetune_lr in finetune"},
      {"cosine", "half a cosine from lr to 0 over all epochs"},
      {"two-cosines", "half a cosine for the search and another for finetune"},
      {"step", "lr times gamma at each of the milestones"},
      {"two-steps", "the same in the search, and from finetune_lr in finetune"}};
  return lines;
}

const Lines& preset_lines() {
  static const Lines lines{
      {"default", "what was measured as better: exactly n kept, few redraws, logits that know |w|"},
      {"paper", "the paper as it stands: at most n kept, a draw at every step, flat blocks"}};
  return lines;
}

// The names that a key takes, each with its line.
std::vector<ListRow> described(const std::vector<std::string>& names, const Lines& lines) {
  std::vector<ListRow> rows;
  for (const std::string& name : names) {
    SPIKENM_ASSERT(lines.contains(name));
    rows.push_back({name, lines.at(name)});
  }
  return rows;
}

template <class Factory>
std::vector<ListRow> rows_of(const Registry<Factory>& registry) {
  std::vector<ListRow> rows;
  for (const auto& row : registry.rows()) rows.push_back({row.name, row.summary});
  return rows;
}

}  // namespace

std::vector<RunList> run_lists() {
#define SPIKENM_ROW(name, make, summary) {name, summary},
#define SPIKENM_LOSS_ROW(name, summary) {#name, summary},
  return {
      {"models", "model.name", rows_of(graph::models())},
      {"methods", "method.name", {SPIKENM_METHODS(SPIKENM_ROW)}},
      {"presets", "method.preset",
       described(sparsity::spikenm_key::kPreset.choices, preset_lines())},
      {"neurons", "neuron.name", described(graph::neuron_names(), neuron_lines())},
      {"surrogates", "neuron.surrogate", described(graph::surrogate_names(), surrogate_lines())},
      {"losses", "train.loss", {SPIKENM_LOSSES(SPIKENM_LOSS_ROW)}},
      {"optimizers", "train.optimizer", described(kOptimizer.choices, optimizer_lines())},
      {"schedules", "train.schedule", described(kSchedule.choices, schedule_lines())},
      {"transforms", "data.augment", rows_of(data::transforms())},
      {"datasets", "data.name", rows_of(data::datasets())},
      {"phases", "train.phases", {SPIKENM_PHASES(SPIKENM_ROW)}},
  };
#undef SPIKENM_LOSS_ROW
#undef SPIKENM_ROW
}

NamesByKey run_key_names() {
  NamesByKey names;
  for (const RunList& list : run_lists()) {
    KeyNames& of = names[list.key];
    of.list = list.name;
    for (const ListRow& row : list.rows) of.names.push_back(row.name);
  }
  for (const nm::Axis axis : {nm::Axis::kIn, nm::Axis::kFlat})
    names["method.axis"].names.emplace_back(nm::axis_name(axis));
  return names;
}

}  // namespace spikenm::train
