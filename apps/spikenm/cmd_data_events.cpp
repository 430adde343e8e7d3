#include "commands.h"
#include "path_option.h"
#include "preview_svg.h"

#include "spikenm/core/input_file.h"
#include "spikenm/core/show.h"
#include "spikenm/data/event_picture.h"
#include "spikenm/data/events/recognize.h"
#include "spikenm/report/picture_file.h"

#include <memory>
#include <vector>

namespace spikenm::cli {
namespace {

struct EventsArguments {
  std::string file, picture;
  int64_t slices = 6, max_unpacked_mb = data::UnpackLimit::kDefaultMb;
  bool json = false;
};

// Each span of time has its begin and end above it, counted from the first event. Times of event
// files are microseconds.
void draw(const EventsArguments& a, const data::Recording& recording) {
  const data::EventPicture drawn = data::draw_events(recording, a.slices, kCaptionRoom);
  const double span = (drawn.last - drawn.first) / 1000 / static_cast<double>(a.slices);
  std::vector<std::string> captions;
  for (int64_t i = 0; i < a.slices; ++i)
    captions.push_back(fmt::format("{:.4g} to {:.4g} ms", span * static_cast<double>(i),
                                   span * static_cast<double>(i + 1)));
  report::write_picture(preview_svg(drawn.picture, drawn.grid, captions), a.picture);
}

void events(const EventsArguments& a) {
  if (!a.picture.empty()) report::check_picture_name(a.picture);
  std::vector<uint8_t> bytes;
  read_bytes(a.file, bytes);
  const data::UnpackLimit limit{static_cast<size_t>(a.max_unpacked_mb) << 20, "--max-unpacked-mb"};
  const data::EventFile file = data::read_event_file(bytes, a.file, limit);
  const data::EventSummary summary = data::summarize(file);

  if (!a.picture.empty()) draw(a, file.recording);
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
      app.add_option("--picture,--png", a->picture,
                     "draw the events into a .svg or .png: ON red, OFF blue, time to the right"));
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
      "  spikenm data events user01_natural.aedat --picture gestures.svg --slices 10\n"
      "  spikenm data events 00002.bin --json");
  return [a] { events(*a); };
}

}  // namespace spikenm::cli
