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
  std::map<std::string, double> numbers;
};

// Numbers of results that every finished run has or may have, and what an axis calls them. Numbers
// of other names can be drawn too.
std::string column_label(const std::string& column);
const std::vector<std::string>& known_columns();

// The numbers of finished runs. Series are methods with what tells them apart, or the values of
// `by`, a config key such as "method.pattern".
std::vector<PointRow> rows_of_runs(const std::vector<Run>& runs, const std::string& by);

// The rows of a table with a row a run, such as results.csv of a sweep. Series are the values of
// the column `by`, or of the first one; points are told apart by all columns that hold text.
std::vector<PointRow> rows_of_csv(const Csv& csv, const std::string& by);

struct PointsOptions {
  std::string x = "weight_pct", y = "test_accuracy", title;
  bool log_x = false, log_y = false;
};

// An Error names a column that no row has. Rows without one of the two numbers are left out.
Plot points_plot(const std::vector<PointRow>& rows, const PointsOptions& options);

}  // namespace spikenm::report
