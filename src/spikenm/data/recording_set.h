// A set of labelled event recordings, and the frames made from them.
#pragma once

#include "spikenm/data/dataset.h"
#include "spikenm/data/events/event.h"
#include "spikenm/data/frames.h"

namespace spikenm::data {

// Safe to call from several threads at once.
class RecordingSet {
 public:
  virtual ~RecordingSet() = default;
  [[nodiscard]] virtual int64_t size(Part part) const = 0;
  [[nodiscard]] virtual int64_t label(Part part, int64_t index) const = 0;
  // The file (and the trial in it) that a recording comes from, for messages.
  [[nodiscard]] virtual std::string name(Part part, int64_t index) const = 0;
  // Fills `out`; an Error names the file. Coordinates are inside `out`'s sensor size, which is that
  // of the set.
  virtual void load(Part part, int64_t index, Recording& out) const = 0;
  [[nodiscard]] virtual std::vector<SourceFile> files() const = 0;
};

// `info` describes the set as recorded (height and width of the sensor); frames and resizing follow
// `options`. `key` is the reader's part of the cache key.
std::unique_ptr<Dataset> make_frame_dataset(std::unique_ptr<RecordingSet> recordings,
                                            DatasetInfo info, const FrameOptions& options,
                                            const std::string& key);

}  // namespace spikenm::data
