#include "spikenm/report/watch_text.h"

#include "spikenm/core/say.h"
#include "spikenm/report/run_groups.h"
#include "spikenm/report/view_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

namespace spikenm::report {
namespace {

constexpr std::array<const char*, 8> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
// The curves that matter most, in order; other numbers follow.
constexpr std::array<const char*, 8> kFirst{"loss", "train_accuracy", "val_loss",  "val_accuracy",
                                            "tau",  "density",        "flip_rate", "lr"};
constexpr std::array<const char*, 2> kHidden{"epoch", "phase"};

using Curves = std::map<std::string, std::vector<double>>;

Curves curves_of(const std::vector<Json>& lines) {
  Curves curves;
  for (const Json& line : lines) {
    for (const auto& [key, value] : line.items()) {
      if (value.is_number()) curves[key].push_back(value.get<double>());
      if (!value.is_object()) continue;
      for (const auto& [part, number] : value.items())
        if (number.is_number())
          curves[fmt::format("{} {}", key, part)].push_back(number.get<double>());
    }
  }
  for (const char* key : kHidden) curves.erase(key);
  return curves;
}

std::string state_of(const Run& run, const std::vector<Json>& lines) {
  if (const std::optional<double> accuracy = run.number("test_accuracy"))
    return fmt::format("finished, test accuracy {:.2f} %", *accuracy);
  if (lines.empty()) return "no epoch has ended yet";
  const std::string phase = lines.back().value("phase", Json("")).is_string()
                                ? lines.back().value("phase", "")
                                : std::string();
  return fmt::format("{}, {} epochs have ended{}", phase.empty() ? "training" : phase, lines.size(),
                     config_text(run, "train", "epochs").empty()
                         ? ""
                         : " of " + config_text(run, "train", "epochs"));
}

}  // namespace

std::string sparkline(const std::vector<double>& values, size_t width) {
  std::vector<double> shown;
  const size_t n = std::min(width, values.size());
  for (size_t i = 0; i < n; ++i)
    shown.push_back(values[n == 1 ? values.size() - 1 : i * (values.size() - 1) / (n - 1)]);
  std::erase_if(shown, [](double v) { return !std::isfinite(v); });
  if (shown.empty()) return "";
  const auto [low, high] = std::minmax_element(shown.begin(), shown.end());
  std::string line;
  // Halves, whose difference is finite for any two numbers.
  const double half = *high / 2 - *low / 2;
  for (const double v : shown) {
    const double share = half > 0 ? std::clamp((v / 2 - *low / 2) / half, 0.0, 1.0) : 0;
    line += kBlocks.at(static_cast<size_t>(std::lround(share * 7)));
  }
  return line;
}

std::string watch_text(const Run& run, size_t width, size_t most_lines) {
  const std::vector<Json> lines = read_metrics(run.folder);
  const Curves curves = curves_of(lines);
  std::vector<std::string> keys;
  for (const char* key : kFirst)
    if (curves.contains(key)) keys.emplace_back(key);
  for (const auto& [key, values] : curves)
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);

  size_t longest = 0;
  for (const std::string& key : keys) longest = std::max(longest, printable(key).size());
  const size_t beside = longest + 13;
  const size_t room = width > beside + 8 ? width - beside : 8;
  std::string text;
  const auto add = [&](const std::string& line) { text += cut(line, width) + '\n'; };
  add(fmt::format("{}: {}, {}", printable(run.folder.string()), printable(short_name(run)),
                  printable(state_of(run, lines))));
  const bool all_fit = keys.size() + 1 <= most_lines;
  const size_t shown = all_fit ? keys.size() : std::max<size_t>(most_lines, 2) - 2;
  for (const std::string& key : std::span(keys).first(shown))
    add(fmt::format("{:<{}} {:>10.5g}  {}", printable(key), longest, curves.at(key).back(),
                    sparkline(curves.at(key), room)));
  if (!all_fit) add(fmt::format("… {} more", keys.size() - shown));
  return text;
}

}  // namespace spikenm::report
