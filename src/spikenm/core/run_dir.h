// The folder of one run: resolved config, the network's graph, one metrics line per epoch, the
// result, the model.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/core/run_owner.h"

#include <filesystem>
#include <string_view>

namespace spikenm {

class RunDir {
 public:
  static constexpr std::string_view kConfig = "config.toml";
  static constexpr std::string_view kGraph = "graph.toml";
  static constexpr std::string_view kMetrics = "metrics.jsonl";
  static constexpr std::string_view kResult = "result.json";
  static constexpr std::string_view kModel = "model.safetensors";
  static constexpr std::string_view kBestModel = "model_best_val.safetensors";
  static constexpr std::string_view kNext = ".next";  // place of a run that replaces another

  // Makes the folder. A folder that is not empty is refused. With `force` a run may be replaced: it
  // stays whole until promote(), and files that are not a run's are never removed. No other process
  // can use the folder while this object lives; `take_over` is that of RunOwner::take.
  static RunDir create(const std::filesystem::path& path, bool force, bool take_over = false);

  // A run that ends before promote() leaves the old one as it was.
  ~RunDir();
  RunDir(RunDir&& other) noexcept;
  RunDir& operator=(RunDir&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Where the file is now; promote() may move it.
  [[nodiscard]] std::filesystem::path file(std::string_view name) const;

  // Writes the resolved config with the mark that identifies a run.
  void write_config(std::string_view toml) const;
  void write(std::string_view name, std::string_view content) const;
  void append_line(std::string_view name, const Json& line) const;

  // Puts this run in the place of the old one, if there is one. Called after the run's first epoch,
  // when it has something to show.
  void promote();

 private:
  RunDir(std::filesystem::path path, bool replaces, RunOwner owner);

  std::filesystem::path path_;
  bool replaces_;  // an old run is still there, and this one is in kNext
  RunOwner owner_;
};

}  // namespace spikenm
