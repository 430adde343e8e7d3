#include "spikenm/data/check.h"

#include "spikenm/core/md5.h"
#include "spikenm/data/recording_set.h"
#include "spikenm/data/walk.h"

#include <algorithm>
#include <limits>

namespace spikenm::data {
namespace {

const char* name_of(Part part) {
  return part == Part::kTrain ? "train" : "test";
}

Finding check_size(const Dataset& dataset, Part part) {
  const DatasetInfo& info = dataset.info();
  const int64_t found = dataset.size(part);
  const int64_t wanted = part == Part::kTrain ? info.official_train : info.official_test;
  if (wanted == 0) return {found > 0, fmt::format("{}: {} samples", name_of(part), found)};
  if (found == wanted)
    return {true, fmt::format("{}: {} samples, as many as published", name_of(part), found)};
  return {false, fmt::format("{}: found {} samples, a complete copy has {}", name_of(part), found,
                             wanted)};
}

// What is wrong with a file that has a published sum; empty when it is the published one.
std::string file_problem(const SourceFile& file) {
  try {
    const std::string found = md5_hex(InputFile(file.path));
    if (found == file.md5) return {};
    return fmt::format("{}: its md5 sum is {}, the published one {}; fetch the file again",
                       file.path.string(), found, file.md5);
  } catch (const Error& e) {
    return e.what();
  }
}

void check_files(const Dataset& dataset, const ProgressCallback& progress, CheckReport& report) {
  const std::vector<SourceFile> files = dataset.files();
  size_t n_published = 0, n_good = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].md5.empty()) continue;
    ++n_published;
    if (progress)
      progress(static_cast<double>(i) / static_cast<double>(files.size()),
               fmt::format("md5 of {}", files[i].path.filename().string()));

    const std::string problem = file_problem(files[i]);
    if (problem.empty()) {
      ++n_good;
    } else {
      report.findings.push_back({false, problem});
    }
  }

  if (files.empty() || n_good < n_published) return;  // each bad file has its own finding
  report.findings.push_back(
      {true, n_published == 0
                 ? fmt::format("files: {}, none with a published md5 sum", files.size())
                 : fmt::format("files: {}, of which {} have a published md5 sum and match it",
                               files.size(), n_published)});
}

struct SampleState {
  int64_t label = -1;   // -1: no valid label
  std::string problem;  // empty: the sample can be trained on
};

SampleState check_sample(const Dataset& dataset, Part part, int64_t index) {
  const DatasetInfo& info = dataset.info();
  SampleState state;
  try {
    const int64_t label = dataset.label(part, index);
    SPIKENM_CHECK(0 <= label && label < info.classes, "its label is {}, wanted 0 to {}", label,
                  info.classes - 1);
    state.label = label;

    // Filled with NaN, so that values that the reader does not write are found too.
    std::vector<float> values(static_cast<size_t>(info.sample_size()),
                              std::numeric_limits<float>::quiet_NaN());
    dataset.read(part, index, values.data());
    const auto bad = std::find_if_not(values.begin(), values.end(), [](float v) {
      return 0 <= v && v <= std::numeric_limits<float>::max();
    });
    SPIKENM_CHECK(bad == values.end(), "its value {} is {}, wanted a finite number from 0",
                  bad - values.begin(), *bad);
  } catch (const Error& e) {
    const std::string problem = e.what();  // most already begin with the file's name
    const RecordingSet* const recordings = dataset.recordings();
    const std::string file = recordings == nullptr ? "" : recordings->name(part, index);
    state.problem = problem.find(file) == std::string::npos
                        ? fmt::format("sample {}: {}: {}", index, file, problem)
                        : fmt::format("sample {}: {}", index, problem);
  }
  return state;
}

constexpr size_t kNamed = 20;  // broken samples of a part that are named; the others are counted

void check_samples(const Dataset& dataset, Part part, const ProgressCallback& progress,
                   CheckReport& report) {
  const DatasetInfo& info = dataset.info();
  const int64_t n = dataset.size(part);
  int64_t n_bad = 0;
  std::vector<std::string> bad;  // the first of them
  std::vector<bool> seen(static_cast<size_t>(info.classes));

  walk(
      n, name_of(part), progress, [&](int64_t i) { return check_sample(dataset, part, i); },
      [&](int64_t, SampleState state) {
        if (state.label >= 0) seen[static_cast<size_t>(state.label)] = true;
        if (state.problem.empty()) return;
        ++n_bad;
        if (bad.size() < kNamed) bad.push_back(std::move(state.problem));
      });

  if (n == 0) return;
  report.findings.push_back({n_bad == 0,
                             n_bad == 0
                                 ? fmt::format("{}: every sample can be read", name_of(part))
                                 : fmt::format("{}: {} of {} samples are broken, the first is {}",
                                               name_of(part), n_bad, n, bad.front()),
                             1 + n_bad - static_cast<int64_t>(bad.size())});
  for (size_t i = 1; i < bad.size(); ++i)
    report.findings.push_back({false, fmt::format("{}: {}", name_of(part), bad[i])});

  const auto unseen = std::count(seen.begin(), seen.end(), false);
  if (unseen == 0) return;
  const int64_t first = std::find(seen.begin(), seen.end(), false) - seen.begin();
  report.findings.push_back(
      {false, fmt::format("{}: {} of {} classes have no sample, the first is {}", name_of(part),
                          unseen, info.classes, info.class_name(first))});
}

}  // namespace

bool CheckReport::complete() const {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& f) { return f.good; });
}

std::string CheckReport::verdict() const {
  if (complete()) return fmt::format("{}: complete, {} train + {} test", name, train, test);
  std::string first;
  int64_t n_bad = 0;
  for (const Finding& finding : findings) {
    if (finding.good) continue;
    if (n_bad == 0) first = finding.text;
    n_bad += finding.count;
  }
  const std::string rest = n_bad == 1 ? "" : fmt::format("; and {} more", n_bad - 1);
  return fmt::format("{}: incomplete: {}{}", name, first, rest);
}

CheckReport check_dataset(const Dataset& dataset, const ProgressCallback& progress) {
  CheckReport report{.name = dataset.info().name,
                     .train = dataset.size(Part::kTrain),
                     .test = dataset.size(Part::kTest)};
  for (const Part part : {Part::kTrain, Part::kTest})
    report.findings.push_back(check_size(dataset, part));

  check_files(dataset, progress, report);
  for (const Part part : {Part::kTrain, Part::kTest})
    check_samples(dataset, part, progress, report);
  return report;
}

}  // namespace spikenm::data
