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

constexpr fmt::format_string<std::string, std::string> kUnsearched =
    "{}: cannot be searched for runs: {}";

// The folders in this one. Links are not followed, so there are no cycles.
std::vector<fs::path> folders_in(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> found;
  fs::directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename() == RunDir::kNext) continue;  // a run that is not yet in place
    if (entry->symlink_status(error).type() == fs::file_type::directory)
      found.push_back(entry->path());
    if (error) break;
  }
  return found;
}

// The folder and all folders below it, sorted by name. Folders below it that cannot be read are
// added to `unread`.
std::vector<fs::path> folders_under(const fs::path& top, std::vector<std::string>& unread) {
  std::error_code error;
  const fs::file_type kind = fs::status(top, error).type();
  SPIKENM_CHECK(kind != fs::file_type::none, kUnsearched, top.string(), error.message());
  SPIKENM_CHECK(kind == fs::file_type::directory, "{}: found no such folder", top.string());

  std::vector<fs::path> folders{top};
  for (size_t i = 0; i < folders.size(); ++i) {
    for (fs::path& folder : folders_in(fs::path(folders[i]), error))
      folders.push_back(std::move(folder));
    SPIKENM_CHECK(!error || i > 0, kUnsearched, top.string(), error.message());
    if (error) unread.push_back(fmt::format(kUnsearched, folders[i].string(), error.message()));
  }
  std::sort(folders.begin() + 1, folders.end());
  return folders;
}

// The same path for a folder, however it is named.
fs::path identity(const fs::path& folder) {
  std::error_code error;
  fs::path whole = fs::canonical(folder, error);
  return error ? folder : whole;
}

// The accuracy on validation after the last epoch, from the last line of the metrics; empty without
// validation or metrics.
std::optional<double> last_validation(const fs::path& folder) {
  if (!has(folder, RunDir::kMetrics)) return std::nullopt;
  const fs::path file = folder / RunDir::kMetrics;
  std::string text = read_file(file);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.empty()) return std::nullopt;
  const size_t begin = text.rfind('\n') + 1;  // 0 where there is one line
  const Json line = parse_json_object(text.substr(begin), file.string());
  const auto found = line.find("val_accuracy");
  return found != line.end() && found->is_number() ? std::optional(found->get<double>())
                                                   : std::nullopt;
}

// The time of all phases; empty where the result does not say it.
std::optional<double> seconds_of(const Json& result) {
  const auto phases = result.find("phase_seconds");
  if (phases == result.end() || !phases->is_object()) return std::nullopt;
  double sum = 0;
  for (const auto& [phase, seconds] : phases->items())
    sum += seconds.is_number() ? seconds.get<double>() : 0;
  return sum;
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
  SPIKENM_CHECK(!run.result.contains("unfinished"), "{}: the run is unfinished", folder.string());
  SPIKENM_CHECK(run.number("test_accuracy").has_value(), "{}: found no number 'test_accuracy'",
                result.string());
  if (const std::optional<double> found = last_validation(folder))
    run.result.emplace("val_accuracy", *found);
  if (const std::optional<double> found = seconds_of(run.result))
    run.result.emplace("seconds", *found);
  return run;
}

Run read_begun_run(const fs::path& folder) {
  const fs::path config = folder / RunDir::kConfig, result = folder / RunDir::kResult;
  SPIKENM_CHECK(has(folder, RunDir::kConfig), "{}: found no {}, wanted a run folder",
                folder.string(), RunDir::kConfig);
  Run run{.folder = folder,
          .config = parse_toml(read_file(config), config.string()),
          .result = Json::object()};
  if (has(folder, RunDir::kResult))
    run.result = parse_json_object(read_file(result), result.string());
  return run;
}

std::vector<Json> read_metrics(const fs::path& folder) {
  constexpr uint64_t kMost = 1 << 30;
  std::vector<Json> lines;
  if (!has(folder, RunDir::kMetrics)) return lines;
  const fs::path file = folder / RunDir::kMetrics;
  const std::string text = read_file(file, kMost);
  for (size_t begin = 0, end = text.find('\n'); end != std::string::npos;
       begin = end + 1, end = text.find('\n', begin))
    lines.push_back(parse_json_object(std::string_view(text).substr(begin, end - begin),
                                      fmt::format("{}:{}", file.string(), lines.size() + 1)));
  return lines;
}

namespace {

FoundRuns find_with(const std::vector<fs::path>& folders, Run (*read)(const fs::path&)) {
  FoundRuns found;
  std::set<fs::path> seen;
  for (const fs::path& top : folders) {
    for (const fs::path& folder : folders_under(top, found.left_out)) {
      const bool is_run = has(folder, RunDir::kConfig) || has(folder, RunDir::kResult);
      if (!is_run || !seen.insert(identity(folder)).second) continue;
      try {
        found.finished.push_back(read(folder));
      } catch (const Error& e) {
        found.left_out.emplace_back(e.what());
      }
    }
  }
  return found;
}

}  // namespace

FoundRuns find_runs(const std::vector<fs::path>& folders) {
  return find_with(folders, read_run);
}

FoundRuns find_begun_runs(const std::vector<fs::path>& folders) {
  return find_with(folders, read_begun_run);
}

}  // namespace spikenm::report
