// A simulated event camera: each pixel reports when its log intensity has moved by a threshold
// since its last event, ON for brighter and OFF for darker, and now and then reports noise.
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

  // Takes in one rendered image [height,width] of positive intensities and adds the events it
  // causes to `frame` [2,height,width] (ON, OFF), each count saturating at 255. The first image
  // causes none.
  void observe(const std::vector<float>& intensity, uint8_t* frame);

  // Adds noise events; `frame_index` addresses the random numbers.
  void add_noise(const RandomAddress& random, int64_t frame_index, uint8_t* frame) const;

 private:
  Options options_;
  std::vector<float>
      reference_;  // log intensity at each pixel's last event; empty before the first image
};

}  // namespace spikenm::data
