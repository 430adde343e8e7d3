#include "spikenm/report/runs.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/json_text.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/toml.h"

#include <algorithm>
#include <set>

namespace spikenm::report {
namespace fs = std::filesystem;
namespace {

bool has(const fs::path& folder, std::string_view file) {
  std::error_code none;
  return fs::exists(folder / file, none);
}

// The folder and every one below it, by name; links are not followed, so there is no way round.
std::vector<fs::path> folders_under(const fs::path& top) {
  std::error_code error;
  SPIKENM_CHECK(fs::is_directory(top, error), "{}: found no such folder", top.string());
  std::vector<fs::path> folders{top};
  fs::recursive_directory_iterator entry(top, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    if (entry->symlink_status(error).type() != fs::file_type::directory) continue;
    if (entry->path().filename() == RunDir::kNext) {  // of a run that is not yet there
      entry.disable_recursion_pending();
    } else {
      folders.push_back(entry->path());
    }
  }
  SPIKENM_CHECK(!error, "{}: cannot be searched for runs: {}", top.string(), error.message());
  std::sort(folders.begin() + 1, folders.end());
  return folders;
}

}  // namespace

std::optional<double> Run::number(std::string_view key) const {
  const auto found = result.find(key);
  if (found == result.end() || found->is_null()) return std::nullopt;
  SPIKENM_CHECK(found->is_number(), "{}: found {} as '{}', wanted a number",
                (folder / RunDir::kResult).string(), found->dump(), key);
  return found->get<double>();
}

std::string Run::text(std::string_view key) const {
  const auto found = result.find(key);
  if (found == result.end() || found->is_null()) return "";
  SPIKENM_CHECK(found->is_string(), "{}: found {} as '{}', wanted text",
                (folder / RunDir::kResult).string(), found->dump(), key);
  return found->get<std::string>();
}

Run read_run(const fs::path& folder) {
  const fs::path config = folder / RunDir::kConfig, result = folder / RunDir::kResult;
  for (const fs::path& file : {config, result})
    SPIKENM_CHECK(has(folder, file.filename().string()), "{}: found no {}", folder.string(),
                  file.filename().string());
  Run run{.folder = folder,
          .config = parse_toml(read_file(config), config.string()),
          .result = parse_json_object(read_file(result), result.string())};
  SPIKENM_CHECK(run.number("test_accuracy").has_value(), "{}: found no number 'test_accuracy'",
                result.string());
  return run;
}

FoundRuns find_runs(const std::vector<fs::path>& folders) {
  FoundRuns found;
  std::set<fs::path> seen;
  for (const fs::path& top : folders) {
    for (const fs::path& folder : folders_under(top)) {
      const bool is_run = has(folder, RunDir::kConfig) || has(folder, RunDir::kResult);
      if (!is_run || !seen.insert(fs::canonical(folder)).second) continue;
      try {
        found.finished.push_back(read_run(folder));
      } catch (const Error& e) {
        found.left_out.emplace_back(e.what());
      }
    }
  }
  return found;
}

}  // namespace spikenm::report
