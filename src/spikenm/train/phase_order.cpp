#include "spikenm/train/phase_order.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <array>

namespace spikenm::train {
namespace {

constexpr std::array<const char*, 3> kOrder{"search", "prune", "finetune"};
constexpr const char* kWanted =
    "wanted search, prune and finetune in this order, each at most once";

}  // namespace

void check_phase_order(const std::vector<std::string>& phases, bool has_masks,
                       const std::string& key) {
  SPIKENM_CHECK(!phases.empty(), "{}: found an empty list, {}", key, kWanted);
  auto last = kOrder.end();  // the last one found
  for (const std::string& phase : phases) {
    const auto place = std::find(kOrder.begin(), kOrder.end(), phase);
    if (place == kOrder.end()) continue;
    SPIKENM_CHECK(last != place, "{}: found {} twice, {}", key, phase, kWanted);
    SPIKENM_CHECK(last == kOrder.end() || last < place, "{}: found {} after {}, {}", key, phase,
                  *last, kWanted);
    last = place;
  }
  SPIKENM_CHECK(!has_masks || std::find(phases.begin(), phases.end(), "prune") != phases.end(),
                "{}: has no prune, so the method's masks would never be frozen", key);
}

}  // namespace spikenm::train
