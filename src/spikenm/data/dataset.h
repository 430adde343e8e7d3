// A labelled set of samples: event recordings as frames, or images.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/core/registry.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace spikenm::data {

enum class Part { kTrain, kTest };

struct DatasetInfo {
  std::string name;
  int64_t channels = 0, height = 0, width = 0, classes = 0;
  int64_t frames = 0;      // time steps of a sample; 0: a static image
  bool simulated = false;  // not recorded by a real sensor
  [[nodiscard]] int64_t sample_size() const {
    return std::max<int64_t>(1, frames) * channels * height * width;
  }
};

// Safe to call from several threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;
  [[nodiscard]] virtual const DatasetInfo& info() const = 0;
  [[nodiscard]] virtual int64_t size(Part part) const = 0;
  [[nodiscard]] virtual int64_t label(Part part, int64_t index) const = 0;
  // Writes sample_size() bytes, [frames,channels,height,width]: event counts or pixel values.
  virtual void read(Part part, int64_t index, uint8_t* out) const = 0;
};

// `config` is the [data] section; `frames` the T the model asks for.
using DatasetFactory =
    std::function<std::unique_ptr<Dataset>(const Config& config, int64_t frames, uint64_t seed)>;

const Registry<DatasetFactory>& datasets();

}  // namespace spikenm::data
