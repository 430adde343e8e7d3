// A network's graph as a file: what `inspect --graph FILE` writes.
#pragma once

#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/train/recipe.h"

#include <filesystem>
#include <string>

namespace spikenm::cli {

// The ending decides: .toml and .json can be trained from ([model] file), .svg is a drawing with the
// patterns of layers and, of a trained network, what its masks keep; "-" shows TOML. `run` is the
// folder whose result has the firing rates, or empty. `masks` may be null.
void write_graph_file(const std::string& file, const train::ModelRecipe& model,
                      const sparsity::Masks* masks, const std::filesystem::path& run);

}  // namespace spikenm::cli
