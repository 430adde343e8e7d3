#include "spikenm/core/live_lines.h"

#include "spikenm/core/say.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace spikenm {
namespace {

// Moves to the first of the lines that are drawn and removes all of them.
std::string back_over(size_t lines) {
  return lines > 1 ? fmt::format("\r\033[{}A\033[J", lines - 1) : std::string("\r\033[J");
}

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

}  // namespace

std::string cut_to_width(std::string_view text, size_t width) {
  const auto n = static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_character));
  if (n <= width) return std::string(text);
  size_t end = 0, kept = 0;
  for (; end < text.size(); ++end)
    if (starts_character(text[end]) && ++kept == std::max<size_t>(width, 1)) break;
  return std::string(text.substr(0, end)) + "…";
}

LiveLines::LiveLines(double seconds_between) : seconds_between_(seconds_between) {
  const char* terminal = std::getenv("TERM");
  live_ =
      ::isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

void LiveLines::update(const std::vector<std::string>& lines) {
  if (!live_ || lines.empty()) return;
  const double now = clock_.seconds();
  if (drawn_ > 0 && now - last_ < seconds_between_) return;
  last_ = now;

  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  // The last column stays free: a terminal may go to the next line after it.
  const size_t width = known ? size.ws_col - size_t{1} : 79;
  const size_t n = std::min<size_t>(lines.size(), known && size.ws_row > 1 ? size.ws_row - 1 : 24);

  std::string text = drawn_ > 0 ? back_over(drawn_) : std::string();
  for (size_t i = 0; i < n; ++i) {
    if (i > 0) text += '\n';
    text += cut_to_width(printable(lines[i]), width);
  }
  draw(text);
  drawn_ = n;
}

void LiveLines::clear() {
  if (drawn_ == 0) return;
  draw(back_over(drawn_));
  drawn_ = 0;
}

}  // namespace spikenm
