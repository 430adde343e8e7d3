// Event recordings of the user's own, in a folder for each class, in any format that is known.
#include "spikenm/core/input_file.h"
#include "spikenm/core/text.h"
#include "spikenm/data/datasets/class_folders.h"
#include "spikenm/data/events/recognize.h"

#include <charconv>
#include <exception>

namespace spikenm::data {
namespace {

const TextKey kSensor{"sensor", "",
                      "width and height of the sensor, as 346x260; empty: what the files say"};

struct SensorSize {
  int32_t width = 0, height = 0;  // 0: not known
};

// "346x260"; an Error names the key.
SensorSize parse_sensor(const std::string& text, const std::string& key) {
  SensorSize size;
  const char* const end = text.data() + text.size();
  const auto [x, bad_width] = std::from_chars(text.data(), end, size.width);
  bool good = bad_width == std::errc() && x != end && *x == 'x';
  if (good) {
    const auto [stop, bad_height] = std::from_chars(x + 1, end, size.height);
    good = bad_height == std::errc() && stop == end;
  }
  constexpr int32_t kMost = 4096;
  good = good && 1 <= size.width && size.width <= kMost && 1 <= size.height && size.height <= kMost;
  SPIKENM_CHECK(good, "{}: found '{}', wanted width x height, each 1 to {}, as 346x260", key, text,
                kMost);
  return size;
}

// What a recording says of its sensor.
SensorSize size_in(const std::filesystem::path& file, const UnpackLimit& limit) {
  std::vector<uint8_t> bytes;
  read_bytes(file, bytes);
  const Recording recording = read_event_file(bytes, file.string(), limit).recording;
  return {recording.width, recording.height};
}

// What the files say of their sensor; one of each extension is asked, for some formats never say it. A damaged
// one counts only where the others do not say it. Where nothing is opened it may be any size.
SensorSize sensor_of(const std::vector<std::filesystem::path>& files, const UnpackLimit& limit,
                     const std::string& key, Extent extent) {
  std::exception_ptr damaged;
  for (const std::filesystem::path& file : files) {
    try {
      const SensorSize size = size_in(file, limit);
      if (size.width > 0 && size.height > 0) return size;
    } catch (const Error&) {
      if (!damaged) damaged = std::current_exception();
    }
  }
  if (extent == Extent::kNothing) return {128, 128};
  if (damaged) std::rethrow_exception(damaged);
  fail(
      "{}: not set, and {} does not say how large its sensor is; wanted width x height, as 346x260",
      key, files.front().string());
}

RecordingReader reader_for(SensorSize sensor, const UnpackLimit& limit) {
  return [sensor, limit](Bytes bytes, std::string_view source, Recording& out) {
    out = read_event_file(bytes, source, limit).recording;
    SPIKENM_CHECK((out.width == 0 || out.width == sensor.width) &&
                      (out.height == 0 || out.height == sensor.height),
                  "{}: found a sensor of {}x{}, wanted {}x{} as in the rest of the set", source,
                  out.width, out.height, sensor.width, sensor.height);
  };
}

}  // namespace

std::unique_ptr<Dataset> open_event_folder(const Config& config, const DatasetRequest& request) {
  ClassFolders found = open_class_folders(
      config, request.extent,
      {.dataset = "event-folder",
       .files = "event recordings",
       .extensions = {".aedat", ".aedat4", ".dat", ".bin", ".bs2", ".npy", ".npz"}});
  const UnpackLimit limit = read_unpack_limit(config);
  const FrameOptions options = read_frame_options(config, {.frames = request.frames});
  const std::string text = kSensor.read(config), key = config.full_key("sensor");
  const SensorSize sensor =
      text.empty() ? sensor_of(found.first, limit, key, request.extent) : parse_sensor(text, key);

  DatasetInfo info{.name = "event-folder",
                   .height = sensor.height,
                   .width = sensor.width,
                   .classes = static_cast<int64_t>(found.classes.size()),
                   .split = std::move(found.split),
                   .source = std::move(found.source),
                   .class_names = found.classes};
  return make_frame_dataset(make_file_recordings(std::move(found.files), reader_for(sensor, limit),
                                                 sensor.width, sensor.height),
                            std::move(info), options,
                            "event-folder 1 classes=" + join(found.classes, "/"));
}

KeyList event_folder_keys() {
  return join_keys(join_keys(class_folder_keys(), {&kMaxUnpackedMb, &kSensor}), frame_keys());
}

}  // namespace spikenm::data
