// The train stack, from outside: build a network from a config and run one batch.
#include "spikenm/data/loader.h"
#include "spikenm/nn/encoder.h"
#include "spikenm/nn/run_pass.h"
#include "spikenm/train/batch_tensors.h"
#include "spikenm/train/recipe.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cstdio>

int main() {
  const auto config = spikenm::Config::from_text(
      "[data]\ntrain_size = 100\n[model]\nname = 'mlp'\nT = 4\n[method]\nname = 'dense'\n", "text");
  const spikenm::train::Recipe recipe = spikenm::train::read_recipe(config);
  spikenm::data::Loader loader(spikenm::data::test_view(recipe.model.dataset), {.batch_size = 4});
  spikenm::nn::RunPass pass(/*training=*/false, /*observer=*/nullptr, /*steps=*/4);
  const at::NoGradGuard no_grad;
  const spikenm::train::BatchTensors batch = spikenm::train::to_tensors(loader.next());
  const at::Tensor scores =
      recipe.model.network->forward(pass, spikenm::nn::encode(batch.frames, 4));
  std::printf("scores [%lld,%lld,%lld]\n", static_cast<long long>(scores.size(0)),
              static_cast<long long>(scores.size(1)), static_cast<long long>(scores.size(2)));
  return scores.size(2) == 10 ? 0 : 1;
}
