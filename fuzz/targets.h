// Every parser of foreign bytes, by name, as libFuzzer and the corpus replay call it.
#pragma once

#include "spikenm/core/bytes.h"

#include <functional>
#include <string>
#include <vector>

namespace spikenm::fuzz {

struct Target {
  std::string name;  // also the folder of its corpus
  std::function<void(Bytes)> run;
};

const std::vector<Target>& targets();

// Runs a target on one input. A spikenm::Error is an answer; anything else is a find.
void run_one(const Target& target, Bytes input);

const Target& find_target(const std::string& name);

}  // namespace spikenm::fuzz
