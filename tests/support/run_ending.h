// How a run ended, as text that is the same for runs that computed the same.
#pragma once

#include "spikenm/core/file.h"
#include "spikenm/core/json.h"
#include "spikenm/core/md5.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/safetensors.h"
#include "support/machine_figures.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <string>

namespace spikenm::test {

// Names and hashes of the tensors in a model file.
inline std::string tensors_of(const std::filesystem::path& file) {
  std::string text;
  for (const StoredTensor& t : read_safetensors(file).tensors)
    text += fmt::format("{} {}\n", t.name, md5_hex(t.bytes));
  return text;
}

// Model, best model, metrics and result of a finished run, without times.
inline std::string ending_of(const std::filesystem::path& run) {
  std::string text;
  for (const std::string_view name : {RunDir::kModel, RunDir::kBestModel})
    if (std::filesystem::exists(run / name)) text += tensors_of(run / name);
  std::istringstream lines(read_file(run / RunDir::kMetrics));
  for (std::string line; std::getline(lines, line);) {
    Json metrics = Json::parse(line);
    erase_machine_figures(metrics);
    text += metrics.dump() + "\n";
  }
  Json result = Json::parse(read_file(run / RunDir::kResult));
  result.erase("phase_seconds");
  result.erase("checkpoint_waits");
  result.erase("tensorboard_seconds");
  result.erase("versions");  // threads are among them
  return text + result.dump();
}

}  // namespace spikenm::test
