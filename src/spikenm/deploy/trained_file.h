// A model file read without torch: what packs and shows a run where there is no trainer.
#pragma once

#include "spikenm/deploy/pack.h"

#include <filesystem>
#include <string>
#include <vector>

namespace spikenm::deploy {

struct TrainedFile {
  Trained trained;
  // Whether the file says the rules of its masks. Masks without one can be read but not packed.
  bool has_rules = true;
  std::vector<std::string> notes;  // for the user
};

// `path` is a model file, or a run folder that holds one. It must hold what train::load_model wants
// of it, and an Error is the same sentence: tensors in their shapes and no others, finite values,
// masks that obey their rules, dropped weights that are 0. Of the config, only what says how samples
// are read is looked at: that it makes the rules which the file says of its masks, load_model alone
// asks.
TrainedFile read_trained(const std::filesystem::path& path);

struct PackedFile {
  runtime::StoredModel model;
  std::vector<std::string> notes;  // for the user
};

// The file with its history, packed. An Error where its masks do not say their rules.
PackedFile pack_file(const std::filesystem::path& path, runtime::WeightType type);

}  // namespace spikenm::deploy
