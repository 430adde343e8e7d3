#include "samples.h"

#include "spikenm/core/error.h"
#include "spikenm/core/input_file.h"
#include "spikenm/data/events/recognize.h"
#include "spikenm/data/formats/npy.h"
#include "spikenm/data/formats/picture_file.h"
#include "spikenm/data/frames.h"
#include "spikenm/data/resize.h"
#include "spikenm/data/transforms/normalize.h"

#include <algorithm>
#include <cmath>
#include <new>

namespace spikenm::run {
namespace {

using graph::FrameShape;

// The sensor's size, or that of the model where the file does not say it.
void set_size(data::Recording& recording, const runtime::Model& model) {
  const FrameShape& frame = model.graph().frame();
  if (recording.width > 0 && recording.height > 0) return;
  recording.width = static_cast<int32_t>(frame.width);
  recording.height = static_cast<int32_t>(frame.height);
  for (const data::Event& event : recording.events) {
    recording.width = std::max<int32_t>(recording.width, event.x + 1);
    recording.height = std::max<int32_t>(recording.height, event.y + 1);
  }
}

std::vector<float> read_events(Bytes bytes, const std::string& source,
                               const runtime::Model& model) {
  const FrameShape& frame = model.graph().frame();
  const runtime::InputEncoding& input = model.input();
  SPIKENM_CHECK(input.events,
                "{}: found neither a PNG or JPEG picture nor a .npy array, wanted one of them: the "
                "model reads images",
                source);
  data::Recording recording = data::read_event_file(bytes, source).recording;
  set_size(recording, model);
  const bool fits = recording.width == frame.width && recording.height == frame.height;
  SPIKENM_CHECK(fits || input.resize > 0, "{}: found a sensor of {}x{}, wanted {}x{}", source,
                recording.width, recording.height, frame.width, frame.height);

  const data::FrameOptions options{
      .frames = model.steps(),
      .rule = input.frames_by_time ? data::FrameRule::kTime : data::FrameRule::kNumber,
      .binary = input.binary,
      .polarities = frame.channels};
  SPIKENM_CHECK(frame.channels <= 2, "{}: found events, and the model reads {} channels", source,
                frame.channels);
  for (const data::Event& e : recording.events)
    SPIKENM_CHECK(e.x < recording.width && e.y < recording.height && e.on <= 1,
                  "{}: found an event at x {}, y {}, wanted it on the {}x{} sensor", source, e.x,
                  e.y, recording.width, recording.height);
  const int64_t planes = model.steps() * frame.channels;
  std::vector<float> full(static_cast<size_t>(planes * recording.height * recording.width));
  data::integrate(recording.events, options, recording.height, recording.width, full.data());
  if (fits) return full;
  std::vector<float> resized(static_cast<size_t>(planes * frame.height * frame.width));
  data::Resizer(recording.height, recording.width, frame.height, frame.width)
      .apply(full.data(), resized.data(), planes);
  return resized;
}

std::vector<float> read_array(Bytes bytes, const std::string& source, const runtime::Model& model) {
  const data::NpyArray array = data::parse_npy(bytes, source);
  const FrameShape& frame = model.graph().frame();
  const std::vector<int64_t> one{frame.channels, frame.height, frame.width},
      all{model.frames(), frame.channels, frame.height, frame.width};
  // A transposed array has as many values, and would be answered with nonsense.
  SPIKENM_CHECK(array.shape == all || (model.frames() == 1 && array.shape == one),
                "{}: found an array of {}, wanted {} ([frames, channels, height, width])", source,
                fmt::join(array.shape, "x"), fmt::join(all, "x"));
  std::vector<float> values = data::npy_values<float>(array, source);
  for (const float value : values)
    SPIKENM_CHECK(std::isfinite(value), "{}: found the value {}, wanted finite numbers", source,
                  value);
  return values;
}

std::vector<float> read_picture(Bytes bytes, const std::string& source,
                                const runtime::Model& model) {
  const FrameShape& frame = model.graph().frame();
  SPIKENM_CHECK(!model.input().events && (frame.channels == 1 || frame.channels == 3),
                "{}: found a picture, wanted {}", source,
                model.input().events ? "events" : "values of other channels");
  const Picture picture = data::read_picture(bytes, frame.channels == 1, source);
  SPIKENM_CHECK(picture.width == frame.width && picture.height == frame.height,
                "{}: found a picture of {}x{}, wanted {}x{}", source, picture.width, picture.height,
                frame.width, frame.height);
  std::vector<float> values(static_cast<size_t>(model.frame_size()));
  const int64_t pixels = frame.width * frame.height;
  for (int64_t p = 0; p < pixels; ++p)
    for (int64_t c = 0; c < frame.channels; ++c)
      values[static_cast<size_t>(c * pixels + p)] =
          picture.pixels[static_cast<size_t>(p * frame.channels + c)];
  return values;
}

// An array of numbers, and not a list of events, which are fields of a record or rows of a table.
bool holds_values(std::span<const uint8_t> bytes, const std::string& source,
                  const runtime::Model& model) {
  if (!as_text(bytes).starts_with("\x93NUMPY")) return false;
  if (!model.input().events) return true;
  const data::NpyArray array = data::parse_npy(bytes, source);
  return array.fields.empty() && array.shape.size() >= 3;
}

}  // namespace

void normalize(std::vector<float>& values, const runtime::Model& model) {
  if (model.input().mean.empty()) return;
  const FrameShape& frame = model.graph().frame();
  data::Sample sample{.shape = {model.frames(), frame.channels, frame.height, frame.width},
                      .values = std::move(values)};
  data::normalize(sample, model.input().mean, model.input().std);
  values = std::move(sample.values);
}

std::vector<float> read_sample(const std::filesystem::path& path, const runtime::Model& model) {
  std::vector<uint8_t> bytes;
  const std::string source = path.string();
  try {
    read_bytes(path, bytes);
  } catch (const std::bad_alloc&) {
    fail("{}: found a file of {} bytes, more than there is memory for", source,
         InputFile(path).size());
  }
  std::vector<float> values;
  if (as_text(bytes).starts_with("\x89PNG") || as_text(bytes).starts_with("\xff\xd8\xff"))
    values = read_picture(bytes, source, model);
  else if (holds_values(bytes, source, model))
    values = read_array(bytes, source, model);
  else
    values = read_events(bytes, source, model);
  normalize(values, model);
  return values;
}

}  // namespace spikenm::run
