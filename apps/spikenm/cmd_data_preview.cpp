#include "commands.h"
#include "dataset_options.h"
#include "path_option.h"
#include "preview_svg.h"

#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/data/contact_sheet.h"
#include "spikenm/data/open.h"
#include "spikenm/data/recording_set.h"
#include "spikenm/report/picture_file.h"

namespace spikenm::cli {
namespace {

struct PreviewArguments {
  DatasetOptions dataset;
  std::string out, part = "train";
  int64_t count = 8, per_class = 0;
  bool augmented = false;
};

// What is said above one sample: the label after augmentation, and when its frames begin, in µs.
struct Told {
  int64_t label = 0;
  std::vector<int64_t> begins;  // empty where there are no recordings
};

// The class above each image; for recordings, the class above the first frame, the time step and
// its time above the others.
std::vector<std::string> captions_of(const data::DatasetInfo& info, const data::SheetLayout& layout,
                                     const std::vector<Told>& samples) {
  std::vector<std::string> captions;
  const bool one_tile = layout.shape.frames == 1 || (layout.events && layout.shape.height == 1);
  for (const Told& told : samples) {
    captions.push_back(info.class_name(told.label) + (one_tile ? "" : ", t = 1"));
    for (int64_t t = 2; !one_tile && t <= layout.shape.frames; ++t) {
      captions.push_back(fmt::format("t = {} of {}", t, layout.shape.frames));
      if (!told.begins.empty())
        captions.back() += fmt::format(
            ", {:.4g} ms", 1e-3 * static_cast<double>(told.begins[static_cast<size_t>(t - 1)]));
    }
  }
  return captions;
}

std::vector<int64_t> begins_of(const data::Dataset& dataset, data::Part part, int64_t index,
                               const data::FrameOptions& options) {
  if (dataset.recordings() == nullptr) return {};
  data::Recording recording;
  dataset.recordings()->load(part, index, recording);
  return data::frame_begins(recording.events, options);
}

void preview(const PreviewArguments& a) {
  report::check_picture_name(a.out);
  const Config config = a.dataset.config();
  const auto dataset = a.dataset.open(config);
  const data::DatasetInfo& info = dataset->info();
  std::shared_ptr<const data::TransformChain> augment;
  if (a.augmented) augment = data::read_pipelines(config.section("data"), info).train.augment;
  data::FrameOptions frames{.frames = info.shape().frames};
  if (dataset->recordings() != nullptr)
    frames = data::read_frame_options(config.section("data"), frames);
  config.reject_unread();

  const data::Part part = a.part == "train" ? data::Part::kTrain : data::Part::kTest;
  const bool per_class = a.per_class > 0;
  const std::vector<int64_t> chosen = data::choose_samples(
      *dataset, part, per_class ? a.per_class : a.count, per_class, a.dataset.seed);
  SPIKENM_CHECK(!chosen.empty(), "{}: found no {} samples to draw", info.name, a.part);

  std::vector<Told> told;
  ProgressLine line;
  const auto progress = progress_on(line, a.dataset.name);
  const auto sample = [&](int64_t i) {
    progress(static_cast<double>(i) / static_cast<double>(chosen.size()), "drawing");
    const int64_t index = chosen[static_cast<size_t>(i)];
    data::Sample s{info.shape(), {}, dataset->label(part, index)};
    s.values.resize(static_cast<size_t>(info.sample_size()));
    dataset->read(part, index, s.values.data());
    if (augment != nullptr) augment->apply(s, a.dataset.seed, /*epoch=*/0, index);
    told.push_back({s.label, begins_of(*dataset, part, index, frames)});
    return s;
  };

  const data::SheetLayout layout{.shape = info.shape(),
                                 .events = info.events,
                                 .samples = static_cast<int64_t>(chosen.size()),
                                 .columns = a.per_class,
                                 .caption = kCaptionRoom};
  const data::Picture sheet = data::draw_contact_sheet(layout, sample);
  const data::TileGrid grid = data::sheet_grid(layout);
  const std::string written =
      report::write_picture(preview_svg(sheet, grid, captions_of(info, layout, told)), a.out)
          .string();
  line.clear();
  for (size_t i = 0; i < chosen.size(); ++i)
    show("{:>4}  {} {:>6}  {}\n", i + 1, a.part, chosen[i],
         printable(info.class_name(told[i].label)));
  show("{}: {} x {} pixels, {} samples of {}\n", written, sheet.width, sheet.height, chosen.size(),
       info.name);
}

}  // namespace

std::function<void()> setup_data_preview(CLI::App& app) {
  auto a = std::make_shared<PreviewArguments>();
  a->dataset.declare(app);
  const CLI::Range up_to_many(int64_t{1}, int64_t{100'000});
  as_path(app.add_option("--out,-o", a->out, "file to write: .svg, or .png by rsvg-convert"))
      ->required();
  CLI::Option* const count = app.add_option("--count,-n", a->count, "samples to draw, at random")
                                 ->check(up_to_many)
                                 ->capture_default_str();
  app.add_option("--per-class", a->per_class, "samples of every class instead, class by class")
      ->check(up_to_many)
      ->excludes(count);
  app.add_option("--part", a->part, "train or test")
      ->check(CLI::IsMember({"train", "test"}))
      ->capture_default_str();
  app.add_flag("--augmented", a->augmented, "after the train transforms (data.augment)");

  app.footer(
      "Images lie in a grid, row by row in the order printed. Event recordings are a row each, "
      "time "
      "to the\n"
      "right: ON red, OFF blue.\n\n"
      "Examples:\n"
      "  spikenm data preview cifar10 --root ~/data --out sheet.png --per-class 8\n"
      "  spikenm data preview cifar10 --root ~/data --out sheet.png --augmented "
      "'augment=[\"crop:4\",\"flip\"]'\n"
      "  spikenm data preview dvs-gesture --root ~/data/DVS128Gesture --T 16 --out rows.png");
  return [a] { preview(*a); };
}

}  // namespace spikenm::cli
