#include "spikenm/train/checkpoint.h"

#include "spikenm/core/file.h"
#include "spikenm/core/folder.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/json_text.h"
#include "spikenm/core/say.h"
#include "spikenm/train/tensor_file.h"

#include <algorithm>
#include <charconv>

namespace spikenm::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVersion = "1";
constexpr std::string_view kBegin = "step-", kEnd = ".safetensors";

std::optional<int64_t> parse_step(std::string_view text) {
  int64_t step = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, step);
  if (error != std::errc() || stop != end || step < 0) return std::nullopt;
  return step;
}

// The N of step-N.safetensors.
std::optional<int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return std::nullopt;
  if (name.size() < kBegin.size() + kEnd.size()) return std::nullopt;
  return parse_step(name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size()));
}

std::string metadata_of(const SafetensorsFile& header, const std::string& key,
                        const std::string& source) {
  const auto it = header.metadata.find(key);
  SPIKENM_CHECK(it != header.metadata.end(), "{}: found no '{}' in a checkpoint", source, key);
  return it->second;
}

}  // namespace

std::string checkpoint_name(int64_t step) {
  return fmt::format("{}{}{}", kBegin, step, kEnd);
}

std::vector<fs::path> list_checkpoints(const fs::path& folder) {
  std::vector<std::pair<int64_t, fs::path>> found;
  for (const fs::path& path : list_folder(folder))
    if (const auto step = step_of(path.filename().string())) found.emplace_back(*step, path);
  std::sort(found.rbegin(), found.rend());

  std::vector<fs::path> paths;
  for (auto& [step, path] : found) paths.push_back(std::move(path));
  return paths;
}

void write_checkpoint(const fs::path& folder, const StateCopy& state, const CheckpointNote& note,
                      int64_t keep) {
  const NoInterrupts shield;
  const TensorFile file{.tensors = state.tensors,
                        .metadata = {{"format", kCheckpointFormat},
                                     {"version", kVersion},
                                     {"step", std::to_string(note.step)},
                                     {"where", note.where},
                                     {"config", note.config},
                                     {"graph", note.graph},
                                     {"values", state.values.dump()}}};

  make_folders(folder);
  const fs::path path = folder / checkpoint_name(note.step);
  write_tensor_file(path, file);
  SafetensorsInput(path).verify();

  try {
    std::error_code error;  // ignored: an old checkpoint that cannot be removed does no harm
    int64_t kept = 0;
    for (const fs::path& each : list_checkpoints(folder)) {
      // A run that went on from an older checkpoint repeats what lies behind it.
      const bool is_ahead = *step_of(each.filename().string()) > note.step;
      if (is_ahead || kept >= keep) fs::remove(each, error);
      if (!is_ahead) ++kept;
    }
    // NOLINTNEXTLINE(bugprone-empty-catch): nor does one that cannot be found
  } catch (const Error&) {
  }
}

CheckpointNote load_checkpoint(const fs::path& path, const ShowState& show) {
  const std::string source = path.string();
  const SafetensorsInput file(path);
  const auto value = [&](const char* key) { return metadata_of(file.header(), key, source); };
  SPIKENM_CHECK(value("format") == kCheckpointFormat && value("version") == kVersion,
                "{}: found format '{}' version '{}', wanted {} version {}", source, value("format"),
                value("version"), kCheckpointFormat, kVersion);
  const std::optional<int64_t> step = parse_step(value("step"));
  SPIKENM_CHECK(step.has_value(), "{}: step: found '{}', wanted a whole number", source,
                value("step"));
  const Json values = parse_json_object(value("values"), source + " (values)");
  file.verify();

  load_state(show, file, values, source);
  return {
      .step = *step, .where = value("where"), .config = value("config"), .graph = value("graph")};
}

std::optional<CheckpointNote> load_newest_checkpoint(const fs::path& folder,
                                                     const ShowState& show) {
  const std::vector<fs::path> paths = list_checkpoints(folder);
  for (const fs::path& path : paths) {
    try {
      return load_checkpoint(path, show);
    } catch (const Error& e) {
      if (path == paths.back())
        fail(
            "{}; no checkpoint of the run can be read, so that it cannot go on: --force starts it "
            "anew",
            e.what());
      say(fmt::format("warning: {}; going on from the checkpoint before it", e.what()));
    }
  }
  return std::nullopt;
}

}  // namespace spikenm::train
