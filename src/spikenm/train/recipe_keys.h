// The keys that a recipe itself reads, from several sections.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::train {
inline const IntKey kSeed{"seed", 0, 0, INT64_MAX,
                          "what every random number of the run follows from"};
inline const IntKey kThreads{"threads", 0, 0, 4096,
                             "threads of the cpu; 0: as many as there are cores"};

// [model]
inline const IntKey kT{"T", 10, 1, 1024, "time steps, and frames of a recording"};

// [data]
inline const IntKey kWorkers{"workers", 2, 0, 256,
                             "threads that prepare batches; 0: none beside the one that trains"};
inline const ChoiceKey kAugmentOn{
    "augment_on",
    "auto",
    {"auto", "cpu", "gpu"},
    "where batches are augmented; auto: on the GPU where that is possible"};
inline const RealKey kValFraction{"val_fraction", 0.1, 0, 1,
                                  "share of the training samples that are held out for validation"};

// [train]
inline const IntKey kEpochs{"epochs", 10, 1, 1'000'000, "epochs of search and finetune together"};
inline const IntKey kSearchEpochs{
    "search_epochs",
    Varies{"0.75 of epochs, 0.3 with method.preset = \"paper\", rounded, less than epochs"}, 0,
    1'000'000, "epochs of the search, at most epochs"};
inline const IntKey kBatchSize{"batch_size", 50, 1, 1'000'000, "samples a step"};
inline const RealKey kClipNorm{"clip_norm", 0, 0, kMostNumber,
                               "largest norm of all gradients together; 0: no clipping"};
inline const TextListKey kPhases{"phases", std::vector<std::string>{"search", "prune", "finetune"},
                                 "what is done, in order"};
inline const TextKey kLoss{"loss", "ce", "what is minimised"};
inline const IntKey kBadSteps{
    "bad_steps", 1, 1, 1'000'000,
    "steps in a row with a loss or gradient that is not finite, after which training stops"};
inline const RealKey kMaxMinutes{
    "max_minutes", 0, 0, 1e6,
    "minutes after which a run stops with a checkpoint, to go on later; 0: it does not"};
inline const PathKey kFrom{"from", "a model, run or checkpoint whose weights training starts from"};

inline KeyList train_option_keys() {
  return {&kEpochs, &kSearchEpochs, &kBatchSize,  &kClipNorm, &kPhases,
          &kLoss,   &kBadSteps,     &kMaxMinutes, &kFrom};
}

}  // namespace spikenm::train
