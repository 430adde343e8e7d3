// A trained network on disk: weights, statistics and masks as safetensors, with the network's graph
// and the resolved config in the metadata, so that the file alone is enough to rebuild it.
#pragma once

#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/train/recipe.h"
#include "spikenm/train/tensor_file.h"

#include <filesystem>
#include <string>
#include <vector>

namespace spikenm::train {

// The file's content; `more` is metadata beside it.
TensorFile model_content(const nn::Network& network, const sparsity::Masks& masks,
                         const std::string& config_toml, const Metadata& more = {});
void save_model(const std::filesystem::path& path, const nn::Network& network,
                const sparsity::Masks& masks, const std::string& config_toml);

// Puts the tensors of a model file into a network of the same shape.
void load_tensors(const std::filesystem::path& path, nn::Network& network);

struct LoadedModel {
  Recipe recipe;
  sparsity::Masks masks;
};

// `path` is a model file, or a run folder that holds one. Overrides are applied to the stored
// config, but must not change the method that made the masks. Every tensor must be there in its
// shape and there must be no other, every mask must obey its pattern, and dropped weights must be
// 0; otherwise an Error names the file and the tensor. Shapes are compared before memory is
// allocated for the network. A folder to write to in the stored config (data.cache_dir) is not
// used.
LoadedModel load_model(const std::filesystem::path& path,
                       const std::vector<std::string>& overrides = {},
                       Purpose purpose = Purpose::kEvaluate);

}  // namespace spikenm::train
