#include "spikenm/report/latex_table.h"

#include "spikenm/core/say.h"

#include <algorithm>
#include <array>
#include <utility>

namespace spikenm::report {

std::string escape_latex(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kSigns{
      {{"\\", "\\textbackslash{}"},
       {"&", "\\&"},
       {"%", "\\%"},
       {"$", "\\$"},
       {"#", "\\#"},
       {"_", "\\_"},
       {"{", "\\{"},
       {"}", "\\}"},
       {"~", "\\textasciitilde{}"},
       {"^", "\\textasciicircum{}"},
       {" *", "$^{*}$"},
       {"±", "$\\pm$"},
       {"Δ", "$\\Delta$"},
       {"µ", "$\\mu$"},
       {"τ", "$\\tau$"}}};
  std::string out;
  const std::string plain = printable(text);
  for (size_t at = 0; at < plain.size();) {
    const std::string_view rest = std::string_view(plain).substr(at);
    const auto sign = std::find_if(kSigns.begin(), kSigns.end(),
                                   [&](const auto& s) { return rest.starts_with(s.first); });
    if (sign == kSigns.end()) {
      out += plain[at++];
    } else {
      out += sign->second;
      at += sign->first.size();
    }
  }
  return out;
}

std::string latex_table(const TableCells& cells) {
  const auto line = [](const std::vector<std::string>& row) {
    std::string text = "  ";
    for (size_t c = 0; c < row.size(); ++c) text += (c == 0 ? "" : " & ") + escape_latex(row[c]);
    return text + " \\\\\n";
  };
  std::string text = "% needs \\usepackage{booktabs}\n";
  if (!cells.caption.empty()) text += "% " + printable(cells.caption) + "\n";
  text += "\\begin{tabular}{l" + std::string(cells.header.size() - 1, 'r') + "}\n  \\toprule\n" +
          line(cells.header) + "  \\midrule\n";
  for (size_t r = 0; r < cells.rows.size(); ++r) {
    const auto group = std::find(cells.group_begins.begin(), cells.group_begins.end(), r);
    if (group != cells.group_begins.end()) {
      const size_t g = static_cast<size_t>(group - cells.group_begins.begin());
      if (g > 0) text += "  \\midrule\n";
      text += "  \\multicolumn{" + std::to_string(cells.header.size()) + "}{l}{" +
              escape_latex(cells.group_names[g]) + "} \\\\\n";
    }
    text += line(cells.rows[r]);
  }
  text += "  \\bottomrule\n\\end{tabular}\n";
  for (const std::string& note : cells.notes) text += "% " + printable(note) + "\n";
  return text;
}

}  // namespace spikenm::report
