#include "spikenm/core/progress.h"

#include "spikenm/core/say.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace spikenm {

ProgressLine::ProgressLine() {
  const char* terminal = std::getenv("TERM");
  live_ =
      ::isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

void ProgressLine::update(std::string_view title, double fraction, std::string_view text) {
  if (!live_) return;
  const double now = clock_.seconds();
  if (drawn_ && now - last_ < 0.1) return;
  last_ = now;
  drawn_ = true;

  constexpr int kWidth = 24;
  const int filled = static_cast<int>(kWidth * std::clamp(fraction, 0.0, 1.0));
  draw(fmt::format("\r\033[K{} [{}{}] {}", printable(title), std::string(filled, '='),
                   std::string(kWidth - filled, ' '), printable(text)));
}

void ProgressLine::clear() {
  if (!drawn_) return;
  draw("\r\033[K");
  drawn_ = false;
}

}  // namespace spikenm
