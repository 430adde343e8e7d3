#include "spikenm/report/fit_columns.h"

#include <algorithm>

namespace spikenm::report {
namespace {

// Characters that a name or setting keeps: before a figure goes, and at the least.
constexpr size_t kLong = 24, kShort = 8;

size_t column_width(const ViewColumn& column, const std::vector<PaperRow>& rows) {
  size_t widest = width_of(column.heading());
  for (const PaperRow& row : rows) widest = std::max(widest, width_of(column.text(row)));
  return widest;
}

class Fitting {
 public:
  Fitting(std::vector<ViewColumn>& columns, const std::vector<PaperRow>& rows, size_t most)
      : columns_(columns), rows_(rows), most_(most) {}

  [[nodiscard]] bool fits() const { return table_width(columns_, rows_) <= most_; }

  // Cuts the longest name or setting, again and again, until none is longer than `least`.
  void cut_to(size_t least) {
    while (!fits()) {
      ViewColumn* longest = nullptr;
      size_t width = least;
      for (ViewColumn& column : columns_) {
        if (!column.names_row && !column.is_setting) continue;
        const size_t w = column_width(column, rows_);
        if (w <= width) continue;
        longest = &column;
        width = w;
      }
      if (longest == nullptr) return;
      longest->most = width - 1;
    }
  }

  void leave_out_figures() {
    while (!fits()) {
      const auto next = std::max_element(
          columns_.begin(), columns_.end(),
          [](const ViewColumn& a, const ViewColumn& b) { return a.goes < b.goes; });
      if (next == columns_.end() || next->goes == 0) return;
      leave_out(next);
    }
  }

  void leave_out_settings() {
    while (!fits()) {
      const auto last = std::find_if(columns_.rbegin(), columns_.rend(),
                                     [](const ViewColumn& column) { return column.is_setting; });
      if (last == columns_.rend()) return;
      leave_out(std::next(last).base());
    }
  }

  std::vector<std::string> gone;

 private:
  void leave_out(std::vector<ViewColumn>::iterator column) {
    gone.push_back(column->key);
    columns_.erase(column);
  }

  std::vector<ViewColumn>& columns_;
  const std::vector<PaperRow>& rows_;
  size_t most_;
};

}  // namespace

size_t table_width(const std::vector<ViewColumn>& columns, const std::vector<PaperRow>& rows) {
  size_t total = 0;
  for (const ViewColumn& column : columns) total += column_width(column, rows) + 2;
  return total < 2 ? 0 : total - 2;
}

std::vector<std::string> fit_columns(std::vector<ViewColumn>& columns,
                                     const std::vector<PaperRow>& rows, size_t most, bool may_cut) {
  Fitting fitting(columns, rows, most);
  if (may_cut) fitting.cut_to(kLong);
  fitting.leave_out_figures();
  if (may_cut) {
    fitting.cut_to(kShort);
    fitting.leave_out_settings();
  }
  return fitting.gone;
}

}  // namespace spikenm::report
