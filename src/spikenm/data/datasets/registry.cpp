#include "spikenm/data/data_keys.h"
#include "spikenm/data/dataset.h"

namespace spikenm::data {

// One row per dataset; the factory and its keys are defined in the file of its name.
// clang-format off
#define SPIKENM_DATASETS(row) \
  row("moving-shapes", open_moving_shapes, moving_shapes_keys, "built in: ten moving shapes before a simulated event camera") \
  row("cifar10",       open_cifar10,       packed_file_keys,   "60,000 colour images of 10 classes, 32x32") \
  row("cifar100",      open_cifar100,      cifar100_keys,      "60,000 colour images of 100 (or 20 coarse) classes, 32x32") \
  row("mnist",         open_mnist,         packed_file_keys,   "70,000 handwritten digits, 28x28") \
  row("fashion-mnist", open_fashion_mnist, packed_file_keys,   "70,000 pictures of clothes, 10 classes, 28x28") \
  row("cifar10-dvs",   open_cifar10_dvs,   cifar10_dvs_keys,   "10,000 event recordings of moved CIFAR-10 images, 128x128") \
  row("dvs-gesture",   open_dvs_gesture,   dvs_gesture_keys,   "event recordings of 11 hand gestures, 128x128") \
  row("n-mnist",       open_n_mnist,       n_mnist_keys,       "70,000 event recordings of moved MNIST digits, 34x34") \
  row("shd",           open_shd,           shd_keys,           "10,420 spoken digits as spikes of 700 cochlear units, 20 classes") \
  row("image-events",  open_image_events,  image_events_keys,  "an image set (data.source) moved before a simulated event camera") \
  row("image-folder",  open_image_folder,  image_folder_keys,  "your own pictures, PNG or JPEG: a folder for each class") \
  row("event-folder",  open_event_folder,  event_folder_keys,  "your own event recordings, in any known format: a folder for each class")
// clang-format on

#define SPIKENM_DECLARE(name, open, keys, summary)                     \
  std::unique_ptr<Dataset> open(const Config&, const DatasetRequest&); \
  KeyList keys();
SPIKENM_DATASETS(SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

const Registry<DatasetFactory>& datasets() {
#define SPIKENM_ROW(name, open, keys, summary) {name, summary, open},
  static const Registry<DatasetFactory> registry("dataset", {SPIKENM_DATASETS(SPIKENM_ROW)});
#undef SPIKENM_ROW
  return registry;
}

std::vector<KeyGroup> keys_by_dataset() {
#define SPIKENM_ROW(name, open, keys, summary) {"data", name, keys()},
  return {SPIKENM_DATASETS(SPIKENM_ROW)};
#undef SPIKENM_ROW
}

}  // namespace spikenm::data
