#include "spikenm/train/run_description.h"

#include "spikenm/train/versions.h"

namespace spikenm::train {
namespace {

// The pattern of each maskable layer: "2:4", or "dense" if the method does not mask it.
Json layer_patterns(ModelRecipe& model) {
  Json patterns = Json::object();
  for (const nn::Synapse& synapse : model.network->synapses()) {
    if (synapse.spec->maskable) patterns[synapse.name] = "dense";
  }
  for (const sparsity::MaskableLayer& layer : model.method->layers())
    patterns[layer.synapse->name] = layer.rule_text();
  return patterns;
}

}  // namespace

Json describe_run(Recipe& recipe, const Json& outcome) {
  const sparsity::Pruning& method = *recipe.model.method;
  const data::DatasetInfo& info = recipe.model.dataset->info();
  Json result = {{"method", recipe.model.method_name},
                 {"pattern", method.pattern_text()},
                 {"data", recipe.model.data_name},
                 {"split", info.split},
                 {"data_source", info.source},
                 {"samples",
                  {{"train", recipe.views->train.size()},
                   {"validation", recipe.views->validation.size()},
                   {"test", recipe.model.dataset->size(data::Part::kTest)}}},
                 {"simulated", info.simulated},
                 {"model", recipe.model.model_name},
                 {"T", recipe.model.T},
                 {"device", recipe.model.network->device().str()},
                 {"precision", recipe.model.device.precision},
                 {"augmented_on", recipe.model.pipelines.train.raw ? "gpu" : "cpu"},
                 {"layer_patterns", layer_patterns(recipe.model)},
                 {"seed", recipe.model.seed},
                 {"versions", versions()}};
  result.update(outcome);
  return result;
}

}  // namespace spikenm::train
