// Runs of 6Conv+2FC on CIFAR-10 as their folders would tell them, and a published figure.
#pragma once

#include "spikenm/report/published.h"
#include "spikenm/report/runs.h"

namespace spikenm::test {

struct Setting {
  const char* method = "spikenm";
  const char* pattern = "2:4";
  int64_t seed = 0;
  int64_t epochs = 10;
  int64_t width = 256;
};

inline report::Run make_run(const Setting& s, double accuracy) {
  report::Run run;
  run.folder = "runs/x";
  run.config = {{"seed", s.seed},
                {"data", {{"name", "cifar10"}}},
                {"model", {{"name", "6conv2fc"}, {"T", 8}, {"width", s.width}}},
                {"method", {{"name", s.method}, {"pattern", s.pattern}}},
                {"train", {{"epochs", s.epochs}, {"schedule", "cosine"}, {"lr", 1e-3}}}};
  run.result = {
      {"method", s.method},  {"pattern", s.pattern},      {"data", "cifar10"},
      {"model", "6conv2fc"}, {"test_accuracy", accuracy}, {"test_accuracy_best_val", accuracy + 1},
      {"weight_pct", 50},    {"conn_pct", 40.5},          {"sops_m", 1.25}};
  return run;
}

inline report::PublishedRow published_row(const char* flag) {
  report::PublishedRow row;
  row.dataset = "CIFAR10";
  row.method = "SpikeNM";
  row.pattern = "2:4";
  row.granularity = "weight";
  row.model = "6Conv+2FC";
  row.T = 8;
  row.network = {"width=256"};
  row.accuracy = 93.64;
  row.delta = 0.8;
  row.sops_m = 348.3;
  row.flag = flag;
  return row;
}

}  // namespace spikenm::test
