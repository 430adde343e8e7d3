#include "spikenm/graph/drawing.h"

#include "spikenm/core/say.h"
#include "spikenm/graph/drawing_layout.h"
#include "spikenm/graph/drawing_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spikenm::graph {
namespace {

constexpr double kMargin = 24, kHeader = 58, kInset = 12, kCorner = 6;
constexpr double kTextSize = 12, kLineHeight = 16, kTitleSize = 18;

// XML text. Control characters and bytes that are not UTF-8, which XML cannot hold, become \xNN.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

// How wide a text may become in the usual fonts without serifs: an upper estimate.
double text_width(std::string_view text, double size, bool bold = false) {
  double ems = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80) continue;  // inside a character
    const bool is_wide = byte >= 0xE0 || c == 'm' || c == 'w' || c == 'M' || c == 'W' || c == '%';
    ems += is_wide ? 0.95 : 0.57;
  }
  return ems * size * (bold ? 1.08 : 1);
}

struct Look {
  const char *fill, *stroke;
};

Look look_of(const Node& node) {
  if (node.as<Synapse>() != nullptr) return {"#e8f1fb", "#3a6ea5"};
  if (node.as<Sum>() != nullptr) return {"#fdf1d8", "#b8862b"};
  if (node.as<Input>() != nullptr || node.as<Vote>() != nullptr) return {"#e9f5ea", "#4d8b55"};
  return {"#f3f3f3", "#888888"};
}

// "10 classes: airplane, automobile, …", as many as there is room for.
std::string list_classes(const std::vector<std::string>& classes, double room) {
  std::string text =
      fmt::format("{} {}:", classes.size(), classes.size() == 1 ? "class" : "classes");
  for (size_t i = 0; i < classes.size(); ++i) {
    const std::string longer = text + (i == 0 ? " " : ", ") + classes[i];
    const bool is_last = i + 1 == classes.size();
    if (text_width(longer + (is_last ? "" : ", …"), kTextSize) > room)
      return text + (i == 0 ? " …" : ", …");
    text = longer;
  }
  return text;
}

double box_height(const DrawnUnit& unit) {
  return 10 + kLineHeight * static_cast<double>(1 + unit.lines.size() + unit.notes.size());
}

double box_width(const std::vector<DrawnUnit>& units) {
  double widest = 190;
  for (const DrawnUnit& unit : units) {
    widest = std::max(widest, text_width(unit.title, kTextSize, true) +
                                  text_width(unit.kind + "   " + unit.shape, kTextSize) + 16);
    for (const auto* texts : {&unit.lines, &unit.notes})
      for (const std::string& text : *texts) widest = std::max(widest, text_width(text, kTextSize));
  }
  return widest + 2 * kInset;
}

struct TextLook {
  const char* color = "#333333";
  const char* anchor = "start";
  bool bold = false;
  double size = kTextSize;
};

std::string draw_text(Spot at, std::string_view text, const TextLook& look) {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" fill=\"{}\" text-anchor=\"{}\"{}>{}"
      "</text>\n",
      at.x, at.y, look.size, look.color, look.anchor, look.bold ? " font-weight=\"bold\"" : "",
      xml(text));
}

std::string draw_box(const DrawnUnit& unit, const BoxPlace& box, const Look& look) {
  std::string svg = fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\" fill=\"{}\" "
      "stroke=\"{}\"/>\n",
      box.x, box.y, box.width, box.height, kCorner, look.fill, look.stroke);

  const double left = box.x + kInset, right = box.x + box.width - kInset;
  double y = box.y + 17;
  svg += draw_text({left, y}, unit.title, {.color = "#111111", .bold = true});
  if (!unit.kind.empty())
    svg += draw_text({left + text_width(unit.title, kTextSize, true) + 8, y}, unit.kind, {});
  svg += draw_text({right, y}, unit.shape, {.color = look.stroke, .anchor = "end"});
  for (const std::string& line : unit.lines) svg += draw_text({left, y += kLineHeight}, line, {});
  for (const std::string& note : unit.notes)
    svg += draw_text({left, y += kLineHeight}, note, {.color = "#9a3412"});
  return svg;
}

// A line with round corners, and the arrow's head where it ends. Parts go down and across in turn,
// down first.
std::string draw_line(const std::vector<Spot>& line, Spot origin) {
  const auto at = [&](size_t i) { return Spot{origin.x + line[i].x, origin.y + line[i].y}; };
  const Spot begin = at(0), end = at(line.size() - 1);
  std::string path = fmt::format("M{:.1f} {:.1f}", begin.x, begin.y);
  for (size_t i = 1; i + 1 < line.size(); ++i) {
    const Spot before = at(i - 1), corner = at(i), after = at(i + 1);
    const auto towards = [&](Spot other) {  // a point near the corner
      const double dx = other.x - corner.x, dy = other.y - corner.y;
      const double length = std::max(std::abs(dx), std::abs(dy));
      const double step = std::min(kCorner, length / 2) / length;
      return Spot{corner.x + dx * step, corner.y + dy * step};
    };
    const Spot in = towards(before), out = towards(after);
    path += fmt::format(" L{:.1f} {:.1f} Q{:.1f} {:.1f} {:.1f} {:.1f}", in.x, in.y, corner.x,
                        corner.y, out.x, out.y);
  }

  return fmt::format(
      "<path d=\"{} L{:.1f} {:.1f}\" fill=\"none\" stroke=\"#555555\" stroke-width=\"1.3\"/>\n"
      "<path d=\"M{:.1f} {:.1f} l-3.5 -7 h7 z\" fill=\"#555555\"/>\n",
      path, end.x, end.y - 5, end.x, end.y);
}

}  // namespace

std::string draw_svg(const Graph& graph, const Annotations& annotations) {
  const std::vector<DrawnUnit> units = drawn_units(graph, annotations);
  std::vector<double> heights;
  std::vector<std::vector<size_t>> inputs;
  for (const DrawnUnit& unit : units) {
    heights.push_back(box_height(unit));
    inputs.push_back(unit.inputs);
  }

  const DrawingLayout layout = lay_out(box_width(units), heights, inputs);
  const double width = std::max(layout.width, text_width(graph.name(), kTitleSize, true));

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      2 * kMargin + width, kHeader + kMargin + layout.height);
  svg += draw_text({kMargin, 30}, graph.name(),
                   {.color = "#111111", .bold = true, .size = kTitleSize});
  svg += draw_text({kMargin, 47}, list_classes(graph.classes(), width), {.color = "#666666"});

  const Spot origin{kMargin, kHeader};
  for (const std::vector<Spot>& line : layout.lines) svg += draw_line(line, origin);
  for (size_t i = 0; i < units.size(); ++i) {
    BoxPlace box = layout.boxes[i];
    box.x += origin.x;
    box.y += origin.y;
    svg += draw_box(units[i], box, look_of(graph.node(units[i].head)));
  }
  return svg + "</svg>\n";
}

}  // namespace spikenm::graph
