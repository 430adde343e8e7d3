// A run small enough for a test, in a folder of its own.
#pragma once

#include "spikenm/core/file.h"
#include "spikenm/train/trainer.h"
#include "support/temp_dir.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace spikenm::test {

// A tiny network on 200 samples: T 4, one hidden layer, two epochs, one of them search.
inline train::Recipe tiny_recipe(const std::vector<std::string>& overrides = {}) {
  Config config;
  for (const char* assignment :
       {"model.T=4", "data.train_size=200", "data.test_size=50", "train.epochs=2",
        "train.search_epochs=1", "train.batch_size=20", "train.lr=0.01", "method.name=random"})
    config.override_with(assignment);
  const bool names_model = std::any_of(
      overrides.begin(), overrides.end(),
      [](const std::string& assignment) { return assignment.starts_with("model.name="); });
  if (!names_model)
    for (const char* assignment : {"model.name=mlp", "model.hidden=[32]"})
      config.override_with(assignment);
  for (const std::string& assignment : overrides) config.override_with(assignment);
  return train::read_recipe(config);
}

struct TinyRun {
  explicit TinyRun(const std::vector<std::string>& overrides = {}, train::TrainerCalls calls = {})
      : TinyRun(tiny_recipe(overrides), std::move(calls)) {}
  explicit TinyRun(train::Recipe made, train::TrainerCalls calls = {})
      : recipe(std::move(made)),
        folder(RunDir::create(dir / "run", false)),
        trainer(recipe, folder, {.bar = false, .lines = false}, std::move(calls)) {}

  [[nodiscard]] std::vector<Json> metrics() const {
    std::vector<Json> lines;
    std::istringstream text(read_file(folder.file(RunDir::kMetrics)));
    for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
    return lines;
  }

  TempDir dir;
  train::Recipe recipe;
  RunDir folder;
  train::Trainer trainer;
};

}  // namespace spikenm::test
