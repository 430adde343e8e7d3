// A network's graph as a file; `inspect --graph FILE` writes it.
#pragma once

#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/train/recipe.h"

#include <filesystem>
#include <string>

namespace spikenm::cli {

// The ending of the name decides. A network can be trained from .toml and .json ([model] file);
// .svg is a drawing with the patterns of layers and, for a trained network, what its masks keep;
// "-" prints TOML. `run` is the folder whose result has the firing rates, or empty. `masks` may be
// null.
void write_graph_file(const std::string& file, const train::ModelRecipe& model,
                      const sparsity::Masks* masks, const std::filesystem::path& run);

}  // namespace spikenm::cli
