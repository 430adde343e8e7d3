#include "spikenm/deploy/exporter.h"

#include "spikenm/deploy/pack.h"

#include <ATen/ATen.h>

namespace spikenm::deploy {
namespace {

std::vector<float> floats(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
  const float* const data = plain.const_data_ptr<float>();
  return {data, data + plain.numel()};
}

Trained trained_of(const train::LoadedModel& from) {
  const train::ModelRecipe& recipe = from.recipe.model;
  Trained trained{.graph = recipe.network->graph()};
  trained.steps = recipe.T;
  trained.input.events = recipe.dataset->info().frames > 0;
  trained.input.mean = recipe.pipelines.test.mean;
  trained.input.std = recipe.pipelines.test.std;
  trained.seed = recipe.seed;
  trained.data = recipe.data_name;
  trained.method = recipe.method_name;

  for (const auto& list : {recipe.network->parameters(), recipe.network->buffers()})
    for (const nn::NamedTensor& t : list) trained.tensors[t.name] = floats(t.tensor);
  for (const sparsity::LayerMask& m : from.masks.weights)
    trained.masks.emplace(m.synapse->node, m.mask);
  for (const sparsity::NeuronMask& m : from.masks.neurons) {
    std::vector<uint8_t>& keep = trained.neuron_masks[m.neuron->node];
    for (const float kept : floats(m.keep)) keep.push_back(kept != 0);
  }
  return trained;
}

}  // namespace

runtime::StoredModel export_model(const train::LoadedModel& model, runtime::WeightType type) {
  return pack(trained_of(model), type);
}

}  // namespace spikenm::deploy
