// The keys that a run has read, as TOML that gives the same run.
#pragma once

#include "spikenm/core/json.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace spikenm {

// `keys` are flat, such as "train.lr", with their values. They are grouped by section (the part
// before the first dot), sections in the order of their first key, top-level keys first, because
// TOML needs a table's own keys before its sub-tables. `read` has the names of all keys that code
// asked for: below "method.layer_pattern", which is not one of them, the user invents the names.
std::string keys_as_toml(const std::vector<std::pair<std::string, Json>>& keys,
                         const std::set<std::string>& read);

}  // namespace spikenm
