// One measured number against another: a point for each setting, mean and spread over its runs.
#pragma once

#include "spikenm/report/csv.h"
#include "spikenm/report/plot.h"
#include "spikenm/report/runs.h"

#include <map>

namespace spikenm::report {

// One run.
struct PointRow {
  std::string series;  // the name in the legend
  std::string point;   // runs of one series with the same text are one point
  std::string run;     // the whole path of the run's folder, or the first cell of a CSV row
  std::map<std::string, double> numbers;
  std::string settings = {};  // settings_hash(), or the cell config_md5; empty: not known
  std::string where = {};     // its folder, or "a.csv:2"
  std::map<std::string, std::string> words = {};  // cells that are no finite number, in a message
};

// What an axis calls a number of the results: words for well-known ones, else its name.
std::string column_label(const std::string& column);

// An Error, with the nearest key, when no run's config has it.
void check_key(const std::vector<Run>& runs, const std::string& key);

// The numbers of finished runs. Series are methods with what tells them apart, or the values of
// `by`, a config key such as "method.pattern".
std::vector<PointRow> rows_of_runs(const std::vector<Run>& runs, const std::string& by);

// The rows of a table with a row a run, such as results.csv of a sweep. Series are the values of
// the column `by`, or of the first one; points are told apart by all columns that hold text.
std::vector<PointRow> rows_of_csv(const Csv& csv, const std::string& by);

// Gives the runs more numbers: those of the row of `more` whose first cell is the end of the run's
// path, such as "seed0" or "2x8/seed0"; of several rows, that of the longest. A run that is not among
// them stays as it is. An Error when none is, when a row fits runs of several settings or has the
// name of another row, and when a run has a number already, and another one.
void add_numbers(std::vector<PointRow>& rows, const Csv& more);

// Adds the rows of another table, or of run folders, but for runs that are there already: with the
// same seed, and the same settings or the same series and point. Runs of settings that are there join
// their point. Returns the names of those left out.
std::vector<std::string> add_rows(std::vector<PointRow>& rows, std::vector<PointRow> more);

// Leaves series out. An Error names one that no row has.
void drop_series(std::vector<PointRow>& rows, const std::vector<std::string>& names);

// Calls series otherwise: "old=new" each. An Error names an old name that no row has.
void rename_series(std::vector<PointRow>& rows, const std::vector<std::string>& names);

struct PointsOptions {
  std::string x = "weight_pct", y = "test_accuracy", title;
  bool log_x = false, log_y = false, labels = false;
};

// The rows that points_plot() leaves out, and why: without one of the two numbers.
std::vector<std::string> gaps_of(const std::vector<PointRow>& rows, const PointsOptions& options);

// An Error names a column that no row has, or a cell of the two columns that is no finite number.
Plot points_plot(const std::vector<PointRow>& rows, const PointsOptions& options);

}  // namespace spikenm::report
