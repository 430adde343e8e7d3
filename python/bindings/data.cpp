// Recordings, frames and data sets.
#include "bindings.h"

#include "spikenm/core/config.h"
#include "spikenm/core/error.h"
#include "spikenm/core/input_file.h"
#include "spikenm/data/events/recognize.h"
#include "spikenm/data/frames.h"
#include "spikenm/data/open.h"
#include "spikenm/data/resize.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace spikenm::python {
namespace {

using data::Event;

constexpr int64_t kMostFrames = 1 << 20;  // of a sample

// One field of every event.
template <class T, class Field>
Array<T> column(const std::vector<Event>& events, Field field) {
  std::vector<T> values(events.size());
  std::transform(events.begin(), events.end(), values.begin(),
                 [&](const Event& e) { return e.*field; });
  return array_of(std::move(values), {static_cast<int64_t>(events.size())});
}

// (t, x, y, p, width, height, format)
nb::tuple read_events(const std::filesystem::path& path) {
  data::EventFile file;
  {
    const nb::gil_scoped_release release;
    std::vector<uint8_t> bytes;
    read_bytes(path, bytes);
    file = data::read_event_file(bytes, path.string());
  }
  const std::vector<Event>& events = file.recording.events;
  return nb::make_tuple(column<int64_t>(events, &Event::t), column<uint16_t>(events, &Event::x),
                        column<uint16_t>(events, &Event::y), column<uint8_t>(events, &Event::on),
                        file.recording.width, file.recording.height, file.format);
}

void check_events(const std::vector<Event>& events, int64_t width, int64_t height) {
  constexpr int64_t kMost = int64_t{1} << 60;
  for (const Event& e : events) {
    SPIKENM_CHECK(e.x < width && e.y < height && e.on <= 1,
                  "events: found an event at x {}, y {} with polarity {}, wanted it on the {}x{} "
                  "sensor with polarity 0 or 1",
                  e.x, e.y, e.on, width, height);
    SPIKENM_CHECK(e.t >= -kMost && e.t <= kMost,
                  "events: found an event at {} us, wanted a time within +-2^60 us", e.t);
  }
}

// [frames, polarities, height, width], or of side `resize`.
Array<float> frames(const Values<int64_t>& t, const Values<uint16_t>& x, const Values<uint16_t>& y,
                    const Values<uint8_t>& p, const data::FrameOptions& options, int64_t height,
                    int64_t width) {
  std::vector<float> counts;
  int64_t out_height = height, out_width = width;
  {
    const nb::gil_scoped_release release;
    std::vector<Event> events(t.size());
    for (size_t i = 0; i < events.size(); ++i)
      events[i] = {.t = t.data()[i], .x = x.data()[i], .y = y.data()[i], .on = p.data()[i]};
    check_events(events, width, height);

    const int64_t planes = options.frames * options.polarities;
    counts.resize(static_cast<size_t>(planes * height * width));
    data::integrate(events, options, height, width, counts.data());
    if (options.resize > 0) {
      out_height = out_width = options.resize;
      std::vector<float> resized(static_cast<size_t>(planes * out_height * out_width));
      data::Resizer(height, width, out_height, out_width)
          .apply(counts.data(), resized.data(), planes);
      counts = std::move(resized);
    }
  }
  return array_of(std::move(counts), {options.frames, options.polarities, out_height, out_width});
}

// (samples [n, frames, channels, height, width], labels [n], class names), pixels as 0..255.
nb::tuple samples(const std::vector<std::string>& assignments, const std::string& part,
                  int64_t steps, int64_t limit, uint64_t seed) {
  SPIKENM_CHECK(steps >= 1 && steps <= kMostFrames, "T: found {}, wanted 1 to {}", steps,
                kMostFrames);
  SPIKENM_CHECK(limit >= 0, "limit: found {}, wanted 0 or more", limit);
  std::vector<float> values;
  std::vector<int64_t> labels;
  data::DatasetInfo info;
  {
    const nb::gil_scoped_release release;
    Config config = Config::from_text("[data]\n", "spikenm.data.samples");
    for (const std::string& each : assignments) config.override_with("data." + each);
    const data::Part which = part == "train" ? data::Part::kTrain : data::Part::kTest;
    const data::Extent extent = part == "train" ? data::Extent::kAll : data::Extent::kTest;
    const auto set = data::open_dataset(config.section("data"),
                                        {.frames = steps, .seed = seed, .extent = extent});
    config.reject_unread();
    info = set->info();
    const int64_t n = limit > 0 ? std::min(limit, set->size(which)) : set->size(which);
    values.resize(static_cast<size_t>(n * info.sample_size()));
    for (int64_t i = 0; i < n; ++i) {
      set->read(which, i, values.data() + i * info.sample_size());
      labels.push_back(set->label(which, i));
    }
  }
  const auto n = static_cast<int64_t>(labels.size());
  const data::SampleShape shape = info.shape();
  nb::list names;
  for (int64_t label = 0; label < info.classes; ++label)
    names.append(nb::str(info.class_name(label).c_str()));
  return nb::make_tuple(
      array_of(std::move(values), {n, shape.frames, shape.channels, shape.height, shape.width}),
      array_of(std::move(labels), {n}), names);
}

}  // namespace

void bind_data(nb::module_& module) {
  module.def("read_events", &read_events, nb::arg("path"));
  module.def(
      "frames",
      [](const Values<int64_t>& t, const Values<uint16_t>& x, const Values<uint16_t>& y,
         const Values<uint8_t>& p, int64_t n, bool by_time, bool binary, int64_t polarities,
         int64_t resize, int64_t height, int64_t width) {
        return frames(t, x, y, p,
                      {.frames = n,
                       .rule = by_time ? data::FrameRule::kTime : data::FrameRule::kNumber,
                       .binary = binary,
                       .polarities = polarities,
                       .resize = resize},
                      height, width);
      },
      nb::arg("t"), nb::arg("x"), nb::arg("y"), nb::arg("p"), nb::arg("n"), nb::arg("by_time"),
      nb::arg("binary"), nb::arg("polarities"), nb::arg("resize"), nb::arg("height"),
      nb::arg("width"));
  module.def("samples", &samples, nb::arg("assignments"), nb::arg("part"), nb::arg("steps"),
             nb::arg("limit"), nb::arg("seed"));
}

}  // namespace spikenm::python
