#include "spikenm/report/text_width.h"

#include <array>
#include <cstdint>

namespace spikenm::report {
namespace {

// Of the characters ' ' to '~', in thousandths of an em.
constexpr std::array<uint16_t, 95> kWidths = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};
constexpr double kOther = 0.84;  // the signs that we write, such as ±, are no wider

}  // namespace

double text_width(std::string_view utf8, double size) {
  double ems = 0;
  for (const char c : utf8) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= ' ' && byte <= '~') ems += kWidths[byte - ' '] / 1000.0;
    if (byte >= 0xC0) ems += kOther;  // the first byte of a longer character
  }
  return ems * size;
}

std::vector<std::string> wrap_text(const std::string& text, double width, double size,
                                   size_t most) {
  std::vector<std::string> lines(1);
  std::string word;
  const auto place = [&] {
    if (!lines.back().empty() && text_width(lines.back() + word, size) > width)
      lines.emplace_back();
    lines.back() += word;
    word.clear();
  };
  for (const char c : text) {
    word += c;
    if (std::string_view(" ,;_-/").find(c) != std::string_view::npos) place();
  }
  place();
  for (const std::string& line : lines)
    if (text_width(line, size) > width) return {};
  return lines.size() <= most ? lines : std::vector<std::string>{};
}

}  // namespace spikenm::report
