// What a run that trains has said of its epochs, read from its log while the log grows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::sweep {

// The part of an epoch's line that tells how the training goes: "search 3/24  loss 1.2345  train
// 45.10 %  val 44.00 %". Empty for any other line.
std::string_view epoch_part(std::string_view line);

class EpochNews {
 public:
  // Bytes of the log before `begin` are older than the run.
  EpochNews(std::filesystem::path log, uint64_t begin) : log_(std::move(log)), read_to_(begin) {}

  // The epochs whose lines were completed since the last call, in short. Empty if the log cannot be
  // read.
  std::vector<std::string> next();

 private:
  std::filesystem::path log_;
  uint64_t read_to_;
  std::string begun_;  // a line that is not yet complete
};

}  // namespace spikenm::sweep
