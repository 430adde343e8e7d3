// What is known of an epoch when it has ended.
#pragma once

#include "spikenm/core/json.h"

#include <cstdint>
#include <string>

namespace spikenm::train {

struct EpochRecord {
  std::string phase;
  int64_t epoch = 0;  // counted over all phases, from 1
  double lr = 0, loss = 0, train_accuracy = 0, val_loss = 0, val_accuracy = 0, seconds = 0;
  bool is_validated = false;      // whether val_loss and val_accuracy are set
  double samples_per_second = 0;  // of training
  double memory_bytes = 0;        // on a GPU: most memory in use so far; else: of the process
  Json extra = Json::object();    // what the method, its masks and the neurons did

  // The line of metrics.jsonl.
  [[nodiscard]] Json line() const;
};

}  // namespace spikenm::train
