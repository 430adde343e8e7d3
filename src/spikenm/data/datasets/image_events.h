// image-events: any set of still images as events. Each image moves once around a closed loop in
// front of a simulated event camera, as CIFAR10-DVS [Li17] was made from CIFAR-10 with a real one.
#pragma once

#include "spikenm/data/dataset.h"

namespace spikenm::data {

struct ImageEventOptions {
  int64_t frames = 10;
  int64_t size = 0;        // side of the sensor in pixels; 0: the image's size
  double travel = 3;       // how far the image moves from its place, in pixels of the sensor
  double threshold = 0.2;  // change of log intensity per event
  double noise = 0.01;     // share of pixels with a noise event, per frame and polarity
  uint64_t seed = 0;
};

// `source` must hold still images of 1 or 3 channels.
std::unique_ptr<Dataset> make_image_events(std::shared_ptr<const Dataset> source,
                                           const ImageEventOptions& options);

}  // namespace spikenm::data
