// The folder of one run: resolved config, the network's graph, one metrics line per epoch, the
// checkpoints, the result, the model.
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
  static constexpr std::string_view kNext = ".next";  // where a run grows that replaces another

  // Makes the folder. A folder that is not empty is refused. With `force` a run may be replaced: it
  // stays whole until promote(), and files that are not a run's are never removed. No other process
  // can use the folder while this object lives; `take_over` is that of RunOwner::take.
  static RunDir create(const std::filesystem::path& path, bool force, bool take_over = false);
  // The same where nothing or no run is: what one left that was killed before it began is removed.
  static RunDir create_anew(const std::filesystem::path& path, bool take_over = false);

  // The folder of a run that was started before, to go on with it. An Error where there is none.
  static RunDir open(const std::filesystem::path& path, bool take_over = false);
  // Whether the folder holds a run that has begun: all of its config and its network are there.
  static bool holds_run(const std::filesystem::path& path);

  // A run that ends before promote() leaves the old one as it was.
  ~RunDir();
  RunDir(RunDir&& other) noexcept;
  RunDir& operator=(RunDir&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Where the file is now; promote() may move it.
  [[nodiscard]] std::filesystem::path file(std::string_view name) const;

  // Writes the resolved config with the mark that identifies a run.
  void write_config(std::string_view toml) const;
  // The same again, without the mark.
  [[nodiscard]] std::string read_config() const;
  void write(std::string_view name, std::string_view content) const;
  void append_line(std::string_view name, const Json& line) const;

  // Cuts the file after its first `lines` lines; there are as many.
  void keep_lines(std::string_view name, int64_t lines) const;

  // Puts this run in the place of the old one, if there is one. Called when the run has something
  // to show: after its first epoch.
  void promote();
  // False while the run that this one replaces is still there.
  [[nodiscard]] bool is_promoted() const { return !replaces_; }

 private:
  RunDir(std::filesystem::path path, bool replaces, RunOwner owner);

  std::filesystem::path path_;
  bool replaces_;  // an old run is still there, and this one is in kNext
  RunOwner owner_;
};

}  // namespace spikenm
