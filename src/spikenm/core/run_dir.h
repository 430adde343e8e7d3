// The folder of one run. It holds the resolved config, the network's graph, one metrics line per
// epoch, the checkpoints, the result and the model.
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
  static constexpr std::string_view kCheckpoints = "checkpoints";  // a folder
  static constexpr std::string_view kTensorBoard = "tensorboard";  // a folder
  static constexpr std::string_view kNext = ".next";  // a folder for the new run, until promote()

  // Makes the folder for a new run. A folder that is not empty is refused. With `force` it may hold
  // an older run, which is replaced: that run stays complete until promote(). Files that do not
  // belong to a run are never removed. No other process can use the folder while this object lives.
  // For `take_over` see RunOwner::take.
  static RunDir create(const std::filesystem::path& path, bool force, bool take_over = false);
  // Like create() without `force`, but first removes what a run left that was killed before its
  // training began.
  static RunDir create_anew(const std::filesystem::path& path, bool take_over = false);

  // Opens the folder of a run that was started before, to continue it. Throws an Error if the
  // folder holds no run.
  static RunDir open(const std::filesystem::path& path, bool take_over = false);
  // Whether the folder holds a run that has begun, which means that it has a config and a graph.
  static bool holds_run(const std::filesystem::path& path);

  // If promote() was not called, removes the new run; the old run stays as it was.
  ~RunDir();
  RunDir(RunDir&& other) noexcept;
  RunDir& operator=(RunDir&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Where the file is now; promote() may move it.
  [[nodiscard]] std::filesystem::path file(std::string_view name) const;

  // Writes the resolved config with the mark that identifies a run.
  void write_config(std::string_view toml) const;
  // Reads the config, without the mark.
  [[nodiscard]] std::string read_config() const;
  void write(std::string_view name, std::string_view content) const;
  void append_line(std::string_view name, const Json& line) const;

  // Keeps the first `lines` lines of the file and removes the rest. Throws an Error if the file has
  // fewer lines.
  void keep_lines(std::string_view name, int64_t lines) const;

  // Replaces the old run by this one, if there is an old one. Called when the run has something to
  // save: its first metrics line or a checkpoint.
  void promote();
  // False while the old run is still there.
  [[nodiscard]] bool is_promoted() const { return !replaces_; }

 private:
  RunDir(std::filesystem::path path, bool replaces, RunOwner owner);

  std::filesystem::path path_;
  bool replaces_;  // an old run is still there, and the files of this one are in kNext
  RunOwner owner_;
};

}  // namespace spikenm
