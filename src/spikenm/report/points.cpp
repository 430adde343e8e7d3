#include "spikenm/report/points.h"

#include "spikenm/core/error.h"
#include "spikenm/core/text.h"
#include "spikenm/core/toml.h"
#include "spikenm/report/run_groups.h"
#include "spikenm/report/settings.h"
#include "spikenm/report/statistic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

namespace spikenm::report {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 15> kColumns{
    {{"test_accuracy", "test accuracy %"},
     {"test_accuracy_best_val", "test accuracy %, model best on validation"},
     {"test_loss", "test loss"},
     {"test_top5", "test accuracy %, top 5"},
     {"val_accuracy", "validation accuracy %"},
     {"weight_pct", "weight %"},
     {"weight_pct_all", "weight %, of all layers"},
     {"conn_pct", "connections %"},
     {"neuron_pct", "neurons %"},
     {"sops_m", "SOPs of a sample, millions"},
     {"sops_m_upr", "SOPs of a sample, millions, as UPR counts"},
     {"energy_uj", "energy of a sample, µJ"},
     {"empty_blocks", "empty blocks"},
     {"seconds", "seconds of training"},
     {"milliseconds", "milliseconds of a sample"}}};

std::string value_of_key(const Run& run, const std::string& key) {
  for (const auto& [name, value] : flatten_tables(run.config))
    if (name == key) return value.is_string() ? value.get<std::string>() : value.dump();
  return "-";
}

constexpr const char* kHash = "config_md5";  // as results.csv of a sweep calls it

// A column whose text tells points apart: not numbers, and not what differs from seed to seed.
bool tells_points(const Csv& csv, size_t column) {
  static const std::set<std::string> kOfOneRun{"seed", kHash, "build", "commit"};
  if (kOfOneRun.contains(csv.header[column])) return false;
  return std::any_of(csv.rows.begin(), csv.rows.end(), [&](const Csv::Row& row) {
    return !row.cells[column].empty() && !number_in(row.cells[column]);
  });
}

void check_column(const std::vector<PointRow>& rows, const std::string& column) {
  std::set<std::string> all;
  for (const PointRow& row : rows)
    for (const auto& [name, value] : row.numbers) all.insert(name);
  const std::vector<std::string> names(all.begin(), all.end());
  SPIKENM_CHECK(all.contains(column), "plot: found no number '{}'; the nearest is {}, of: {}",
                column, nearest(column, names), join(names, ", "));
}

struct Found {
  std::vector<double> x, y;
};

// The parts of a path from where it is clear: "../runs/./a/" has runs and a.
std::vector<std::string> parts_of(const std::filesystem::path& path) {
  std::vector<std::string> parts;
  for (const std::filesystem::path& part : path.lexically_normal())
    if (!part.empty() && part != ".." && part != "." && part != "/") parts.push_back(part.string());
  return parts;
}

bool is_end_of(const std::string& name, const std::string& path) {
  const std::vector<std::string> end = parts_of(name), whole = parts_of(path);
  return !end.empty() && end.size() <= whole.size() &&
         std::equal(end.rbegin(), end.rend(), whole.rbegin());
}

void take_number(PointRow& row, const Csv& csv, const Csv::Row& line, size_t column) {
  const std::string &name = csv.header[column], &cell = line.cells[column];
  if (cell.empty()) return;
  const std::string where = fmt::format("{}:{}: {}", csv.source, line.line, name);
  const std::optional<double> value = number_in(cell);
  if (!value || !std::isfinite(*value)) {
    row.words[name] = fmt::format("{}: found '{}'", where, cell);
    return;
  }
  const double there = row.numbers.emplace(name, *value).first->second;
  SPIKENM_CHECK(there == *value, "{}: found {}, but {} has {} itself; wanted another name", where,
                *value, row.run, there);
}

void check_rows(const Csv& csv) {
  SPIKENM_CHECK(!csv.rows.empty(), "{}: found no rows below the column names", csv.source);
}

// The number of a row; nothing where it has none. An Error names a cell that is something else.
std::optional<double> number_of(const PointRow& row, const std::string& column) {
  const auto word = row.words.find(column);
  SPIKENM_CHECK(word == row.words.end(), "{}, wanted a finite number", word->second);
  const auto found = row.numbers.find(column);
  return found == row.numbers.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::string column_label(const std::string& column) {
  for (const auto& [name, label] : kColumns)
    if (column == name) return label;
  return column;
}

void check_key(const std::vector<Run>& runs, const std::string& key) {
  std::set<std::string> all;
  for (const Run& run : runs)
    for (const auto& [name, value] : flatten_tables(run.config)) all.insert(name);
  SPIKENM_CHECK(all.contains(key),
                "--by: found no key '{}' in the runs' configs; the nearest is {}", key,
                nearest(key, {all.begin(), all.end()}));
}

std::vector<PointRow> rows_of_runs(const std::vector<Run>& runs, const std::string& by) {
  std::vector<PointRow> rows;
  for (const RunGroup& group : group_runs(runs)) {
    for (const Run* run : group.runs) {
      PointRow row{.series = by.empty() ? group.name : value_of_key(*run, by),
                   .point = group.name,
                   .run = std::filesystem::absolute(run->folder).lexically_normal().string(),
                   .numbers = {},
                   .settings = settings_hash(*run)};
      row.where = row.run;
      for (const auto& [key, value] : run->result.items())
        if (value.is_number()) row.numbers[key] = value.get<double>();
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<PointRow> rows_of_csv(const Csv& csv, const std::string& by) {
  check_rows(csv);
  const size_t series = by.empty() ? 0 : csv.column(by);
  const auto hash = std::find(csv.header.begin(), csv.header.end(), kHash);
  std::vector<size_t> told_by;
  for (size_t c = 0; c < csv.header.size(); ++c)
    if (tells_points(csv, c)) told_by.push_back(c);

  std::vector<PointRow> rows;
  for (const Csv::Row& line : csv.rows) {
    PointRow row{
        .series = line.cells[series], .point = "", .run = line.cells.front(), .numbers = {}};
    for (const size_t c : told_by)
      if (!line.cells[c].empty()) row.point += csv.header[c] + "=" + line.cells[c] + '\n';
    row.where = fmt::format("{}:{}", csv.source, line.line);
    for (size_t c = 0; c < line.cells.size(); ++c) take_number(row, csv, line, c);
    if (hash != csv.header.end())
      row.settings = line.cells[static_cast<size_t>(hash - csv.header.begin())];
    rows.push_back(std::move(row));
  }
  return rows;
}

void add_numbers(std::vector<PointRow>& rows, const Csv& more) {
  check_rows(more);
  std::map<std::vector<std::string>, size_t> named;  // names of runs, and the line of each
  std::vector<const Csv::Row*> lines;
  for (const Csv::Row& line : more.rows) {
    lines.push_back(&line);
    const auto [first, is_new] = named.emplace(parts_of(line.cells.front()), line.line);
    SPIKENM_CHECK(is_new, "{}:{}: found '{}' again, wanted one line a run; it is in line {} too",
                  more.source, line.line, line.cells.front(), first->second);
  }
  // Longer names come later, and are those that count.
  std::stable_sort(lines.begin(), lines.end(), [](const Csv::Row* a, const Csv::Row* b) {
    return parts_of(a->cells.front()).size() < parts_of(b->cells.front()).size();
  });

  std::vector<const Csv::Row*> line_of(rows.size());
  for (const Csv::Row* line : lines) {
    const PointRow* first = nullptr;
    for (size_t r = 0; r < rows.size(); ++r) {
      const PointRow& row = rows[r];
      if (!is_end_of(line->cells.front(), row.run)) continue;
      if (first == nullptr) first = &row;
      SPIKENM_CHECK(
          row.series == first->series && row.point == first->point,
          "{}:{}: '{}' fits runs of several settings ({} and {}); wanted more of the path",
          more.source, line->line, line->cells.front(), first->run, row.run);
      line_of[r] = line;
    }
  }
  bool has_any = false;
  for (size_t r = 0; r < rows.size(); ++r) {
    if (line_of[r] == nullptr) continue;
    has_any = true;
    for (size_t c = 1; c < more.header.size(); ++c) take_number(rows[r], more, *line_of[r], c);
  }
  SPIKENM_CHECK(has_any, "{}: found none of the runs in the column '{}', wanted names such as '{}'",
                more.source, more.header.front(), rows.empty() ? "" : rows.front().run);
}

std::vector<std::string> add_rows(std::vector<PointRow>& rows, std::vector<PointRow> more) {
  std::set<std::tuple<std::string, std::string, double>> there;
  std::map<std::string, std::pair<std::string, std::string>> homes;  // of settings: series, point
  for (const PointRow& row : rows) {
    if (!row.settings.empty()) homes.try_emplace(row.settings, row.series, row.point);
    if (const auto seed = row.numbers.find("seed"); seed != row.numbers.end())
      there.emplace(row.series, row.point, seed->second);
  }

  std::vector<std::string> repeated;
  for (PointRow& row : more) {
    if (const auto home = homes.find(row.settings); home != homes.end())
      std::tie(row.series, row.point) = home->second;
    const auto seed = row.numbers.find("seed");
    if (seed != row.numbers.end() && there.contains({row.series, row.point, seed->second})) {
      repeated.push_back(fmt::format("{}, seed {}", row.run, seed->second));
    } else {
      rows.push_back(std::move(row));
    }
  }
  return repeated;
}

void drop_series(std::vector<PointRow>& rows, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::set<std::string> all;
    for (const PointRow& row : rows) all.insert(row.series);
    SPIKENM_CHECK(all.contains(name), "--drop: found no curve '{}', wanted one of: {}", name,
                  join({all.begin(), all.end()}, ", "));
    std::erase_if(rows, [&](const PointRow& row) { return row.series == name; });
  }
}

void rename_series(std::vector<PointRow>& rows, const std::vector<std::string>& names) {
  for (const std::string& text : names) {
    const size_t equals = text.find('=');
    SPIKENM_CHECK(equals != std::string::npos && equals > 0 && equals + 1 < text.size(),
                  "--rename: found '{}', wanted OLD=NEW", text);
    const std::string old = text.substr(0, equals);
    std::set<std::string> all;
    for (PointRow& row : rows) {
      all.insert(row.series);
      if (row.series == old) row.series = text.substr(equals + 1);
    }
    SPIKENM_CHECK(all.contains(old), "--rename: found no curve '{}', wanted one of: {}", old,
                  join({all.begin(), all.end()}, ", "));
  }
}

std::vector<std::string> gaps_of(const std::vector<PointRow>& rows, const PointsOptions& options) {
  std::vector<std::string> gaps;
  for (const PointRow& row : rows) {
    const bool has_x = row.numbers.contains(options.x);
    if (has_x && row.numbers.contains(options.y)) continue;
    gaps.push_back(fmt::format("{}: found no {}", row.where, has_x ? options.y : options.x));
  }
  return gaps;
}

Plot points_plot(const std::vector<PointRow>& rows, const PointsOptions& options) {
  std::vector<std::string> order;
  std::map<std::string, std::map<std::string, Found>> found;
  for (const PointRow& row : rows) {
    const std::optional<double> x = number_of(row, options.x), y = number_of(row, options.y);
    if (!x || !y) continue;
    if (!found.contains(row.series)) order.push_back(row.series);
    Found& point = found[row.series][row.point];
    point.x.push_back(*x);
    point.y.push_back(*y);
  }
  check_column(rows, options.x);
  check_column(rows, options.y);

  Plot plot;
  plot.title = options.title;
  plot.x_label = column_label(options.x);
  plot.y_label = column_label(options.y);
  plot.log_x = options.log_x;
  plot.log_y = options.log_y;
  plot.labels = options.labels;
  std::vector<size_t> counts;
  for (const std::string& name : order) {
    Series series{.name = name, .style = Series::Style::kLine, .values = {}};
    for (const auto& [point, values] : found[name]) {
      const Statistic x = *summarize(values.x), y = *summarize(values.y);
      counts.push_back(y.n);
      series.values.push_back({.x = x.mean, .y = y.mean, .spread = y.spread, .x_spread = x.spread});
    }
    std::sort(series.values.begin(), series.values.end(),
              [](const auto& a, const auto& b) { return a.x < b.x; });
    plot.series.push_back(std::move(series));
  }
  plot.note = spread_note("bars", counts);
  return plot;
}

}  // namespace spikenm::report
