// The files of a test folder before and after the writer has run.
#pragma once

#include "spikenm/core/file.h"
#include "spikenm/core/safetensors.h"

#include <filesystem>
#include <string>
#include <vector>

namespace spikenm::faults {

namespace fs = std::filesystem;

inline const std::string kOldText = "old\n", kNewText(200'000, 'n');
inline const std::string kOldLines = "one\ntwo\n", kNewLine = "three, which is new\n";
inline const std::string kUncut = "kept;cut";
constexpr size_t kKept = 5;

inline SafetensorsFile tensors(uint8_t value) {
  return {.tensors = {{"a", "U8", {100'000}, std::vector<uint8_t>(100'000, value)},
                      {"b", "F32", {3}, std::vector<uint8_t>(12, value)}},
          .metadata = {{"state", std::to_string(value)}}};
}

inline void write_old(const fs::path& folder) {
  write_file_atomically(folder / "whole", kOldText);
  write_file_atomically(folder / "lines", kOldLines);
  write_file_atomically(folder / "cut", kUncut);
  write_file_atomically(folder / "moved", kOldText);
  write_file_atomically(folder / "tensors", encode_safetensors(tensors(1)));
}

inline void write_new(const fs::path& folder) {
  static_cast<void>(read_file(folder / "lines"));  // as a run does that resumes
  static_cast<void>(read_safetensors(folder / "tensors"));
  make_folders(folder / "deep/er");
  write_file_atomically(folder / "whole", kNewText);
  append_to_file(folder / "lines", kNewLine);
  sync_file(folder / "lines");
  write_safetensors(folder / "tensors", tensors(2));
  truncate_file(folder / "cut", kKept);
  write_file_atomically(folder / "deep/er/next", kNewText);
  move_file(folder / "deep/er/next", folder / "moved");
}

}  // namespace spikenm::faults
