#include "spikenm/train/metrics_lines.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/json.h"

#include <sstream>
#include <string>

namespace spikenm::train {

void check_metrics_lines(const std::filesystem::path& file, int64_t epochs) {
  constexpr uint64_t kMost = 1 << 30;
  std::error_code error;
  if (epochs == 0 || !std::filesystem::exists(file, error)) return;
  std::istringstream lines(read_file(file, kMost));
  std::string line;
  for (int64_t number = 1; number <= epochs && std::getline(lines, line); ++number) {
    const Json found = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    SPIKENM_CHECK(found.is_object() && found.value("epoch", Json()) == number,
                  "{}:{}: found a line that is not the metrics of epoch {}; a run whose metrics "
                  "are damaged starts anew with --force",
                  file.string(), number, number);
  }
}

}  // namespace spikenm::train
