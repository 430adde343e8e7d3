// A model file of a small network, whole or with a content that a test has spoilt.
#pragma once

#include "spikenm/core/safetensors.h"
#include "spikenm/train/model_file.h"
#include "support/temp_dir.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace spikenm::test {

inline const std::string kSavedConfig =
    "[model]\nT = 2\nwidth = 4\n[data]\ntrain_size = 100\ntest_size = 20\n"
    "[method]\nname = \"magnitude\"\npattern = \"2:4\"\naxis = \"flat\"\n";

// A saved model, and the file's content to spoil.
class SavedModel : public testing::Test {
 protected:
  SavedModel() : recipe(train::read_recipe(Config::from_text(kSavedConfig, "test"))) {
    masks = sparsity::harden_all(*recipe.model.method);
    sparsity::apply_to_weights(masks);
    const at::NoGradGuard no_grad;
    for (nn::Norm& norm : recipe.model.network->norms()) norm.state.running_mean.fill_(0.3f);
    train::save_model(path, *recipe.model.network, masks, kSavedConfig);
    file = read_safetensors(path);
  }

  StoredTensor& tensor(const std::string& name) {
    for (StoredTensor& t : file.tensors) {
      if (t.name == name) return t;
    }
    throw std::runtime_error("no tensor " + name);
  }

  // Writes the spoilt content; load_model must name the file.
  train::LoadedModel load_spoilt() {
    write_safetensors(path, file);
    return train::load_model(path);
  }

  TempDir dir;
  std::filesystem::path path = dir / "model.safetensors";
  train::Recipe recipe;
  sparsity::Masks masks;
  SafetensorsFile file;
};

}  // namespace spikenm::test
