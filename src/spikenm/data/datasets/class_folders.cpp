#include "spikenm/data/datasets/class_folders.h"

#include "spikenm/core/json.h"
#include "spikenm/core/say.h"
#include "spikenm/core/text.h"
#include "spikenm/data/shuffle.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;

const TextListKey kClasses{"classes", Varies{"every folder, in the order of names"},
                           "names of the class folders that are used, in the order of labels"};
const TextKey kSplit{"split", "auto",
                     "what is for testing: folders, those of train/ and test/; random:SEED, a "
                     "share of each class; auto: folders if they are there, else random:0"};
const RealKey kTestFraction{"test_fraction",
                            0.1,
                            0.001,
                            0.999,
                            "share of each class that is for testing",
                            "with split = \"random:…\" or \"auto\""};

// Names of the folders in `root`, sorted. Those with a leading dot are no classes.
std::vector<std::string> folders_in(const fs::path& root) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(root, error), end; !error && it != end; it.increment(error)) {
    std::error_code unknown;
    const std::string name = it->path().filename().string();
    if (name[0] != '.' && it->is_directory(unknown)) names.push_back(name);
  }
  SPIKENM_CHECK(!error, "{}: cannot be listed: {}", root.string(), error.message());
  std::sort(names.begin(), names.end());
  return names;
}

bool has_folder(const fs::path& root, const char* name) {
  std::error_code unknown;
  return !root.empty() && fs::is_directory(root / name, unknown);
}

// In lower case.
std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return extension;
}

bool fits(const fs::path& path, const ClassFolderKind& kind) {
  return path.filename().string()[0] != '.' &&
         std::find(kind.extensions.begin(), kind.extensions.end(), extension_of(path)) !=
             kind.extensions.end();
}

// The files of one class, in the order of their names.
std::vector<LabelledFile> files_of(const fs::path& folder, int64_t label,
                                   const ClassFolderKind& kind) {
  std::vector<LabelledFile> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (fits(it->path(), kind)) files.push_back({it->path(), label});
  SPIKENM_CHECK(!error, "{}: cannot be listed: {}", folder.string(), error.message());
  SPIKENM_CHECK(!files.empty(), "{}: holds no {} ({}); wanted some in the folder of each class",
                folder.string(), kind.files, join(kind.extensions, ", "));
  std::sort(files.begin(), files.end(),
            [](const LabelledFile& a, const LabelledFile& b) { return a.path < b.path; });
  return files;
}

struct Split {
  bool by_folders = false;
  uint64_t seed = 0;
  double share = 0;
  std::string text;
};

Split read_split(const Config& config, const fs::path& root) {
  Split split{.share = kTestFraction.read(config)};
  const std::string text = kSplit.read(config);
  const bool is_random = text.starts_with("random:");
  const char* const end = text.data() + text.size();
  if (is_random) {
    const auto [stop, error] = std::from_chars(text.data() + 7, end, split.seed);
    SPIKENM_CHECK(error == std::errc() && stop == end,
                  "{}: found '{}', wanted random: and a whole number", config.full_key("split"),
                  text);
  }
  SPIKENM_CHECK(is_random || text == "auto" || text == "folders",
                "{}: found '{}', wanted auto, folders or random:SEED", config.full_key("split"),
                text);
  split.by_folders = text == "folders" ||
                     (text == "auto" && has_folder(root, "train") && has_folder(root, "test"));
  if (text == "folders") config.no_effect("test_fraction", {"split"});
  split.text = split.by_folders
                   ? "folders"
                   : fmt::format("random:{} ({:g} for testing)", split.seed, split.share);
  return split;
}

// A share of each class is for testing: one file at least, and one is left for training.
void split_class(std::vector<LabelledFile> files, const Split& split, const fs::path& folder,
                 LabelledFiles& out) {
  SPIKENM_CHECK(files.size() >= 2,
                "{}: holds 1 file, wanted 2 or more: one for training and one for testing",
                folder.string());
  shuffle(files, RandomAddress(split.seed, random_stream(RandomUse::kSplit, 2),
                               static_cast<uint32_t>(files.front().label)));
  const auto n = static_cast<double>(files.size());
  const auto n_test = static_cast<size_t>(
      std::clamp<int64_t>(std::lround(split.share * n), 1, static_cast<int64_t>(files.size()) - 1));
  for (size_t i = 0; i < files.size(); ++i)
    (i < n_test ? out.test : out.train).push_back(std::move(files[i]));
}

// Each is one folder below the root, and a class of its own.
void check_chosen(const Config& config, const std::vector<std::string>& classes) {
  const std::string key = config.full_key("classes");
  for (auto name = classes.begin(); name != classes.end(); ++name) {
    SPIKENM_CHECK(
        !name->empty() && *name != "." && *name != ".." && name->find('/') == std::string::npos,
        "{}: found '{}', wanted names of class folders, without '/'", key, *name);
    SPIKENM_CHECK(std::find(classes.begin(), name, *name) == name,
                  "{}: found '{}' twice, wanted each class once", key, *name);
  }
}

// A trained model holds the names, as JSON.
void check_utf8(const fs::path& folder, const std::string& name) {
  try {
    static_cast<void>(Json(name).dump());
  } catch (const Json::exception&) {
    fail("{}: found the class folder '{}', whose name is not UTF-8; wanted one that is",
         folder.string(), printable(name));
  }
}

void refuse_unknown(const fs::path& folder, const std::vector<std::string>& classes) {
  for (const std::string& name : folders_in(folder))
    SPIKENM_CHECK(std::find(classes.begin(), classes.end(), name) != classes.end(),
                  "{}: is no class of the folder train beside; wanted the same classes in both",
                  (folder / name).string());
}

LabelledFiles list_all(const fs::path& root, const std::vector<std::string>& classes,
                       const Split& split, const ClassFolderKind& kind) {
  LabelledFiles files;
  for (size_t c = 0; c < classes.size(); ++c) {
    const auto list = [&](const fs::path& folder) {
      std::error_code unknown;
      SPIKENM_CHECK(fs::is_directory(folder, unknown),
                    "{}: is not a folder, wanted one for class '{}'", folder.string(), classes[c]);
      return files_of(folder, static_cast<int64_t>(c), kind);
    };
    if (split.by_folders) {
      std::ranges::move(list(root / "train" / classes[c]), std::back_inserter(files.train));
      std::ranges::move(list(root / "test" / classes[c]), std::back_inserter(files.test));
    } else {
      split_class(list(root / classes[c]), split, root / classes[c], files);
    }
  }
  return files;
}

// The first file of each extension by path, wherever the split put it.
std::vector<fs::path> first_of_extensions(const LabelledFiles& files) {
  std::map<std::string, fs::path> first;
  for (const Part part : {Part::kTrain, Part::kTest})
    for (const LabelledFile& file : files.of(part)) {
      fs::path& found = first[extension_of(file.path)];
      if (found.empty() || file.path < found) found = file.path;
    }
  std::vector<fs::path> paths;
  for (auto& [extension, path] : first) paths.push_back(std::move(path));
  std::sort(paths.begin(), paths.end());
  return paths;
}

ClassFolders open_all(const fs::path& root, std::vector<std::string> classes, const Split& split,
                      const ClassFolderKind& kind) {
  const bool chosen = !classes.empty();
  const fs::path top = split.by_folders ? root / "train" : root;
  if (!chosen) classes = folders_in(top);
  for (const std::string& name : classes) check_utf8(top, name);
  SPIKENM_CHECK(classes.size() >= 2, "{}: found {} class folders, wanted 2 or more", top.string(),
                classes.size());
  if (split.by_folders && !chosen) refuse_unknown(root / "test", classes);

  LabelledFiles files = list_all(root, classes, split, kind);
  std::vector<fs::path> first = first_of_extensions(files);
  return {.classes = std::move(classes),
          .files = std::move(files),
          .split = split.text,
          .source = fmt::format("{} in {}", kind.files, root.string()),
          .first = std::move(first)};
}

}  // namespace

ClassFolders open_class_folders(const Config& config, Extent extent, const ClassFolderKind& kind) {
  const fs::path root = require_root(
      config, extent, kind.dataset,
      fmt::format("a folder with a folder of {} for each class, or with such folders in train/ "
                  "and test/",
                  kind.files));
  const Split split = read_split(config, root);
  const std::vector<std::string> classes = kClasses.read(config, {});
  check_chosen(config, classes);
  ClassFolders found{.classes = classes.empty() ? numbered_names(2) : classes,
                     .files = {},
                     .split = split.text,
                     .source = {},
                     .first = {}};
  try {
    if (!root.empty()) found = open_all(root, classes, split, kind);
  } catch (const Error&) {
    if (extent != Extent::kNothing) throw;
  }
  if (!includes(extent, Part::kTrain)) found.files.train.clear();
  if (!includes(extent, Part::kTest)) found.files.test.clear();
  return found;
}

KeyList class_folder_keys() {
  return {&kRoot, &kClasses, &kSplit, &kTestFraction};
}

}  // namespace spikenm::data
