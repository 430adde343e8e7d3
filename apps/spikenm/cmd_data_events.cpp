#include "commands.h"
#include "path_option.h"

#include "spikenm/core/input_file.h"
#include "spikenm/core/png.h"
#include "spikenm/core/show.h"
#include "spikenm/data/event_picture.h"
#include "spikenm/data/events/recognize.h"

#include <memory>
#include <vector>

namespace spikenm::cli {
namespace {

struct EventsArguments {
  std::string file, png;
  int64_t slices = 6, max_unpacked_mb = data::UnpackLimit::kDefaultMb;
  bool json = false;
};

void events(const EventsArguments& a) {
  std::vector<uint8_t> bytes;
  read_bytes(a.file, bytes);
  const data::UnpackLimit limit{static_cast<size_t>(a.max_unpacked_mb) << 20, "--max-unpacked-mb"};
  const data::EventFile file = data::read_event_file(bytes, a.file, limit);
  const data::EventSummary summary = data::summarize(file);

  if (!a.png.empty()) {
    const data::Picture picture = data::draw_events(file.recording, a.slices);
    write_png(a.png, picture.width, picture.height, picture.rgb);
  }
  if (a.json) {
    show_json(data::to_json(summary));
  } else {
    show_text(data::to_text(summary));
  }
}

}  // namespace

std::function<void()> setup_data_events(CLI::App& app) {
  auto a = std::make_shared<EventsArguments>();
  as_path(
      app.add_option("file", a->file, "AEDAT 2, 3.1 and 4, Prophesee DAT, N-MNIST bin, npy, npz"))
      ->required();
  as_path(
      app.add_option("--png", a->png, "draw the events here: ON red, OFF blue, time to the right"));
  app.add_option("--slices", a->slices, "spans of time in the drawing")
      ->check(CLI::Range(int64_t{1}, int64_t{100}))
      ->capture_default_str();
  app.add_option("--max-unpacked-mb", a->max_unpacked_mb,
                 "what a packed file may become; 16 times its own size is never refused")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 24))
      ->capture_default_str();
  app.add_flag("--json", a->json, "print the summary as JSON");

  app.footer(
      "The format is recognised by what the file holds, not by its name.\n\n"
      "Examples:\n"
      "  spikenm data events cifar10_cat_0.aedat\n"
      "  spikenm data events user01_natural.aedat --png gestures.png --slices 10\n"
      "  spikenm data events 00002.bin --json");
  return [a] { events(*a); };
}

}  // namespace spikenm::cli
