#include "spikenm/report/confusion.h"

#include "spikenm/core/error.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/report/plot_layout.h"
#include "spikenm/report/svg_canvas.h"
#include "spikenm/report/text_width.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spikenm::report {
namespace {

constexpr Color kInk{38, 38, 38}, kPaper{255, 255, 255}, kSoftInk{90, 90, 90};
constexpr const char* kField = "test_confusion";

// Names of the model's graph; empty when there is no model or it has others.
std::vector<std::string> class_names(const Run& run, size_t count) {
  const std::filesystem::path file = run.folder / RunDir::kModel;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return {};
  const SafetensorsInput model(file);
  const auto graph = model.header().metadata.find("graph");
  if (graph == model.header().metadata.end()) return {};
  const Json json = Json::parse(graph->second, nullptr, /*allow_exceptions=*/false);
  const Json names = json.is_object() ? json.value("classes", Json::array()) : Json::array();
  std::vector<std::string> found;
  for (const Json& name : names)
    if (name.is_string()) found.push_back(name.get<std::string>());
  return found.size() == count ? found : std::vector<std::string>{};
}

// From white to blue; the square root keeps single mistakes visible.
Color shade(double share) {
  const double s = std::sqrt(std::clamp(share, 0.0, 1.0));
  const auto mix = [&](uint8_t full) {
    return static_cast<uint8_t>(std::lround(255 - s * (255 - full)));
  };
  const Color full = palette(0);
  return {mix(full.r), mix(full.g), mix(full.b)};
}

void draw_cells(const Confusion& c, Point corner, double cell, SvgCanvas& svg) {
  for (size_t row = 0; row < c.counts.size(); ++row) {
    const double total =
        std::max(1.0, std::accumulate(c.counts[row].begin(), c.counts[row].end(), 0.0));
    for (size_t column = 0; column < c.counts.size(); ++column) {
      const auto count = static_cast<double>(c.counts[row][column]);
      const Point at{corner.x + cell * static_cast<double>(column),
                     corner.y + cell * static_cast<double>(row)};
      svg.box(at, cell, cell, shade(count / total));
      if (count > 0 && cell >= 22)
        svg.text({at.x + cell / 2, at.y + cell / 2 + 4}, fmt::format("{:.0f}", count),
                 {count > total / 2 ? kPaper : kInk, 10, Anchor::kMiddle});
    }
  }
  const double side = cell * static_cast<double>(c.counts.size()), x = corner.x, y = corner.y;
  svg.polyline({{x, y}, {x + side, y}, {x + side, y + side}, {x, y + side}, {x, y}}, {kInk, 1});
}

void check_same_classes(const Confusion& a, const Confusion& b) {
  SPIKENM_CHECK(a.classes.size() == b.classes.size(),
                "confusion: found {} classes in {} and {} in {}, wanted runs of one data set",
                a.classes.size(), a.run, b.classes.size(), b.run);
  const auto [one, other] =
      std::mismatch(a.classes.begin(), a.classes.end(), b.classes.begin(), b.classes.end());
  SPIKENM_CHECK(one == a.classes.end(),
                "confusion: found class {} as '{}' in {} and as '{}' in {}, wanted runs of one "
                "data set",
                one - a.classes.begin(), *one, a.run, *other, b.run);
}

}  // namespace

Confusion read_confusion(const Run& run) {
  const auto found = run.result.find(kField);
  SPIKENM_CHECK(found != run.result.end(),
                "{}: found no {}: it is counted when a run is measured on test, for up to 256 "
                "classes",
                (run.folder / RunDir::kResult).string(), kField);
  Confusion confusion{.run = run.folder.string(), .classes = {}, .counts = {}};
  const bool is_square =
      found->is_array() && std::all_of(found->begin(), found->end(), [&](const Json& row) {
        return row.is_array() && row.size() == found->size() &&
               std::all_of(row.begin(), row.end(),
                           [](const Json& count) { return count.is_number_unsigned(); });
      });
  SPIKENM_CHECK(is_square && !found->empty(), "{}: found {} that is no square of counts",
                (run.folder / RunDir::kResult).string(), kField);
  for (const Json& row : *found) confusion.counts.push_back(row.get<std::vector<int64_t>>());
  confusion.classes = class_names(run, confusion.counts.size());
  for (size_t k = confusion.classes.size(); k < confusion.counts.size(); ++k)
    confusion.classes.push_back(std::to_string(k));
  return confusion;
}

Confusion sum_of(const std::vector<Confusion>& all) {
  SPIKENM_ASSERT(!all.empty());
  Confusion sum = all.front();
  for (size_t i = 1; i < all.size(); ++i) {
    check_same_classes(sum, all[i]);
    for (size_t row = 0; row < sum.counts.size(); ++row)
      for (size_t column = 0; column < sum.counts.size(); ++column)
        sum.counts[row][column] += all[i].counts[row][column];
  }
  return sum;
}

std::string confusion_svg(const std::string& title, const Confusion& c) {
  constexpr double kTop = 56, kEdge = 24;
  const double n = static_cast<double>(c.classes.size());
  const double cell = std::clamp(720 / n, 6.0, 40.0);
  const bool is_named = cell >= 11;
  double widest = 0;
  for (const std::string& name : c.classes) widest = std::max(widest, text_width(name, kTickSize));
  const double room = is_named ? widest + 12 : 8, side = cell * n;
  const Point corner{kEdge + 20 + room, kTop};
  const double width = std::max(corner.x + side + kEdge, text_width(title, kTitleSize) + 2 * kEdge);

  SvgCanvas svg(width, kTop + side + room + 48);
  svg.text({width / 2, 28}, title, {kInk, kTitleSize, Anchor::kMiddle});
  draw_cells(c, corner, cell, svg);
  for (size_t k = 0; is_named && k < c.classes.size(); ++k) {
    const double at = cell * (static_cast<double>(k) + 0.5) + 4;
    svg.text({corner.x - 6, corner.y + at}, c.classes[k], {kInk, kTickSize, Anchor::kEnd});
    svg.text({corner.x + at, corner.y + side + 8}, c.classes[k],
             {kInk, kTickSize, Anchor::kEnd, Direction::kUp});
  }
  svg.text({kEdge, corner.y + side / 2}, "class",
           {kInk, kLabelSize, Anchor::kMiddle, Direction::kUp});
  svg.text({corner.x + side / 2, corner.y + side + room + 18}, "taken for",
           {kInk, kLabelSize, Anchor::kMiddle});
  svg.text({corner.x + side / 2, corner.y + side + room + 36},
           "test samples; colour: share of the row", {kSoftInk, kNoteSize, Anchor::kMiddle});
  return svg.document();
}

}  // namespace spikenm::report
