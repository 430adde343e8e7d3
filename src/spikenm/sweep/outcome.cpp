#include "spikenm/sweep/outcome.h"

#include "spikenm/core/file.h"
#include "spikenm/core/text.h"
#include "spikenm/core/toml.h"
#include "spikenm/report/csv.h"
#include "spikenm/report/points.h"
#include "spikenm/report/run_groups.h"
#include "spikenm/report/settings.h"
#include "spikenm/report/statistic.h"
#include "spikenm/report/table.h"
#include "spikenm/sweep/plot_x.h"

#include <algorithm>

namespace spikenm::sweep {
namespace {

using report::Statistic;

constexpr const char* kAccuracy = "test_accuracy";

// The value of a key in the run's config, as a cell; empty when the run has no such key.
std::string config_cell(const report::Run& run, const std::string& key) {
  for (const auto& [name, value] : flatten_tables(run.config))
    if (name == key) return value.is_string() ? value.get<std::string>() : value.dump();
  return "";
}

// Names of all numbers in the results, in order of first appearance.
std::vector<std::string> number_keys(const std::vector<MemberRun>& runs) {
  std::vector<std::string> keys;
  for (const MemberRun& run : runs) {
    for (const auto& [key, value] : run.run.result.items()) {
      if (value.is_number() && key != "seed" &&
          std::find(keys.begin(), keys.end(), key) == keys.end())
        keys.push_back(key);
    }
  }
  return keys;
}

std::string number_cell(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

void check_number(const char* axis, const std::string& name, const std::vector<MemberRun>& runs) {
  const std::vector<std::string> names = number_keys(runs);
  SPIKENM_CHECK(std::find(names.begin(), names.end(), name) != names.end(),
                "plot.{}: found no number '{}' in the results; the nearest is {}, of: {}", axis,
                name, nearest(name, names), join(names, ", "));
}

report::Series& series_named(report::Plot& plot, const std::string& name,
                             report::Series::Style style) {
  const auto found = std::find_if(plot.series.begin(), plot.series.end(),
                                  [&](const report::Series& s) { return s.name == name; });
  if (found != plot.series.end()) return *found;
  return plot.series.emplace_back(report::Series{.name = name, .style = style, .values = {}});
}

// The places of the groups along x, in order of first appearance.
std::vector<std::string> places_of(const std::vector<Group>& groups, const std::string& reference) {
  std::vector<std::string> places;
  for (const Group& group : groups) {
    const std::string& place = group.member->place;
    if (!place.empty() && group.name != reference &&
        std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(place);
  }
  return places;
}

// What others published for the group, which is its accuracy.
void add_published(const Spec& spec, const Group& group,
                   const std::map<std::string, double>& published, double x,
                   report::Series::Style style, report::Plot& plot) {
  const auto theirs = published.find(group.name);
  if (theirs == published.end() || spec.plot.y != kAccuracy) return;
  series_named(plot, "published", style)
      .values.push_back(
          {.x = x, .y = theirs->second, .spread = std::nullopt, .x_spread = std::nullopt});
}

void sort_by_x(report::Plot& plot) {
  for (report::Series& series : plot.series)
    std::stable_sort(series.values.begin(), series.values.end(),
                     [](const auto& a, const auto& b) { return a.x < b.x; });
}

// One curve per series, a point where each group was measured to be. Published accuracies stand at
// the places of ours: nobody says where else.
void add_measured(const Spec& spec, const std::vector<Group>& groups,
                  const std::map<std::string, double>& published, report::Plot& plot) {
  for (const Group& group : groups) {
    const std::optional<Statistic> x = group.number(spec.plot.x), y = group.number(spec.plot.y);
    if (group.name == spec.plot.reference || !x || !y) continue;
    const std::string name = group.member->series.empty() ? "ours" : group.member->series;
    series_named(plot, name, report::Series::Style::kLine)
        .values.push_back({.x = x->mean, .y = y->mean, .spread = y->spread, .x_spread = x->spread});
    add_published(spec, group, published, x->mean, report::Series::Style::kPoints, plot);
  }
  sort_by_x(plot);
}

// One curve per series when the places are numbers, else points at the names of the places.
void add_series(const Spec& spec, const std::vector<Group>& groups,
                const std::map<std::string, double>& published, report::Plot& plot) {
  using Style = report::Series::Style;
  const std::vector<std::string> places = places_of(groups, spec.plot.reference);
  const bool by_key = !spec.plot.x.empty() && spec.plot.x != kByMember;
  const bool numbers = by_key && std::all_of(places.begin(), places.end(), [](const auto& place) {
                         return report::number_in(place).has_value();
                       });

  if (!numbers) plot.names = places;
  for (const Group& group : groups) {
    const auto place = std::find(places.begin(), places.end(), group.member->place);
    const std::optional<Statistic> y = group.number(spec.plot.y);
    if (place == places.end() || group.name == spec.plot.reference || !y) continue;

    const double x =
        numbers ? *report::number_in(*place) : static_cast<double>(place - places.begin());
    const std::string name = group.member->series.empty() ? "ours" : group.member->series;
    const Style style = numbers ? Style::kLine : Style::kPoints;
    series_named(plot, name, style)
        .values.push_back({.x = x, .y = y->mean, .spread = y->spread, .x_spread = std::nullopt});

    add_published(spec, group, published, x, style, plot);
  }

  sort_by_x(plot);
}

}  // namespace

std::map<std::string, double> read_published(const Spec& spec) {
  std::map<std::string, double> accuracies;
  if (spec.published.empty()) return accuracies;
  const report::Csv csv = report::parse_csv(read_file(spec.published), spec.published.string());
  const size_t accuracy = csv.column("acc");
  for (const report::Csv::Row& row : csv.rows) {
    const std::optional<double> value = report::number_in(row.cells[accuracy]);
    SPIKENM_CHECK(value.has_value(), "{}:{}: acc: found '{}', wanted a number", csv.source,
                  row.line, row.cells[accuracy]);
    accuracies[row.cells.front()] = *value;
  }
  return accuracies;
}

std::string results_csv(const Spec& spec, const std::vector<MemberRun>& runs) {
  const std::vector<std::string> swept = swept_keys(spec), numbers = number_keys(runs);
  std::vector<std::string> header{"member", "seed"};
  header.insert(header.end(), swept.begin(), swept.end());
  header.insert(header.end(), {"config_md5", "build"});
  header.insert(header.end(), numbers.begin(), numbers.end());

  std::string text = report::csv_line(header);
  for (const MemberRun& run : runs) {
    std::vector<std::string> cells{spec.members[run.member].name, fmt::format("{}", run.seed)};
    for (const std::string& key : swept) cells.push_back(config_cell(run.run, key));
    cells.push_back(report::settings_hash(run.run));
    cells.push_back(build_of(run.run));
    for (const std::string& key : numbers) cells.push_back(number_cell(run.run.number(key)));
    text += report::csv_line(cells);
  }
  return text;
}

std::string summary_csv(const Spec& spec, const std::vector<MemberRun>& runs) {
  std::vector<std::string> swept = swept_keys(spec);
  std::erase_if(swept, [&](const std::string& key) {
    return std::find(spec.pool.begin(), spec.pool.end(), key) != spec.pool.end();
  });

  const std::vector<std::string> numbers = number_keys(runs);
  std::vector<std::string> header{"member"};
  header.insert(header.end(), swept.begin(), swept.end());
  header.emplace_back("n");
  for (const std::string& key : numbers) {
    header.push_back(key);
    header.push_back(key + "_spread");
  }

  std::string text = report::csv_line(header);
  for (const Group& group : groups_of(spec, runs)) {
    std::vector<std::string> cells{group.name};
    for (const std::string& key : swept) cells.push_back(config_cell(group.runs.front()->run, key));
    cells.push_back(fmt::format("{}", group.runs.size()));
    for (const std::string& key : numbers) {
      const std::optional<Statistic> found = group.number(key);
      cells.push_back(found ? number_cell(found->mean) : "");
      cells.push_back(found ? number_cell(found->spread) : "");
    }
    text += report::csv_line(cells);
  }
  return text;
}

std::string summary_table(const Spec& spec, const std::vector<MemberRun>& runs,
                          const std::map<std::string, double>& published) {
  const std::vector<Group> groups = groups_of(spec, runs);
  const Group* reference = find_group(groups, spec.plot.reference);
  const auto base = reference == nullptr ? std::nullopt : reference->number(kAccuracy);

  std::vector<std::string> header{"member", "test acc %", "best val %"};
  if (base) header.push_back("Δ " + spec.plot.reference);
  for (const char* name : {"weight %", "conn %", "SOPs M", "runs"}) header.emplace_back(name);
  if (!published.empty()) header.emplace_back("published %");

  std::vector<std::vector<std::string>> rows;
  for (const Group& group : groups) {
    const auto cell = [&](const char* key) {
      const std::optional<Statistic> found = group.number(key);
      return found ? to_text(*found) : std::string();
    };

    const std::optional<Statistic> accuracy = group.number(kAccuracy);
    std::vector<std::string> row{group.name, cell(kAccuracy), cell("test_accuracy_best_val")};
    if (base) row.push_back(accuracy ? fmt::format("{:+.2f}", accuracy->mean - base->mean) : "");
    for (const char* key : {"weight_pct", "conn_pct", "sops_m"}) row.push_back(cell(key));
    row.push_back(fmt::format("{}", group.runs.size()));

    const auto found = published.find(group.name);
    if (!published.empty())
      row.push_back(found == published.end() ? "" : fmt::format("{:.2f}", found->second));
    rows.push_back(std::move(row));
  }
  return report::format_table(header, rows);
}

report::Plot make_plot(const Spec& spec, const std::vector<MemberRun>& runs,
                       const std::map<std::string, double>& published) {
  const std::vector<Group> groups = groups_of(spec, runs);
  const bool by_result = x_is_result(spec);
  if (by_result) check_number("x", spec.plot.x, runs);
  check_number("y", spec.plot.y, runs);
  report::Plot plot;
  plot.title = spec.title;
  plot.x_label = spec.plot.x_label;
  if (plot.x_label.empty())
    plot.x_label = by_result ? report::column_label(spec.plot.x) : spec.plot.x;
  plot.y_label = report::column_label(spec.plot.y);
  plot.log_x = spec.plot.log;

  std::vector<size_t> counts;
  for (const Group& group : groups) counts.push_back(group.runs.size());
  plot.note = report::spread_note("bars", counts);
  if (by_result) {
    add_measured(spec, groups, published, plot);
  } else {
    add_series(spec, groups, published, plot);
  }
  const Group* reference = find_group(groups, spec.plot.reference);
  const auto y = reference == nullptr ? std::nullopt : reference->number(spec.plot.y);
  if (y) plot.references.push_back({.name = reference->name, .y = y->mean, .spread = y->spread});
  return plot;
}

}  // namespace spikenm::sweep
