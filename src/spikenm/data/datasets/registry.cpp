#include "spikenm/data/dataset.h"

namespace spikenm::data {

// One row a dataset; the factory is defined in the file of its name.
// clang-format off
#define SPIKENM_DATASETS(row) \
  row("moving-shapes", open_moving_shapes, "built in: ten moving shapes before a simulated event camera") \
  row("cifar10", open_cifar10, "60,000 colour images of 10 classes, 32x32") \
  row("cifar100", open_cifar100, "60,000 colour images of 100 (or 20 coarse) classes, 32x32") \
  row("mnist", open_mnist, "70,000 handwritten digits, 28x28") \
  row("fashion-mnist", open_fashion_mnist, "70,000 pictures of clothes, 10 classes, 28x28") \
  row("cifar10-dvs", open_cifar10_dvs, "10,000 event recordings of moved CIFAR-10 images, 128x128") \
  row("dvs-gesture", open_dvs_gesture, "event recordings of 11 hand gestures, 128x128") \
  row("n-mnist", open_n_mnist, "70,000 event recordings of moved MNIST digits, 34x34") \
  row("shd", open_shd, "10,420 spoken digits as spikes of 700 cochlear units, 20 classes") \
  row("image-events", open_image_events, "an image set (data.source) moved before a simulated event camera")
// clang-format on

#define SPIKENM_DECLARE(name, open, summary) \
  std::unique_ptr<Dataset> open(const Config&, const DatasetRequest&);
SPIKENM_DATASETS(SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

const Registry<DatasetFactory>& datasets() {
#define SPIKENM_ROW(name, open, summary) {name, summary, open},
  static const Registry<DatasetFactory> registry("dataset", {SPIKENM_DATASETS(SPIKENM_ROW)});
#undef SPIKENM_ROW
  return registry;
}

}  // namespace spikenm::data
