#include "spikenm/report/svg_canvas.h"

#include "spikenm/core/base64.h"
#include "spikenm/core/error.h"
#include "spikenm/core/png.h"
#include "spikenm/core/say.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace spikenm::report {
namespace {

std::string list(const std::vector<Point>& points) {
  std::string text;
  for (const Point& p : points)
    text += fmt::format("{}{:.2f},{:.2f}", text.empty() ? "" : " ", p.x, p.y);
  return text;
}

// The number behind `name="` in the head of a document.
double head_number(const std::string& document, const std::string& name) {
  const size_t at = document.find(name + "=\"") + name.size() + 2;
  double value = 0;
  std::from_chars(document.data() + at, document.data() + document.size(), value);
  return value;
}

}  // namespace

std::string stack_documents(const std::vector<std::string>& documents) {
  if (documents.size() == 1) return documents.front();
  double width = 0, height = 0;
  std::string parts;
  for (const std::string& document : documents) {
    constexpr std::string_view kBegin = "<svg";
    SPIKENM_ASSERT(document.starts_with(kBegin));
    parts += fmt::format("<svg y=\"{:.0f}\"{}", height, document.substr(kBegin.size()));
    width = std::max(width, head_number(document, "width"));
    height += head_number(document, "height");
  }
  SvgCanvas svg(width, height);
  svg.add(parts);
  return svg.document();
}

std::string hex(Color c) {
  return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b);
}

std::string escape_xml(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

SvgCanvas::SvgCanvas(double width, double height)
    : body_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
                        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                        "font-family=\"DejaVu Sans, Verdana, sans-serif\">\n"
                        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                        width, height)) {}

void SvgCanvas::polyline(const std::vector<Point>& points, const Stroke& stroke) {
  body_ += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2f}\" "
      "stroke-linejoin=\"round\"{}/>\n",
      list(points), hex(stroke.color), stroke.width,
      stroke.dashed ? fmt::format(" stroke-dasharray=\"{} {}\"", kDash, kGap) : "");
}

void SvgCanvas::polygon(const std::vector<Point>& corners, Color color, double opacity) {
  body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\"{}/>\n", list(corners), hex(color),
                       opacity < 1 ? fmt::format(" fill-opacity=\"{:.2f}\"", opacity) : "");
}

void SvgCanvas::disc(Point center, double radius, Color color) {
  body_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\"/>\n", center.x,
                       center.y, radius, hex(color));
}

void SvgCanvas::text(Point at, std::string_view utf8, const TextStyle& style) {
  constexpr const char* kAnchors[] = {"start", "middle", "end"};
  const double angle = style.direction == Direction::kUp        ? 90
                       : style.direction == Direction::kSlanted ? kSlant
                                                                : 0;
  body_ += fmt::format(
      "<text x=\"{0:.2f}\" y=\"{1:.2f}\" font-size=\"{2:.1f}\" fill=\"{3}\" text-anchor=\"{4}\"{5}>"
      "{6}</text>\n",
      at.x, at.y, style.size, hex(style.color), kAnchors[static_cast<size_t>(style.anchor)],
      angle > 0 ? fmt::format(" transform=\"rotate({:g} {:.2f} {:.2f})\"", -angle, at.x, at.y) : "",
      escape_xml(utf8));
}

void SvgCanvas::picture(Point corner, double width, double height, std::string_view png) {
  body_ += fmt::format(
      "<image x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
      "preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
      "href=\"data:image/png;base64,{}\"/>\n",
      corner.x, corner.y, width, height, base64(png));
}

void SvgCanvas::cells(Point corner, double width, double height, int64_t columns, int64_t rows,
                      const std::vector<uint8_t>& rgb) {
  constexpr double kPixels = 3;  // for each point of the page
  const auto times = [](double length, int64_t count) {
    return std::max<int64_t>(1, std::lround(kPixels * length / static_cast<double>(count)));
  };
  const int64_t across = times(width, columns), down = times(height, rows);
  std::vector<uint8_t> large;
  large.reserve(static_cast<size_t>(3 * rows * down * columns * across));
  for (int64_t y = 0; y < rows * down; ++y) {
    for (int64_t x = 0; x < columns * across; ++x) {
      const auto* const pixel = rgb.data() + 3 * (y / down * columns + x / across);
      large.insert(large.end(), pixel, pixel + 3);
    }
  }
  picture(corner, width, height, encode_png(columns * across, rows * down, large, "picture"));
}

void SvgCanvas::begin_part(Point origin) {
  body_ += fmt::format("<g transform=\"translate({:.2f} {:.2f})\">\n", origin.x, origin.y);
}

void SvgCanvas::end_part() {
  body_ += "</g>\n";
}

}  // namespace spikenm::report
