// Which sources this program was built from.
#pragma once

namespace spikenm::train {

// The commit, in hexadecimal, with a + where files differed from it; "unknown" without git.
const char* commit();

}  // namespace spikenm::train
