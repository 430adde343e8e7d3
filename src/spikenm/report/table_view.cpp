#include "spikenm/report/table_view.h"

#include "spikenm/core/text.h"
#include "spikenm/report/fit_columns.h"
#include "spikenm/report/latex_table.h"
#include "spikenm/report/paper_table.h"
#include "spikenm/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <sstream>

namespace spikenm::report {
namespace {

std::optional<double> leading_number(const std::string& text) {
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  const bool is_pattern = end != text.data() + text.size() && *end == ':';
  return error == std::errc() && !is_pattern ? std::optional(value) : std::nullopt;
}

// Numbers by value, other text by letters; rows without a value come last.
void sort_rows(std::vector<PaperRow>& rows, const ViewColumn& column, bool descending) {
  std::stable_sort(rows.begin(), rows.end(), [&](const PaperRow& a, const PaperRow& b) {
    const std::string left = column.cell(a), right = column.cell(b);
    if (left.empty() || right.empty()) return !left.empty() && right.empty();
    const auto x = leading_number(left), y = leading_number(right);
    if (x && y) return descending ? *x > *y : *x < *y;
    return descending ? left > right : left < right;
  });
}

bool is_same(const ViewColumn& column, const std::vector<PaperRow>& rows) {
  return std::all_of(rows.begin(), rows.end(), [&](const PaperRow& row) {
    return column.cell(row) == column.cell(rows.front());
  });
}

void add_groups(TableCells& cells, const std::vector<PaperRow>& rows, const ViewColumn& column) {
  for (size_t r = 0; r < rows.size(); ++r) {
    const std::string name = column.cell(rows[r]);
    if (r > 0 && name == column.cell(rows[r - 1])) continue;
    cells.group_begins.push_back(r);
    cells.group_names.push_back(column.name + " " + (name.empty() ? "-" : name));
  }
}

// Leaves what differs; says in the caption what all rows share, and in a note what did not fit.
std::vector<ViewColumn> fitting_columns(std::vector<ViewColumn> shown,
                                        const std::vector<PaperRow>& rows, const TableView& view,
                                        TableCells& cells) {
  const bool all = view.columns == std::vector<std::string>{"all"};
  std::erase_if(shown, [&](const ViewColumn& column) {
    const bool empty = is_same(column, rows) && column.cell(rows.front()).empty();
    return empty || column.key == "settings" || (!all && column.key == "folder");
  });
  if (all) return shown;

  std::vector<std::string> common;
  std::erase_if(shown, [&](const ViewColumn& column) {
    const bool goes =
        rows.size() > 1 && column.names_row && is_same(column, rows) && column.key != "method";
    if (goes) common.push_back(column.name + " " + column.cell(rows.front()));
    return goes;
  });
  cells.caption = join(common, ", ");

  const std::vector<std::string> gone =
      fit_columns(shown, rows, view.most_width, view.format == ViewFormat::kText);
  if (!gone.empty())
    cells.notes.push_back("left out to fit: " + join(gone, ", ") + " (--columns all)");
  return shown;
}

void sort_as_asked(std::vector<PaperRow>& rows, const TableView& view,
                   const std::vector<std::string>& flags) {
  if (!view.sort.empty()) {
    const bool descending = view.sort.starts_with('-');
    sort_rows(rows, column_named(view.sort.substr(descending ? 1 : 0), "--sort", rows, flags),
              descending);
  }
  if (!view.group_by.empty())
    sort_rows(rows, column_named(view.group_by, "--group-by", rows, flags), /*descending=*/false);
}

// The text in lines of this width, broken at spaces.
std::vector<std::string> lines_of(const std::string& text, size_t width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.empty() && width_of(lines.back()) + 1 + width_of(word) <= width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace

void wrap_around(TableCells& cells, size_t width) {
  cells.caption = join(lines_of(cells.caption, width), "\n");
  std::vector<std::string> notes;
  for (const std::string& note : cells.notes)
    for (std::string& line : lines_of(note, width)) notes.push_back(std::move(line));
  cells.notes = std::move(notes);
}

TableCells view_cells(std::vector<PaperRow> rows, const TableView& view) {
  TableCells cells;
  const std::vector<std::string> flags = flags_of(rows);
  sort_as_asked(rows, view, flags);

  const bool fits = view.columns.empty() || view.columns.front() == "all";
  std::vector<ViewColumn> shown;
  if (fits) {
    shown = fitting_columns(view_columns(rows, flags), rows, view, cells);
  } else {
    for (const std::string& name : view.columns)
      shown.push_back(column_named(name, "--columns", rows, flags));
  }
  std::erase_if(shown, [&](const ViewColumn& column) { return column.key == view.group_by; });

  for (const ViewColumn& column : shown) cells.header.push_back(column.heading());
  for (const PaperRow& row : rows) {
    cells.rows.emplace_back();
    for (const ViewColumn& column : shown) cells.rows.back().push_back(column.text(row));
  }
  if (!view.group_by.empty())
    add_groups(cells, rows, column_named(view.group_by, "--group-by", rows, flags));
  if (std::any_of(rows.begin(), rows.end(), std::mem_fn(&PaperRow::is_best_control)))
    cells.notes.emplace_back("* best control: neither dense nor SpikeNM");
  for (size_t f = 0; f < flags.size(); ++f) {
    std::string note = flags[f];
    std::replace(note.begin(), note.end(), '_', ' ');
    cells.notes.push_back(fmt::format("[{}] published: {}", f + 1, note));
  }
  if (view.format == ViewFormat::kText) wrap_around(cells, view.most_width);
  return cells;
}

std::string csv_view(std::vector<PaperRow> rows, const TableView& view) {
  sort_as_asked(rows, view, {});
  std::vector<Column> columns;
  const bool all = view.columns.empty() || view.columns.front() == "all";
  if (all) columns = csv_columns();
  for (const std::string& key : all ? std::vector<std::string>() : view.columns)
    for (Column& column : csv_columns_named(key, "--columns", rows))
      columns.push_back(std::move(column));
  return format_csv(columns, rows);
}

std::string format_view(const std::vector<PaperRow>& rows, const TableView& view) {
  return format_cells(view_cells(rows, view), view.format);
}

std::string format_cells(const TableCells& cells, ViewFormat view_format) {
  if (view_format == ViewFormat::kLatex) return latex_table(cells);
  const bool markdown = view_format == ViewFormat::kMarkdown;
  std::string text = cells.caption.empty() ? "" : cells.caption + "\n\n";
  const auto format = [&](const std::vector<std::vector<std::string>>& part) {
    return markdown ? markdown_table(cells.header, part) : format_table(cells.header, part);
  };
  if (cells.group_begins.empty()) text += format(cells.rows);
  for (size_t g = 0; g < cells.group_begins.size(); ++g) {
    const size_t begin = cells.group_begins[g];
    const size_t end =
        g + 1 < cells.group_begins.size() ? cells.group_begins[g + 1] : cells.rows.size();
    text += (g == 0 ? "" : "\n") + cells.group_names[g] + "\n" + (markdown ? "\n" : "");
    text += format({cells.rows.begin() + static_cast<std::ptrdiff_t>(begin),
                    cells.rows.begin() + static_cast<std::ptrdiff_t>(end)});
  }
  for (size_t n = 0; n < cells.notes.size(); ++n) {
    text += n == 0 || markdown ? "\n" : "";
    text += (markdown && cells.notes[n].starts_with('*') ? "\\" : "") + cells.notes[n] + "\n";
  }
  return text;
}

}  // namespace spikenm::report
