#include "spikenm/report/table.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/json_text.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/say.h"

#include <algorithm>
#include <optional>

namespace spikenm::report {
namespace {

// Number of characters on screen; UTF-8 continuation bytes are not counted.
size_t width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

Json read_result(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / RunDir::kResult;
  return parse_json_object(read_file(path), path.string());
}

double number(const Json& result, const char* key, const std::filesystem::path& folder) {
  const auto it = result.find(key);
  SPIKENM_CHECK(it != result.end() && it->is_number(), "{}: found no number '{}' in {}",
                folder.string(), key, RunDir::kResult);
  return it->get<double>();
}

std::string text(const Json& result, const char* key, const std::filesystem::path& folder) {
  const auto it = result.find(key);
  if (it == result.end()) return "?";
  SPIKENM_CHECK(it->is_string(), "{}: found '{}' in {}, wanted text", folder.string(), key,
                RunDir::kResult);
  return it->get<std::string>();
}

// The sum over all phases.
double seconds(const Json& result, const std::filesystem::path& folder) {
  double sum = 0;
  const auto phases = result.find("phase_seconds");
  if (phases == result.end()) return sum;
  for (const auto& [phase, spent] : phases->items()) {
    SPIKENM_CHECK(spent.is_number(), "{}: found phase_seconds of '{}' in {}, wanted a number",
                  folder.string(), phase, RunDir::kResult);
    sum += spent.get<double>();
  }
  return sum;
}

}  // namespace

std::string format_table(const std::vector<std::string>& header,
                         const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (size_t c = 0; c < header.size(); ++c) {
    size_t widest = width(header[c]);
    for (const auto& row : rows) widest = std::max(widest, width(printable(row[c])));
    widths.push_back(widest);
  }

  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (size_t c = 0; c < cells.size(); ++c) {
      const std::string cell = printable(cells[c]);
      const std::string padding(widths[c] - width(cell), ' ');
      if (c > 0) text += "  ";
      text += c == 0 ? cell + padding : padding + cell;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };

  size_t total = 2 * (widths.size() - 1);
  for (const size_t w : widths) total += w;
  std::string text = line(header) + std::string(total, '-') + "\n";
  for (const auto& row : rows) text += line(row);
  return text;
}

std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) {
      text += ' ';
      for (const char c : printable(cell)) text += c == '|' ? "\\|" : std::string(1, c);
      text += " |";
    }
    return text + "\n";
  };

  std::string text = line(header) + "|---|";
  for (size_t c = 1; c < header.size(); ++c) text += "---:|";
  text += '\n';
  for (const auto& row : rows) text += line(row);
  return text;
}

std::string run_table(const std::vector<std::filesystem::path>& run_folders) {
  std::vector<Json> results;
  std::optional<double> dense;
  for (const auto& folder : run_folders) {
    results.push_back(read_result(folder));
    const std::string granularity = text(results.back(), "granularity", folder);
    const bool all_neurons = granularity == "?" || granularity == "weight";
    if (text(results.back(), "method", folder) == "dense" && all_neurons && !dense)
      dense = number(results.back(), "test_accuracy", folder);
  }

  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < results.size(); ++i) {
    const Json& r = results[i];
    const auto value = [&](const char* key) { return number(r, key, run_folders[i]); };
    const double accuracy = value("test_accuracy");
    rows.push_back(
        {text(r, "method", run_folders[i]), text(r, "pattern", run_folders[i]),
         fmt::format("{:.2f}", accuracy), dense ? fmt::format("{:+.2f}", accuracy - *dense) : "",
         fmt::format("{:.2f}", value("weight_pct")), fmt::format("{:.2f}", value("conn_pct")),
         fmt::format("{:.2f}", value("sops_m")),
         fmt::format("{:.0f}", seconds(r, run_folders[i]))});
  }
  return format_table(
      {"method", "pattern", "test acc %", "Δ dense", "weight %", "conn %", "SOPs M", "seconds"},
      rows);
}

}  // namespace spikenm::report
