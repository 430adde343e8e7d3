// CIFAR-10 and CIFAR-100 [Krizhevsky09], from the official binary files, from torchvision's python
// pickles, or from the archive of either without unpacking it.
#include "spikenm/core/input_file.h"
#include "spikenm/data/datasets/cifar_batch.h"
#include "spikenm/data/datasets/file_tree.h"
#include "spikenm/data/formats/inflate.h"
#include "spikenm/data/formats/tar.h"

#include <map>

namespace spikenm::data {
namespace {

const ChoiceKey kLabels{"labels", "fine", {"fine", "coarse"}, "100 classes, or 20 of five each"};

namespace fs = std::filesystem;

struct NamedSum {
  std::string name, md5;
};

// One way in which the set is stored.
struct Layout {
  bool pickled;
  std::string folder;
  NamedSum archive;
  std::vector<NamedSum> train, test;

  [[nodiscard]] const std::vector<NamedSum>& of(Part part) const {
    return part == Part::kTrain ? train : test;
  }
};

constexpr Part kParts[] = {Part::kTrain, Part::kTest};

// The differences between the two sets.
struct Cifar {
  std::string name;
  bool fine_and_coarse;  // CIFAR-100: every image has both labels
  std::vector<Layout> layouts;
};

const Cifar kCifar10{
    .name = "cifar10",
    .fine_and_coarse = false,
    .layouts = {{.pickled = false,
                 .folder = "cifar-10-batches-bin",
                 .archive = {"cifar-10-binary.tar.gz", "c32a1d4ab5d03f1284b67883e8d87530"},
                 .train = {{"data_batch_1.bin", ""},
                           {"data_batch_2.bin", ""},
                           {"data_batch_3.bin", ""},
                           {"data_batch_4.bin", ""},
                           {"data_batch_5.bin", ""}},
                 .test = {{"test_batch.bin", ""}}},
                {.pickled = true,
                 .folder = "cifar-10-batches-py",
                 .archive = {"cifar-10-python.tar.gz", "c58f30108f718f92721af3b95e74349a"},
                 .train = {{"data_batch_1", "c99cafc152244af753f735de768cd75f"},
                           {"data_batch_2", "d4bba439e000b95fd0a9bffe97cbabec"},
                           {"data_batch_3", "54ebc095f3ab1f0389bbae665268c751"},
                           {"data_batch_4", "634d18415352ddfa80567beed471001a"},
                           {"data_batch_5", "482c414d41f54cd18b22e5b47cb7c3cb"}},
                 .test = {{"test_batch", "40351d587109b95175f43aff81a1287e"}}}}};

const Cifar kCifar100{
    .name = "cifar100",
    .fine_and_coarse = true,
    .layouts = {{.pickled = false,
                 .folder = "cifar-100-binary",
                 .archive = {"cifar-100-binary.tar.gz", "03b5dce01913d631647c71ecec9e9cb8"},
                 .train = {{"train.bin", ""}},
                 .test = {{"test.bin", ""}}},
                {.pickled = true,
                 .folder = "cifar-100-python",
                 .archive = {"cifar-100-python.tar.gz", "eb9058c3a382ffc7106e4002c42a8d85"},
                 .train = {{"train", "16019d7e3df5f24257cddd939b257f8d"}},
                 .test = {{"test", "f0ef6b0ae62326f3e7ffdfab6717acfc"}}}}};

// The packed archive. A file that is not gzip is not read further than its first two bytes.
std::vector<uint8_t> read_archive(const fs::path& path) {
  const InputFile file(path);
  std::vector<uint8_t> bytes(std::min<uint64_t>(file.size(), 2));
  file.read(0, bytes);
  if (is_gzip(bytes)) read_bytes(path, bytes);
  return bytes;
}

// The files of a layout by name, and the memory of their bytes.
class Files {
 public:
  static Files of_folder(const Layout& layout, const fs::path& folder, Extent extent) {
    Files files;
    for (const Part part : kParts) {
      if (!includes(extent, part)) continue;
      for (const NamedSum& file : layout.of(part))
        files.sources_.push_back({folder / file.name, file.md5});
    }
    files.place_ = folder.string();
    return files;
  }

  static Files of_archive(const Layout& layout, const fs::path& path, const UnpackLimit& limit) {
    Files files;
    files.place_ = path.string();
    files.unpacked_ =
        std::make_unique<std::string>(gunzip(read_archive(path), files.place_, limit));
    for (const TarMember& member : read_tar(as_bytes(*files.unpacked_), files.place_)) {
      const fs::path name = member.name;
      if (name.parent_path() == layout.folder)
        files.bytes_[name.filename().string()] = member.content;
    }
    files.sources_ = {{path, layout.archive.md5}};
    return files;
  }

  [[nodiscard]] ImagePart read(const Layout& layout, const std::vector<NamedSum>& names,
                               const CifarReading& reading) const {
    ImagePart part;
    const auto append = layout.pickled ? append_cifar_pickle : append_cifar_binary;
    std::vector<uint8_t> buffer;
    for (const NamedSum& file : names) {
      const Bytes bytes = bytes_of(layout, file, buffer);
      // All files of a part have the same size.
      if (part.pixels.empty()) part.pixels.reserve(bytes.size() * names.size());
      append(bytes, reading, place_ + "/" + file.name, part);
    }
    SPIKENM_CHECK(!part.labels.empty(), "{}: holds no images in {}", place_, names[0].name);
    return part;
  }

  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] const std::vector<SourceFile>& sources() const { return sources_; }

 private:
  // The file's bytes: in the archive, or read into `buffer`.
  [[nodiscard]] Bytes bytes_of(const Layout& layout, const NamedSum& file,
                               std::vector<uint8_t>& buffer) const {
    if (unpacked_ == nullptr) {
      read_bytes(fs::path(place_) / file.name, buffer);
      return buffer;
    }
    const auto found = bytes_.find(file.name);
    SPIKENM_CHECK(found != bytes_.end(), "{}: has no {}/{}", place_, layout.folder, file.name);
    return found->second;
  }

  std::string place_;
  std::unique_ptr<std::string> unpacked_;  // the archive; null: files in a folder
  std::map<std::string, Bytes> bytes_;     // content of the archive's members
  std::vector<SourceFile> sources_;
};

// One file is enough: an incomplete copy must be reported as such, not skipped.
bool has_any_file(const Layout& layout, const fs::path& folder, Extent extent) {
  for (const Part part : kParts) {
    if (!includes(extent, part)) continue;
    for (const NamedSum& file : layout.of(part))
      if (kind_of(folder / file.name) == fs::file_type::regular) return true;
  }
  return false;
}

// The layouts' folders first, since they need no unpacking, then their archives.
std::pair<Files, const Layout*> find_files(const Cifar& set, const fs::path& root, Extent extent,
                                           const UnpackLimit& limit, const std::string& wanted) {
  for (const Layout& layout : set.layouts) {
    for (const fs::path& folder : {root / layout.folder, root})
      if (has_any_file(layout, folder, extent))
        return {Files::of_folder(layout, folder, extent), &layout};
  }
  for (const Layout& layout : set.layouts) {
    const fs::path folder = find_folder(root, {"", "download"}, layout.archive.name);
    if (!folder.empty())
      return {Files::of_archive(layout, folder / layout.archive.name, limit), &layout};
  }
  fail("{}: found none of the files of {}; it is read from {}", root.string(), set.name, wanted);
}

std::unique_ptr<Dataset> open_cifar(const Cifar& set, DatasetInfo info, const Config& config,
                                    Extent extent) {
  const std::string wanted = fmt::format(
      "a folder with {}/ or {}/ in it, or {} or {}; they can be had from "
      "www.cs.toronto.edu/~kriz/cifar.html",
      set.layouts[0].folder, set.layouts[1].folder, set.layouts[0].archive.name,
      set.layouts[1].archive.name);
  const fs::path root = require_root(config, extent, set.name, wanted);

  const CifarReading reading{.fine_and_coarse = set.fine_and_coarse,
                             .want_coarse = info.classes == 20,
                             .classes = info.classes};
  const UnpackLimit limit = read_unpack_limit(config);

  info.name = set.name;
  info.channels = 3;
  info.height = info.width = 32;
  info.augment = {"crop:4", "flip"};
  info.official_train = 50000;
  info.official_test = 10000;

  if (extent == Extent::kNothing)
    return std::make_unique<ImageDataset>(std::move(info), ImagePart{}, ImagePart{},
                                          std::vector<SourceFile>{});

  const auto [files, layout] = find_files(set, root, extent, limit, wanted);
  info.source =
      fmt::format("{} in {}", layout->pickled ? "python pickles" : "binary files", files.place());

  ImagePart train, test;
  if (includes(extent, Part::kTrain)) train = files.read(*layout, layout->train, reading);
  test = files.read(*layout, layout->test, reading);
  return std::make_unique<ImageDataset>(std::move(info), std::move(train), std::move(test),
                                        files.sources());
}

}  // namespace

// Means and deviations are those of the published recipes. The deviations are means of per-image
// deviations, which are smaller than the deviation over all pixels.
std::unique_ptr<Dataset> open_cifar10(const Config& config, const DatasetRequest& request) {
  return open_cifar(kCifar10,
                    {.classes = 10,
                     .class_names = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog",
                                     "horse", "ship", "truck"},
                     .mean = {0.4914, 0.4822, 0.4465},
                     .std = {0.2023, 0.1994, 0.2010}},
                    config, request.extent);
}

std::unique_ptr<Dataset> open_cifar100(const Config& config, const DatasetRequest& request) {
  const bool coarse = kLabels.read(config) == 1;
  return open_cifar(kCifar100,
                    {.classes = coarse ? 20 : 100,
                     .mean = {129.3 / 255, 124.1 / 255, 112.4 / 255},
                     .std = {68.2 / 255, 65.4 / 255, 70.4 / 255}},
                    config, request.extent);
}

KeyList cifar100_keys() {
  return join_keys(packed_file_keys(), {&kLabels});
}

}  // namespace spikenm::data
