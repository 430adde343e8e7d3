#include "spikenm/report/curves.h"

#include "spikenm/core/error.h"
#include "spikenm/report/run_groups.h"
#include "spikenm/report/statistic.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace spikenm::report {
namespace {

// The order of the plots, and what they are called; other numbers follow under their own names.
constexpr std::array<std::pair<const char*, const char*>, 26> kKnown{
    {{"loss", "training loss"},
     {"train_accuracy", "training accuracy %"},
     {"val_loss", "validation loss"},
     {"val_accuracy", "validation accuracy %"},
     {"tau", "temperature τ"},
     {"density", "density: kept share of weights"},
     {"flip_rate", "flip rate: share of kept weights that are new"},
     {"firing_rate/mean", "firing rate, mean of all neurons"},
     {"lr", "learning rate"},
     {"noise", "noise of the draws"},
     {"logit_entropy", "entropy of the logits (1: undecided, 0: certain)"},
     {"logit_grad_task", "pull of the task on the logits: norm of its gradient"},
     {"logit_grad_eid", "pull of the credits on the logits: norm of its gradient"},
     {"eid_kl", "distance of logits to credits (KL)"},
     {"rewired_blocks", "blocks that were rewired"},
     {"rewired_weights", "weights that were rewired"},
     {"threshold", "threshold below which weights are dropped"},
     {"active", "share of weights that are active"},
     {"weight_pct", "weights that are kept, %"},
     {"conn_pct", "connections that are kept, %"},
     {"mask_beta", "steepness of the gates on weights, β"},
     {"beta", "steepness of the gates on neurons, β"},
     {"lambda_weight", "weight of the penalty on weights, λ"},
     {"lambda_neuron", "weight of the penalty on neurons, λ"},
     {"loss_scale", "scale of the loss in half precision"},
     {"skipped_steps", "steps skipped in half precision"}}};
// How fast it ran is no learning curve.
constexpr std::array kLeftOut{"epoch", "seconds", "samples_per_second", "memory_gb"};

using Values = std::map<std::string, std::map<double, double>>;  // by key, then by epoch

Values values_of(const Run& run) {
  Values values;
  for (const Json& line : read_metrics(run.folder)) {
    const auto epoch = line.find("epoch");
    if (epoch == line.end() || !epoch->is_number()) continue;
    const double at = epoch->get<double>();
    for (const auto& [key, value] : line.items()) {
      if (value.is_number()) values[key][at] = value.get<double>();
      if (value.is_object() && value.contains("mean") && value["mean"].is_number())
        values[key + "/mean"][at] = value["mean"].get<double>();
    }
  }
  for (const char* key : kLeftOut) values.erase(key);
  return values;
}

Series series_of(const std::string& name, const std::vector<Values>& runs, const std::string& key) {
  std::map<double, std::vector<double>> by_epoch;
  for (const Values& values : runs)
    if (const auto found = values.find(key); found != values.end())
      for (const auto& [epoch, value] : found->second) by_epoch[epoch].push_back(value);
  Series series{.name = name, .style = Series::Style::kLine, .values = {}, .band = runs.size() > 1};
  for (const auto& [epoch, list] : by_epoch) {
    const Statistic found = *summarize(list);
    series.values.push_back(
        {.x = epoch, .y = found.mean, .spread = found.spread, .x_spread = std::nullopt});
  }
  return series;
}

std::vector<std::pair<std::string, std::string>> keys_in_order(
    const std::vector<std::vector<Values>>& groups) {
  std::map<std::string, bool> all;  // the value says whether it is listed already
  for (const auto& group : groups)
    for (const Values& values : group)
      for (const auto& [key, curve] : values) all[key] = false;
  std::vector<std::pair<std::string, std::string>> keys;
  for (const auto& [key, label] : kKnown) {
    const auto found = all.find(key);
    if (found == all.end()) continue;
    keys.emplace_back(key, label);
    found->second = true;
  }
  for (const auto& [key, is_listed] : all)
    if (!is_listed) keys.emplace_back(key, key);
  return keys;
}

}  // namespace

std::vector<Plot> curve_plots(const std::vector<Run>& runs) {
  std::vector<RunGroup> groups = group_runs(runs);
  std::vector<std::vector<Values>> values;
  std::vector<size_t> counts;
  for (const RunGroup& group : groups) {
    values.emplace_back();
    counts.push_back(group.runs.size());
    for (const Run* run : group.runs) values.back().push_back(values_of(*run));
  }

  std::vector<Plot> plots;
  for (const auto& [key, label] : keys_in_order(values)) {
    Plot plot;
    plot.x_label = "epoch";
    plot.title = label;
    plot.area_height = 200;
    plot.least_width = 520;
    for (size_t g = 0; g < groups.size(); ++g)
      plot.series.push_back(series_of(groups[g].name, values[g], key));
    plots.push_back(std::move(plot));
  }
  SPIKENM_CHECK(!plots.empty(), "plot: found no run with a finished epoch");
  if (std::any_of(counts.begin(), counts.end(), [](size_t n) { return n > 1; })) {
    std::string note = spread_note("bands", counts);
    note.replace(0, note.find(':'), "lines");
    plots.back().note = note;
  }
  return plots;
}

std::string curves_svg(const std::string& title, const std::vector<Run>& runs) {
  return panels_svg(title, curve_plots(runs), 2);
}

}  // namespace spikenm::report
