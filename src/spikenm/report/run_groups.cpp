#include "spikenm/report/run_groups.h"

#include "spikenm/core/text.h"
#include "spikenm/report/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace spikenm::report {
namespace {

// "tau_max=0.5" of "method.tau_max=0.5".
std::string without_section(const std::string& setting) {
  const size_t equals = setting.find('='), dot = setting.rfind('.', equals);
  return dot == std::string::npos || dot > equals ? setting : setting.substr(dot + 1);
}

}  // namespace

std::string config_text(const Run& run, const std::string& section, const std::string& key) {
  const auto table = run.config.find(section);
  if (table == run.config.end() || !table->is_object() || !table->contains(key)) return "";
  const Json& value = table->at(key);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string short_name(const Run& run) {
  std::string method = run.text("method"), pattern = run.text("pattern");
  if (method.empty()) method = config_text(run, "method", "name");
  if (method.empty()) method = "dense";
  if (pattern.empty() && method != "dense") pattern = config_text(run, "method", "pattern");
  return pattern.empty() || pattern == method ? method : method + " " + pattern;
}

std::vector<RunGroup> group_runs(const std::vector<Run>& runs) {
  std::vector<RunGroup> groups;
  std::vector<Settings> settings;
  for (const Run& run : runs) {
    const Settings own = settings_of(run);
    const auto found = std::find(settings.begin(), settings.end(), own);
    if (found == settings.end()) {
      settings.push_back(own);
      groups.push_back({short_name(run), {&run}});
    } else {
      groups[static_cast<size_t>(found - settings.begin())].runs.push_back(&run);
    }
  }

  std::map<std::string, std::vector<size_t>> alike;
  for (size_t g = 0; g < groups.size(); ++g) alike[groups[g].name].push_back(g);
  for (const auto& [name, places] : alike) {
    if (places.size() == 1) continue;
    std::vector<Settings> of_these;
    for (const size_t g : places) of_these.push_back(settings[g]);
    const std::vector<Difference> found = differences(of_these);
    for (size_t i = 0; i < places.size(); ++i) {
      std::vector<std::string> words{name};
      for (const std::string& setting : found[i].needed) words.push_back(without_section(setting));
      groups[places[i]].name = join(words, " ");
    }
  }
  return groups;
}

std::string spread_note(const std::string& what, std::vector<size_t> counts) {
  if (counts.empty()) return "";
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  if (*most < 2) return fmt::format("n = 1 run: no {}", what);
  const std::string n = *least == *most ? fmt::format("n = {} runs", *most)
                                        : fmt::format("n = {} to {} runs", *least, *most);
  return fmt::format("points: means; {}: ± one sample standard deviation, {}", what, n);
}

}  // namespace spikenm::report
