#include "spikenm/data/transforms/transform.h"

namespace spikenm::data {

// One row per transform; the factory is defined in the file of its name.
// clang-format off
#define SPIKENM_TRANSFORMS(row) \
  row("crop",           make_crop,           "pad with zeros, cut a random window of the old size: crop:4 (pixels)") \
  row("flip",           make_flip,           "mirror left and right with a probability: flip:0.5; where these are classes flip:label-swap or flip:upr-literal") \
  row("cutout",         make_cutout,         "blank a box at a random place: cutout:16 (side; without, a third of an event frame)") \
  row("roll",           make_roll,           "shift up to so many pixels each way, wrapping around: roll:5") \
  row("rotate",         make_rotate,         "turn up to so many degrees either way: rotate:30") \
  row("event-drop",     make_event_drop,     "lose events at random, in time or in an area, or none: event-drop:0.5 (largest share)") \
  row("autoaugment",    make_autoaugment,    "AutoAugment's policy for CIFAR-10, on images") \
  row("randaugment",    make_randaugment,    "RandAugment on images: randaugment:2:9 (operations, magnitude 0..30)") \
  row("trivialaugment", make_trivialaugment, "TrivialAugment (wide): one operation an image")
// clang-format on

#define SPIKENM_DECLARE(name, make, summary) \
  std::unique_ptr<Transform> make(const TransformArguments&, const TransformContext&);
SPIKENM_TRANSFORMS(SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

const Registry<TransformFactory>& transforms() {
#define SPIKENM_ROW(name, make, summary) {name, summary, make},
  static const Registry<TransformFactory> registry("transform", {SPIKENM_TRANSFORMS(SPIKENM_ROW)});
#undef SPIKENM_ROW
  return registry;
}

}  // namespace spikenm::data
