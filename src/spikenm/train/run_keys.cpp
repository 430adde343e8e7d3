#include "spikenm/train/run_keys.h"

#include "spikenm/data/data_keys.h"
#include "spikenm/graph/models/model_keys.h"
#include "spikenm/sparsity/method_keys.h"
#include "spikenm/train/checkpoint_keys.h"
#include "spikenm/train/device_keys.h"
#include "spikenm/train/early_stop_keys.h"
#include "spikenm/train/optimizer_keys.h"
#include "spikenm/train/recipe_keys.h"
#include "spikenm/train/schedule_keys.h"

namespace spikenm::train {

std::vector<KeyGroup> run_keys() {
  std::vector<KeyGroup> groups{
      {"", "", join_keys({&kSeed, &kThreads}, device_keys())},
      {"model", "", {&kT}},
      {"data", "", {&kWorkers, &kAugmentOn, &kValFraction}},
      {"train", "", join_keys(join_keys(train_option_keys(), optimizer_keys()), schedule_keys())},
      {"train.stop_early", "", early_stop_key::all()},
      {"checkpoints", "", checkpoint_key::all()}};
  for (const auto& more : {data::data_keys(), graph::model_keys(), sparsity::method_keys()})
    groups.insert(groups.end(), more.begin(), more.end());
  return groups;
}

}  // namespace spikenm::train
