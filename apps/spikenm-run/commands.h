// What spikenm-run can do with a model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spikenm::run {

struct Arguments {
  std::string command;  // "bench", "inspect", "profile"; empty: classify
  std::string model;
  std::vector<std::string> more_models;  // of bench
  std::vector<std::string> files;        // to classify
  std::string data, root;                // a dataset to measure the accuracy on
  std::vector<std::string> overrides;    // keys of [data]
  int64_t limit = 0;                     // samples of it; 0: all
  int64_t batch = 1;
  int64_t rounds = 20;
  bool json = false, csv = false;
};

void classify(const Arguments& a);
void measure(const Arguments& a);
void bench(const Arguments& a);
void inspect(const Arguments& a);
void profile(const Arguments& a);

}  // namespace spikenm::run
