#include "spikenm/graph/drawing.h"

#include "support/graphs.h"

#include <gtest/gtest.h>

namespace spikenm::graph {
namespace {

// Elements close in the order in which they were opened, and '&' begins an entity that XML knows.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at)) {
    const size_t end = xml.find('>', at), next = xml.find('<', at + 1);
    if (end == std::string::npos || next < end) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find(' '));
    if (name.starts_with('/')) {
      if (open.empty() || open.back() != name.substr(1)) return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
    at = end;
  }
  for (size_t at = xml.find('&'); at != std::string::npos; at = xml.find('&', at + 1)) {
    const std::string entity = xml.substr(at, xml.find(';', at) - at);
    if (entity != "&amp" && entity != "&lt" && entity != "&gt") return false;
  }
  return open.empty();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Drawing, EveryModelBecomesAWholeDocument) {
  for (const std::string& name : models().names()) {
    const Graph graph = test::build_graph(name);
    const std::string svg = draw_svg(graph);
    EXPECT_TRUE(is_well_formed(svg)) << name;
    EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n")) << name;
    for (const std::string& synapse : test::names_of<Synapse>(graph))
      EXPECT_TRUE(contains(svg, ">" + synapse + "</text>")) << name << " " << synapse;
    EXPECT_TRUE(contains(svg, ">" + name + "</text>"));
  }
}

TEST(Drawing, HoldsShapesConstantsAndNotes) {
  const std::string svg =
      draw_svg(test::tiny_graph(), {{{"conv", {"2:4", "50.0 % kept"}}, {"fire", {"rate 0.12"}}}});
  for (const char* text : {">2x6x5<", ">4x6x5<", ">conv 3x3 stride 1 padding 1<", ">lif τ 2<",
                           ">2:4 · 50.0 % kept · rate 0.12<", ">3 classes: cat, dog, owl<"})
    EXPECT_TRUE(contains(svg, text)) << text;
}

TEST(Drawing, NoTextBecomesMarkup) {
  Graph graph("net", {1, 1, 1}, {"</text><script>", "b", "\x01\xff"});
  graph.add("fc", test::synapse_of(3), {graph.add("flatten", Flatten{}, {0})});
  const std::string svg = draw_svg(graph, {{{"fc", {"<b>", "\x02 & \xff"}}}});
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_TRUE(contains(svg, "&lt;/text&gt;&lt;script&gt;"));
  EXPECT_TRUE(contains(svg, "&lt;b&gt; · \\x02 &amp; \\xFF"));
  EXPECT_FALSE(contains(svg, "<b>") || contains(svg, "<script"));
  for (const char c : svg) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

TEST(Drawing, NamesTheFirstOfManyClasses) {
  ModelSpec spec;
  spec.classes = numbered_classes(1000);
  EXPECT_TRUE(contains(draw_svg(test::build_graph("mlp", "", spec)), ">1000 classes: 0, 1, 2"));
}

TEST(Drawing, LoadsNothing) {
  const std::string svg = draw_svg(test::build_graph("resnet19"));
  for (const char* text : {"href", "url(", "<image", "<script", "<style"})
    EXPECT_FALSE(contains(svg, text)) << text;
}

}  // namespace
}  // namespace spikenm::graph
