// A labelled set of samples: event recordings as frames, or images.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/core/registry.h"
#include "spikenm/data/sample.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace spikenm::data {

class RecordingSet;

// Receives the progress of slow work, from 0 to 1, and what is being done.
using ProgressCallback = std::function<void(double fraction, std::string_view what)>;

enum class Part { kTrain, kTest };

// Which files of a set are opened: all, those of the test part, or none. info() has the same shape
// and classes in all three cases, so that a config can be read where its data is missing.
enum class Extent { kAll, kTest, kNothing };

inline bool includes(Extent extent, Part part) {
  return extent == Extent::kAll || (extent == Extent::kTest && part == Part::kTest);
}

struct DatasetInfo {
  std::string name;
  int64_t channels = 0, height = 0, width = 0, classes = 0;
  int64_t frames = 0;              // time steps of a sample; 0: a static image
  bool events = false;             // frames count events
  bool simulated = false;          // not recorded by a real sensor
  std::string split = "official";  // which samples are in which part; results name it
  std::string subset;              // which part of the set is used; empty: all of it
  std::string source;              // what was found on the disk, for people: "python pickles in …"
  std::vector<std::string> class_names;  // empty: classes are their numbers
  std::vector<int64_t> mirrored;         // label of a sample's mirror image; empty: the same label
  std::vector<double> mean, std;         // per channel, of pixels in 0..1; empty: not normalised
  std::vector<std::string> augment;      // the usual train transforms of this set
  int64_t official_train = 0, official_test = 0;  // sizes of a complete copy; 0: any

  [[nodiscard]] SampleShape shape() const {
    return {std::max<int64_t>(1, frames), channels, height, width};
  }
  [[nodiscard]] int64_t sample_size() const { return shape().size(); }
  [[nodiscard]] std::string class_name(int64_t label) const {
    const auto k = static_cast<size_t>(label);
    return k < class_names.size() ? class_names[k] : std::to_string(label);
  }
};

// A file that the set is read from, and the md5 sum of a good copy if one is published.
struct SourceFile {
  std::filesystem::path path;
  std::string md5;  // lower-case hex; empty: none published
};

// Safe to call from several threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;
  [[nodiscard]] virtual const DatasetInfo& info() const = 0;
  [[nodiscard]] virtual int64_t size(Part part) const = 0;
  [[nodiscard]] virtual int64_t label(Part part, int64_t index) const = 0;
  // Writes sample_size() values, [frames,channels,height,width]: event counts or pixels 0..255.
  virtual void read(Part part, int64_t index, float* out) const = 0;
  // The same values if the set holds them as bytes; valid as long as the set exists. Null if it
  // does not hold them.
  [[nodiscard]] virtual const uint8_t* bytes(Part /*part*/, int64_t /*index*/) const {
    return nullptr;
  }

  // The files behind the set, train then test; none for a set that is generated.
  [[nodiscard]] virtual std::vector<SourceFile> files() const { return {}; }
  // The raw events behind the frames; null for images and generated sets.
  [[nodiscard]] virtual const RecordingSet* recordings() const { return nullptr; }
  // Everything that decoded samples depend on, except the files, as text. Empty: reading is so fast
  // that a cache would not help.
  [[nodiscard]] virtual std::string cache_key() const { return {}; }

  // Does slow work that is needed before the first read, if any (a cache builds its file). Called
  // once by code that will read many samples; read() works without it.
  virtual void prepare(const ProgressCallback& /*progress*/) const {}
};

struct DatasetRequest {
  int64_t frames = 10;  // the T of the model
  uint64_t seed = 0;
  Extent extent = Extent::kAll;  // parts that are not opened have no samples
};

// `config` is the [data] section. The same keys are read for every extent.
using DatasetFactory =
    std::function<std::unique_ptr<Dataset>(const Config& config, const DatasetRequest& request)>;

const Registry<DatasetFactory>& datasets();

}  // namespace spikenm::data
