// The program's exit codes for its failures.
#pragma once

namespace spikenm::cli {

inline constexpr int kFailed = 1, kBadUsage = 2, kDiverged = 3, kOurBug = 70;

}  // namespace spikenm::cli
