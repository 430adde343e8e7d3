#include "spikenm/report/svg_canvas.h"

#include <fmt/format.h>

namespace spikenm::report {
namespace {

std::string hex(Color c) {
  return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b);
}

std::string list(const std::vector<Point>& points) {
  std::string text;
  for (const Point& p : points)
    text += fmt::format("{}{:.2f},{:.2f}", text.empty() ? "" : " ", p.x, p.y);
  return text;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

SvgCanvas::SvgCanvas(double width, double height)
    : body_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
                        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                        "font-family=\"Helvetica, Arial, sans-serif\">\n"
                        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                        width, height)) {}

void SvgCanvas::polyline(const std::vector<Point>& points, const Stroke& stroke) {
  body_ += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2f}\" "
      "stroke-linejoin=\"round\"{}/>\n",
      list(points), hex(stroke.color), stroke.width,
      stroke.dashed ? fmt::format(" stroke-dasharray=\"{} {}\"", kDash, kGap) : "");
}

void SvgCanvas::convex(const std::vector<Point>& corners, Color color) {
  body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\"/>\n", list(corners), hex(color));
}

void SvgCanvas::disc(Point center, double radius, Color color) {
  body_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\"/>\n", center.x,
                       center.y, radius, hex(color));
}

void SvgCanvas::text(Point at, std::string_view utf8, const TextStyle& style) {
  constexpr const char* kAnchors[] = {"start", "middle", "end"};
  body_ += fmt::format(
      "<text x=\"{0:.2f}\" y=\"{1:.2f}\" font-size=\"{2:.1f}\" fill=\"{3}\" text-anchor=\"{4}\"{5}>"
      "{6}</text>\n",
      at.x, at.y, style.size, hex(style.color), kAnchors[static_cast<size_t>(style.anchor)],
      style.upward ? fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", at.x, at.y) : "",
      escaped(utf8));
}

}  // namespace spikenm::report
