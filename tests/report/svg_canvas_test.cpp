#include "spikenm/report/svg_canvas.h"

#include <gtest/gtest.h>

namespace spikenm::report {
namespace {

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(SvgCanvas, ShapesBecomeElements) {
  SvgCanvas canvas(100, 50);
  canvas.polyline({{1, 2}, {3.5, 4}}, {{255, 0, 16}, 2, /*dashed=*/true});
  canvas.polyline({{0, 0}, {1, 1}}, {{0, 0, 0}, 1});
  canvas.polygon({{0, 0}, {1, 0}, {0, 1}}, {1, 2, 3}, 1);
  canvas.disc({10, 20}, 4, {0, 0, 255});
  const std::string svg = canvas.document();
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_TRUE(has(svg, "points=\"1.00,2.00 3.50,4.00\"")) << svg;
  EXPECT_TRUE(has(svg, "stroke=\"#ff0010\" stroke-width=\"2.00\"")) << svg;
  EXPECT_EQ(svg.find("dasharray"), svg.rfind("dasharray"));
  EXPECT_TRUE(has(svg, "stroke-dasharray=\"6 5\"")) << svg;
  EXPECT_TRUE(has(svg, "<polygon points=\"0.00,0.00 1.00,0.00 0.00,1.00\" fill=\"#010203\"/>"));
  EXPECT_TRUE(has(svg, "<circle cx=\"10.00\" cy=\"20.00\" r=\"4.00\" fill=\"#0000ff\"/>"));
}

TEST(SvgCanvas, TextIsEscapedAnchoredAndTurned) {
  SvgCanvas canvas(100, 50);
  canvas.text({5, 6}, "a<b & \"c\"", {{0, 0, 0}, 12, Anchor::kEnd});
  canvas.text({7, 8}, "λ", {{0, 0, 0}, 12, Anchor::kMiddle, Direction::kUp});
  const std::string svg = canvas.document();
  EXPECT_TRUE(has(svg, "text-anchor=\"end\">a&lt;b &amp; &quot;c&quot;</text>")) << svg;
  EXPECT_TRUE(has(svg, "text-anchor=\"middle\" transform=\"rotate(-90 7.00 8.00)\">λ</text>"));
}

TEST(SvgCanvas, DocumentsMayBeStacked) {
  SvgCanvas first(100, 50), second(200, 30);
  first.text({0, 0}, "one", {});
  second.text({0, 0}, "two", {});
  const std::string both = stack_documents({first.document(), second.document()});
  EXPECT_TRUE(
      both.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"80\""));
  EXPECT_TRUE(has(both, "<svg y=\"0\" xmlns")) << both;
  EXPECT_TRUE(has(both, "<svg y=\"50\" xmlns")) << both;
  EXPECT_LT(both.find(">one<"), both.find(">two<"));
  EXPECT_EQ(stack_documents({first.document()}), first.document());
}

TEST(SvgCanvas, ControlCharactersOfDataDoNotBreakTheDocument) {
  SvgCanvas canvas(9, 9);
  canvas.text({0, 0}, std::string_view("a\0b\x1b", 4), {});
  EXPECT_TRUE(has(canvas.document(), ">a\\x00b\\x1B<")) << canvas.document();
}

TEST(SvgCanvas, PicturesAreEmbeddedAndPartsMoved) {
  SvgCanvas canvas(9, 9);
  canvas.begin_part({3, 4});
  canvas.picture({1, 2}, 5, 6, "abc");
  canvas.end_part();
  const std::string svg = canvas.document();
  EXPECT_TRUE(has(svg, "<g transform=\"translate(3.00 4.00)\">\n<image x=\"1.00\" y=\"2.00\""));
  EXPECT_TRUE(has(svg, "href=\"data:image/png;base64,YWJj\"/>\n</g>")) << svg;
}

}  // namespace
}  // namespace spikenm::report
