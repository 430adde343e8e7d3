// Everything that a config chooses by name, with a line for each; listing it needs no torch.
#pragma once

#include "spikenm/core/key_text.h"

#include <string>
#include <vector>

namespace spikenm::train {

struct ListRow {
  std::string name;
  std::string summary;
};

struct RunList {
  std::string name;  // "models"
  std::string key;   // the key that takes the names
  std::vector<ListRow> rows;
};

std::vector<RunList> run_lists();

// The names of these lists, and others that keys of text take.
NamesByKey run_key_names();

}  // namespace spikenm::train
