// N-MNIST [Orchard15]: MNIST digits filmed by a moving event camera, 34x34, 40-bit events.
#include "spikenm/data/datasets/file_tree.h"
#include "spikenm/data/events/atis_bin.h"

namespace spikenm::data {

std::unique_ptr<Dataset> open_n_mnist(const Config& config, const DatasetRequest& request) {
  constexpr int32_t kSide = 34;
  constexpr const char* kWanted =
      "a folder with Train/<digit>/*.bin and Test/<digit>/*.bin in it, in extract/ "
      "(SpikingJelly) or in NMNIST/ (Tonic); the set can be had from "
      "garrickorchard.com/datasets/n-mnist";
  const Extent extent = request.extent;
  const std::filesystem::path root = require_root(config, extent, "n-mnist", kWanted);
  const FrameOptions options = read_frame_options(config, {.frames = request.frames});
  DatasetInfo info{.name = "n-mnist",
                   .height = kSide,
                   .width = kSide,
                   .classes = 10,
                   .official_train = 60000,
                   .official_test = 10000};

  LabelledFiles files;
  if (extent != Extent::kNothing) {
    const char* const needed = includes(extent, Part::kTrain) ? "Train" : "Test";
    const std::filesystem::path folder = find_folder(root, {"", "extract", "NMNIST"}, needed);
    SPIKENM_CHECK(!folder.empty(), "{}: found no folder {}; n-mnist is read from {}", root.string(),
                  needed, kWanted);
    info.source = "40-bit events in " + folder.string();
    if (includes(extent, Part::kTrain))
      files.train = list_classes(folder / "Train", numbered_names(10), ".bin");
    files.test = list_classes(folder / "Test", numbered_names(10), ".bin");
  }
  return make_frame_dataset(make_file_recordings(std::move(files), read_atis_bin, kSide, kSide),
                            std::move(info), options, "n-mnist 1");
}

KeyList n_mnist_keys() {
  return join_keys({&kRoot}, frame_keys());
}

}  // namespace spikenm::data
