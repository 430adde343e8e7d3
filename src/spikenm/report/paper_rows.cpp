#include "spikenm/report/paper_rows.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace spikenm::report {
namespace {

// A value of the config by its keys; null when it is missing.
Json config_value(const Run& run, const char* section, const char* key) {
  const auto found = run.config.find(section);
  const bool has = found != run.config.end() && found->is_object() && found->contains(key);
  return has ? found->at(key) : Json();
}

// A network with pruned neurons is not a baseline, even if its weights are dense. Older results
// have no granularity.
bool is_baseline(const Run& run) {
  const std::string granularity = run.text("granularity");
  return run.text("method") == "dense" && (granularity.empty() || granularity == "weight");
}

std::optional<Statistic> statistic(const std::vector<const Run*>& runs, const char* key) {
  std::vector<double> values;
  for (const Run* run : runs)
    if (const std::optional<double> value = run->number(key)) values.push_back(*value);
  return summarize(values);
}

std::optional<int64_t> time_steps(const Run& run) {
  if (const std::optional<double> T = run.number("T")) return static_cast<int64_t>(*T);
  const Json T = config_value(run, "model", "T");
  return T.is_number_integer() ? std::optional(T.get<int64_t>()) : std::nullopt;
}

// Whether the run used a part of the dataset, or left layers unmasked: no published figure is for
// such a run.
bool is_partial(const Run& run) {
  for (const char* size : {"train_size", "test_size"}) {
    const Json value = config_value(run, "data", size);
    if (value.is_number() && value.get<double>() > 0) return true;
  }

  const auto layers = run.result.find("layer_patterns");
  if (run.text("method") == "dense" || layers == run.result.end()) return false;
  return std::any_of(layers->begin(), layers->end(),
                     [](const Json& pattern) { return pattern == "dense"; });
}

// Keys of the network as the file of published figures writes them: a value has no spaces.
std::vector<std::string> network_of(const Settings& settings) {
  std::vector<std::string> words;
  for (const auto& [key, value] : settings) {
    if (!key.starts_with("model.")) continue;
    words.push_back(key.substr(6) + "=" + value);
    std::replace(words.back().begin(), words.back().end(), ' ', '-');
  }
  return words;
}

std::optional<double> mean_of(const std::optional<Statistic>& statistic) {
  return statistic ? std::optional(statistic->mean) : std::nullopt;
}

PaperRow make_row(const std::vector<const Run*>& runs, const std::vector<PublishedRow>& published) {
  const Run& first = *runs.front();
  PaperRow row{.dataset = first.text("data"),
               .method = first.text("method"),
               .pattern = first.text("pattern"),
               .granularity = first.text("granularity"),
               .model = first.text("model"),
               .T = time_steps(first),
               .settings = settings_of(first),
               .difference = {},
               .accuracy = statistic(runs, "test_accuracy"),
               .accuracy_best_val = statistic(runs, "test_accuracy_best_val"),
               .delta = std::nullopt,
               .weight_pct = statistic(runs, "weight_pct"),
               .weight_pct_all = statistic(runs, "weight_pct_all"),
               .conn_pct = statistic(runs, "conn_pct"),
               .neuron_pct = statistic(runs, "neuron_pct"),
               .sops_m = statistic(runs, "sops_m"),
               .energy_uj = statistic(runs, "energy_uj"),
               .n = runs.size(),
               .folders = {},
               .published = std::nullopt};
  for (const Run* run : runs) row.folders.push_back(run->folder.string());
  row.partial = is_partial(first);
  if (!row.partial) row.published = find_published(published, wanted_figure(row));
  return row;
}

// Rows that would show the same names also get the settings in which they differ.
void tell_apart(std::vector<PaperRow>& rows, const std::vector<Settings>& settings) {
  using Names = std::tuple<std::string, std::string, std::string, std::string, std::string,
                           std::optional<int64_t>>;
  std::map<Names, std::vector<size_t>> alike;
  for (size_t r = 0; r < rows.size(); ++r) {
    const PaperRow& row = rows[r];
    alike[{row.dataset, row.method, row.pattern, row.granularity, row.model, row.T}].push_back(r);
  }

  for (const auto& [names, places] : alike) {
    if (places.size() == 1) continue;
    std::vector<Settings> of_these;
    for (const size_t r : places) of_these.push_back(settings[r]);
    const std::vector<Difference> found = differences(of_these);
    for (size_t i = 0; i < places.size(); ++i) rows[places[i]].difference = found[i];
  }
}

// Controls search for different times: that alone does not make them another recipe.
void mark_best_controls(std::vector<PaperRow>& rows, const std::vector<Settings>& recipes) {
  std::map<std::tuple<Settings, std::string, std::string>, PaperRow*> best;
  for (size_t r = 0; r < rows.size(); ++r) {
    PaperRow& row = rows[r];
    if (row.method == "dense" || row.method == "spikenm" || !row.accuracy) continue;
    Settings recipe = recipes[r];
    recipe.erase("train.search_epochs");
    PaperRow*& found = best[{std::move(recipe), row.pattern, row.granularity}];
    if (found == nullptr || found->accuracy->mean < row.accuracy->mean) found = &row;
  }
  for (const auto& [kind, row] : best) row->is_best_control = true;
}

}  // namespace

PublishedRow wanted_figure(const PaperRow& row) {
  PublishedRow wanted;
  wanted.dataset = row.dataset;
  wanted.method = row.method;
  wanted.pattern = row.pattern;
  wanted.granularity = row.granularity.empty() ? "weight" : row.granularity;
  wanted.model = row.model;
  wanted.T = row.T;
  wanted.network = network_of(row.settings);
  wanted.weight_pct = mean_of(row.weight_pct);
  wanted.conn_pct = mean_of(row.conn_pct);
  return wanted;
}

std::vector<PaperRow> paper_rows(const std::vector<Run>& runs,
                                 const std::vector<PublishedRow>& published) {
  std::vector<Settings> order;
  std::map<Settings, std::vector<const Run*>> groups, dense;
  for (const Run& run : runs) {
    const Settings settings = settings_of(run);
    std::vector<const Run*>& group = groups[settings];
    if (group.empty()) order.push_back(settings);
    group.push_back(&run);
    if (is_baseline(run)) dense[recipe_of(run)].push_back(&run);
  }

  std::vector<PaperRow> rows;
  std::vector<Settings> recipes;
  for (const Settings& settings : order) {
    const std::vector<const Run*>& group = groups[settings];
    rows.push_back(make_row(group, published));
    recipes.push_back(recipe_of(*group.front()));
    const auto reference = statistic(dense[recipes.back()], "test_accuracy");
    if (reference && rows.back().accuracy)
      rows.back().delta = rows.back().accuracy->mean - reference->mean;
  }

  tell_apart(rows, order);
  mark_best_controls(rows, recipes);
  std::stable_sort(rows.begin(), rows.end(), [](const PaperRow& a, const PaperRow& b) {
    const bool a_sparse = a.method != "dense", b_sparse = b.method != "dense";
    return std::tie(a.dataset, a.model, a_sparse) < std::tie(b.dataset, b.model, b_sparse);
  });
  return rows;
}

}  // namespace spikenm::report
