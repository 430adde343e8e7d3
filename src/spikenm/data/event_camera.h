// A simulated event camera: each pixel reports when its log intensity has moved by a threshold
// since its last event, ON for brighter and OFF for darker. Some pixels also report noise.
#pragma once

#include "spikenm/core/random.h"

#include <cstdint>
#include <vector>

namespace spikenm::data {

class EventCamera {
 public:
  struct Options {
    int64_t height = 34, width = 34;
    double threshold = 0.2;    // change of log intensity per event
    double noise_rate = 0.01;  // share of pixels with a noise event, per frame and polarity
  };

  explicit EventCamera(const Options& options);

  // Observes one rendered image [height,width] of positive intensities and adds the events it
  // causes to `frame` [2,height,width], OFF then ON. The first image causes none.
  void observe(const std::vector<float>& intensity, float* frame);

  // Adds noise events; `frame_index` addresses the random numbers.
  void add_noise(const RandomAddress& random, int64_t frame_index, float* frame) const;

 private:
  Options options_;
  // Log intensity at each pixel's last event; empty before the first image.
  std::vector<float> reference_;
};

}  // namespace spikenm::data
