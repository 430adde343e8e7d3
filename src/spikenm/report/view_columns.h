// The columns that a table of runs may show: names, figures, and the config keys in which runs
// differ.
#pragma once

#include "spikenm/report/paper_columns.h"

#include <limits>
#include <string>
#include <vector>

namespace spikenm::report {

struct ViewColumn {
  std::string key;   // its name for the command line: "acc", "train.epochs"
  std::string name;  // its heading
  std::function<std::string(const PaperRow&)> cell;
  // When it goes from a table that is too wide: the highest first, those with 0 never.
  int goes = 0;
  bool names_row = false;                            // rather than measures it
  bool is_setting = false;                           // a key of the config
  size_t most = std::numeric_limits<size_t>::max();  // characters of a cell; others are cut

  // What the table shows, cut where it is too long.
  [[nodiscard]] std::string heading() const;
  [[nodiscard]] std::string text(const PaperRow& row) const;
};

// Names of the columns that every table may have.
std::vector<std::string> column_keys();

// Those columns, and one for every key in which rows differ that would show the same names.
// `flags`: as reading_columns.
std::vector<ViewColumn> view_columns(const std::vector<PaperRow>& rows,
                                     const std::vector<std::string>& flags);

// The column of that name, or of that config key of any run. Otherwise an Error that begins with
// `option`.
ViewColumn column_named(const std::string& key, const char* option,
                        const std::vector<PaperRow>& rows, const std::vector<std::string>& flags);

// The same for CSV: a figure is two columns, its mean and its spread.
std::vector<Column> csv_columns_named(const std::string& key, const char* option,
                                      const std::vector<PaperRow>& rows);

// Characters on a screen.
size_t width_of(const std::string& utf8);

// The text in at most so many of them; … stands for what was cut.
std::string cut(const std::string& text, size_t most);

}  // namespace spikenm::report
