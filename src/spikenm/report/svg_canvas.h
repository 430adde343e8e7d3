// A canvas that writes SVG; text stays text.
#pragma once

#include "spikenm/report/canvas.h"

#include <string>

namespace spikenm::report {

class SvgCanvas : public Canvas {
 public:
  SvgCanvas(double width, double height);

  void polyline(const std::vector<Point>& points, const Stroke& stroke) override;
  void polygon(const std::vector<Point>& corners, Color color, double opacity) override;
  void disc(Point center, double radius, Color color) override;
  void text(Point at, std::string_view utf8, const TextStyle& style) override;

  // A PNG picture, stretched to this size.
  void picture(Point corner, double width, double height, std::string_view png);
  // The picture of pixels [rows,columns,3]. Pixels are repeated before they are packed, so that a
  // viewer that smooths leaves their edges sharp.
  void cells(Point corner, double width, double height, int64_t columns, int64_t rows,
             const std::vector<uint8_t>& rgb);

  // Elements that were made elsewhere.
  void add(std::string_view elements) { body_ += elements; }

  // What is drawn until end_part() is counted from this point.
  void begin_part(Point origin);
  void end_part();

  // The whole document.
  [[nodiscard]] std::string document() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

// Documents of SvgCanvas, one below the other, as one.
std::string stack_documents(const std::vector<std::string>& documents);

// The text as content or attribute of XML or HTML.
std::string escape_xml(std::string_view text);

// "#0072b2"
std::string hex(Color color);

}  // namespace spikenm::report
