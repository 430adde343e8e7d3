// What the program's failures mean to the shell.
#pragma once

namespace spikenm::cli {

inline constexpr int kFailed = 1, kBadUsage = 2, kDiverged = 3, kOurBug = 70;

}  // namespace spikenm::cli
