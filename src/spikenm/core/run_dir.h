// The folder of one run: resolved config, a metrics line an epoch, the result, the model.
#pragma once

#include "spikenm/core/json.h"

#include <filesystem>
#include <string_view>

namespace spikenm {

class RunDir {
 public:
  static constexpr std::string_view kConfig = "config.toml";
  static constexpr std::string_view kMetrics = "metrics.jsonl";
  static constexpr std::string_view kResult = "result.json";
  static constexpr std::string_view kModel = "model.safetensors";
  static constexpr std::string_view kBestModel = "model_best_val.safetensors";

  // Makes the folder. One that already holds a run, or anything else, is refused; with `force` the
  // files of an earlier run are removed, and only those.
  static RunDir create(const std::filesystem::path& path, bool force);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return path_ / name; }

  void write(std::string_view name, std::string_view content) const;
  void append_line(std::string_view name, const Json& line) const;

 private:
  explicit RunDir(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace spikenm
