// Dataset folders as people have them, and the sets opened as a recipe opens them.
#pragma once

#include "spikenm/data/dataset.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace spikenm::test {

// Writes a file and the folders above it.
inline void put(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  ASSERT_TRUE(file.good()) << path;
}

// `settings` are such as "split=tebn". A setting that the set does not read is an Error.
inline std::unique_ptr<data::Dataset> open_set(const std::string& name,
                                               const std::filesystem::path& root,
                                               const std::vector<std::string>& settings = {},
                                               int64_t frames = 4,
                                               data::Extent extent = data::Extent::kAll) {
  Config config;
  if (!root.empty()) config.override_with(fmt::format("data.root='{}'", root.string()));
  for (const std::string& setting : settings) config.override_with("data." + setting);
  auto set = data::datasets().find(name)(config.section("data"),
                                         {.frames = frames, .seed = 1, .extent = extent});
  config.reject_unread();
  return set;
}

inline std::vector<float> read_sample(const data::Dataset& set, data::Part part, int64_t index) {
  std::vector<float> values(static_cast<size_t>(set.info().sample_size()), -1.0F);
  set.read(part, index, values.data());
  return values;
}

inline std::vector<int64_t> labels_of(const data::Dataset& set, data::Part part) {
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < set.size(part); ++i) labels.push_back(set.label(part, i));
  return labels;
}

// The folder that an environment variable names, for tests of real data; empty: not set.
inline std::filesystem::path real_root(const char* variable) {
  const char* const root = std::getenv(variable);
  return root == nullptr ? "" : root;
}

}  // namespace spikenm::test
