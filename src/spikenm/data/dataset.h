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

// Told how far slow work has come, 0 to 1, and on what.
using ProgressCallback = std::function<void(double fraction, std::string_view what)>;

enum class Part { kTrain, kTest };

// What of a set is opened: its files, those of the test part, or none. info() tells the same shape
// and classes in all three, so that a config is understood where its data is not.
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
  std::string split = "official";  // who is in which part; results name it
  std::string subset;              // which share of the set this is; empty: all of it
  std::string source;              // what was found on the disk, for people: "python pickles in …"
  std::vector<std::string> class_names;  // empty: classes are their numbers
  std::vector<int64_t> mirrored;         // label of a sample's mirror image; empty: the same label
  std::vector<double> mean, std;         // per channel, of pixels in 0..1; empty: not normalised
  std::vector<std::string> augment;      // the usual train transforms of this set
  int64_t official_train = 0, official_test = 0;  // sizes of a complete copy; 0: any size is

  [[nodiscard]] SampleShape shape() const {
    return {std::max<int64_t>(1, frames), channels, height, width};
  }
  [[nodiscard]] int64_t sample_size() const { return shape().size(); }
  [[nodiscard]] std::string class_name(int64_t label) const {
    const auto k = static_cast<size_t>(label);
    return k < class_names.size() ? class_names[k] : std::to_string(label);
  }
};

// A file that the set is read from, and the md5 sum of a good copy where one is published.
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
  // The same values where the set holds them as bytes, for as long as it lives; null: it does not.
  [[nodiscard]] virtual const uint8_t* bytes(Part /*part*/, int64_t /*index*/) const {
    return nullptr;
  }

  // The files behind the set, train then test; none for a set made on the fly.
  [[nodiscard]] virtual std::vector<SourceFile> files() const { return {}; }
  // The raw events behind the frames; null for images and sets made on the fly.
  [[nodiscard]] virtual const RecordingSet* recordings() const { return nullptr; }
  // Everything but the files that decoded samples depend on, as text. Empty: a read costs so
  // little that a cache would not pay.
  [[nodiscard]] virtual std::string cache_key() const { return {}; }

  // Does slow work that is due before the first read, if any (a cache builds its file). Called
  // once by whoever is about to read many samples; read() works without it.
  virtual void prepare(const ProgressCallback& /*progress*/) const {}
};

struct DatasetRequest {
  int64_t frames = 10;  // the T the model asks for
  uint64_t seed = 0;
  Extent extent = Extent::kAll;  // parts that are not opened have no samples
};

// `config` is the [data] section. The same keys are read whatever the extent.
using DatasetFactory =
    std::function<std::unique_ptr<Dataset>(const Config& config, const DatasetRequest& request)>;

const Registry<DatasetFactory>& datasets();

}  // namespace spikenm::data
