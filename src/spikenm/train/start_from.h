// Training that starts from the weights of another run: more epochs, another pattern, a finetune.
#pragma once

#include "spikenm/train/recipe.h"

namespace spikenm::train {

// Puts the tensors of recipe.train.from into the recipe's network. The path is a model file, a
// checkpoint, or the folder of a run: then its model, or its newest checkpoint if it has none.
// Masks are not taken over; weights that they dropped are 0. A checkpoint also brings the state of
// its search (logits, held masks) if the recipe prunes without a search of its own. An Error lists
// the tensors that do not fit.
void start_from(Recipe& recipe);

}  // namespace spikenm::train
