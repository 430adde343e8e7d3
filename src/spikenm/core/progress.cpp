#include "spikenm/core/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace spikenm {

void ProgressLine::update(std::string_view title, double fraction, std::string_view text) {
  if (!is_live()) return;
  constexpr int kWidth = 24;
  const int filled = static_cast<int>(kWidth * std::clamp(fraction, 0.0, 1.0));
  line_.update({fmt::format("{} [{}{}] {}", title, std::string(filled, '='),
                            std::string(kWidth - filled, ' '), text)});
}

}  // namespace spikenm
