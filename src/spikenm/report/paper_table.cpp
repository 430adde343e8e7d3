#include "spikenm/report/paper_table.h"

#include "spikenm/report/csv.h"
#include "spikenm/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace spikenm::report {

std::string format_csv(const std::vector<Column>& columns, const std::vector<PaperRow>& rows) {
  const auto line = [&](const auto& text_of) {
    std::vector<std::string> cells;
    for (const Column& column : columns) cells.push_back(text_of(column));
    return csv_line(cells);
  };
  std::string text = line([](const Column& column) { return column.name; });
  for (const PaperRow& row : rows)
    text += line([&](const Column& column) { return column.cell(row); });
  return text;
}

std::string format_paper_table(const std::vector<PaperRow>& rows, TableFormat format) {
  const std::vector<std::string> flags = flags_of(rows);
  if (format == TableFormat::kCsv) return format_csv(csv_columns(), rows);

  std::vector<std::string> header;
  std::vector<std::vector<std::string>> cells(rows.size());
  for (const Column& column : reading_columns(flags)) {
    std::vector<std::string> texts;
    for (const PaperRow& row : rows) texts.push_back(column.cell(row));
    const bool empty = std::all_of(texts.begin(), texts.end(), std::mem_fn(&std::string::empty));
    if (empty) continue;

    header.push_back(column.name);
    for (size_t r = 0; r < rows.size(); ++r) cells[r].push_back(texts[r]);
  }

  std::string text = format == TableFormat::kMarkdown ? markdown_table(header, cells)
                                                      : format_table(header, cells);
  for (size_t f = 0; f < flags.size(); ++f) {
    std::string note = flags[f];
    std::replace(note.begin(), note.end(), '_', ' ');
    text += fmt::format("{}[{}] published: {}\n", f == 0 ? "\n" : "", f + 1, note);
  }
  return text;
}

}  // namespace spikenm::report
