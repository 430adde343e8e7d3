#include "spikenm/report/paper_table.h"

#include "spikenm/report/csv.h"
#include "spikenm/report/paper_columns.h"
#include "spikenm/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace spikenm::report {
std::string format_paper_table(const std::vector<PaperRow>& rows, TableFormat format) {
  const std::vector<std::string> flags = flags_of(rows);
  const bool csv = format == TableFormat::kCsv;

  std::vector<std::string> header;
  std::vector<std::vector<std::string>> cells(rows.size());
  for (const Column& column : csv ? csv_columns() : reading_columns(flags)) {
    std::vector<std::string> texts;
    for (const PaperRow& row : rows) texts.push_back(column.cell(row));
    const bool empty = std::all_of(texts.begin(), texts.end(), std::mem_fn(&std::string::empty));
    if (empty && !csv) continue;

    header.push_back(column.name);
    for (size_t r = 0; r < rows.size(); ++r) cells[r].push_back(texts[r]);
  }

  if (csv) {
    std::string text = csv_line(header);
    for (const auto& row : cells) text += csv_line(row);
    return text;
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
