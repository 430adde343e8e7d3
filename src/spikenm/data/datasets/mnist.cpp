// MNIST and Fashion-MNIST: idx files, packed or not, in torchvision's folders or directly in
// data.root.
#include "spikenm/core/input_file.h"
#include "spikenm/data/datasets/file_tree.h"
#include "spikenm/data/datasets/image_dataset.h"
#include "spikenm/data/formats/idx.h"
#include "spikenm/data/formats/inflate.h"

#include <map>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;

struct Mnist {
  std::string name, folder, address;
  std::map<std::string, std::string> packed_md5;  // md5 sums of the .gz files
};

// A file of the set: packed or not, with a dash or, as in some copies, a dot before "idx".
fs::path find_file(const fs::path& root, const Mnist& set, const std::string& part,
                   const std::string& kind) {
  std::error_code error;
  for (const fs::path& folder : {root, root / set.folder / "raw", root / "raw"}) {
    for (const char* dash : {"-", "."}) {
      for (const char* ending : {"", ".gz"}) {
        fs::path path = folder / fmt::format("{}-{}{}{}-ubyte{}", part, kind, dash,
                                             kind == "images" ? "idx3" : "idx1", ending);
        if (fs::exists(path, error)) return path;
      }
    }
  }
  fail(
      "{}: found no {}-{}-{}-ubyte or .gz, there or in {}/raw/ (torchvision) or raw/; {} can be "
      "had from {}",
      root.string(), part, kind, kind == "images" ? "idx3" : "idx1", set.folder, set.name,
      set.address);
}

std::vector<uint8_t> read_idx(const fs::path& path, size_t dimensions, const UnpackLimit& limit,
                              std::vector<int64_t>& shape) {
  std::vector<uint8_t> file;
  read_bytes(path, file);
  const bool packed = is_gzip(file);
  const std::string unpacked = packed ? gunzip(file, path.string(), limit) : "";
  const IdxArray array = parse_idx(packed ? as_bytes(unpacked) : Bytes(file), path.string());
  SPIKENM_CHECK(array.shape.size() == dimensions, "{}: has {} dimensions, wanted {}", path.string(),
                array.shape.size(), dimensions);
  shape = array.shape;
  return {array.data.begin(), array.data.end()};
}

ImagePart read_part(const fs::path& images, const fs::path& labels, const UnpackLimit& limit) {
  std::vector<int64_t> image_shape, label_shape;
  ImagePart part{.pixels = read_idx(images, 3, limit, image_shape),
                 .labels = read_idx(labels, 1, limit, label_shape)};
  SPIKENM_CHECK(image_shape[1] == 28 && image_shape[2] == 28, "{}: images are {}x{}, wanted 28x28",
                images.string(), image_shape[1], image_shape[2]);
  SPIKENM_CHECK(image_shape[0] == label_shape[0], "{}: has {} labels for the {} images of {}",
                labels.string(), label_shape[0], image_shape[0], images.filename().string());
  SPIKENM_CHECK(!part.labels.empty(), "{}: holds no images", images.string());

  for (size_t i = 0; i < part.labels.size(); ++i) {
    SPIKENM_CHECK(part.labels[i] < 10, "{}: image {} has the label {}, wanted 0 to 9",
                  labels.string(), i, part.labels[i]);
  }
  return part;
}

// Adds the part's two files to `files`.
ImagePart open_part(const fs::path& root, const Mnist& set, const char* part,
                    const UnpackLimit& limit, std::vector<SourceFile>& files) {
  for (const char* kind : {"images", "labels"}) {
    fs::path path = find_file(root, set, part, kind);
    const auto sum = set.packed_md5.find(path.filename().string());
    files.push_back({std::move(path), sum == set.packed_md5.end() ? "" : sum->second});
  }
  return read_part(files.end()[-2].path, files.back().path, limit);
}

std::unique_ptr<Dataset> open(const Mnist& set, DatasetInfo info, const Config& config,
                              Extent extent) {
  const fs::path root = require_root(
      config, extent, set.name,
      fmt::format("a folder with train-images-idx3-ubyte(.gz) and its three companions, in it or "
                  "in {}/raw/; they can be had from {}",
                  set.folder, set.address));

  info.name = set.name;
  info.channels = 1;
  info.height = info.width = 28;
  info.classes = 10;
  info.official_train = 60000;
  info.official_test = 10000;

  const UnpackLimit limit = read_unpack_limit(config);
  std::vector<SourceFile> files;
  ImagePart train, test;
  if (includes(extent, Part::kTrain)) train = open_part(root, set, "train", limit, files);
  if (includes(extent, Part::kTest)) test = open_part(root, set, "t10k", limit, files);
  if (!files.empty()) info.source = "idx files in " + files[0].path.parent_path().string();
  return std::make_unique<ImageDataset>(std::move(info), std::move(train), std::move(test),
                                        std::move(files));
}

}  // namespace

std::unique_ptr<Dataset> open_mnist(const Config& config, const DatasetRequest& request) {
  return open({.name = "mnist",
               .folder = "MNIST",
               .address = "yann.lecun.com/exdb/mnist",
               .packed_md5 = {{"train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"},
                              {"train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"},
                              {"t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"},
                              {"t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"}}},
              {.mean = {0.1307}, .std = {0.3081}}, config, request.extent);
}

std::unique_ptr<Dataset> open_fashion_mnist(const Config& config, const DatasetRequest& request) {
  return open({.name = "fashion-mnist",
               .folder = "FashionMNIST",
               .address = "github.com/zalandoresearch/fashion-mnist",
               .packed_md5 = {{"train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"},
                              {"train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"},
                              {"t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"},
                              {"t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"}}},
              {.class_names = {"t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt",
                               "sneaker", "bag", "ankle boot"},
               .mean = {0.2860},
               .std = {0.3530}},
              config, request.extent);
}

}  // namespace spikenm::data
