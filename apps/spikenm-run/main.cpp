// Runs trained networks (.snm) without torch.
#include "commands.h"

#include "spikenm/core/error.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/parallel.h"
#include "spikenm/core/say.h"
#include "spikenm/core/show.h"

#include <CLI/CLI.hpp>

#include <new>
#include <sstream>
#include <system_error>
#include <utility>

namespace {

using spikenm::run::Arguments;

constexpr int kFailed = 1, kBadUsage = 2, kOurBug = 70;

int complain(int code, const std::string& message) {
  spikenm::say("spikenm-run: " + message);
  return code;
}

// The texts of one command.
struct Help {
  std::string name, summary, footer;
};

Help help_of(const std::string& command) {
  if (command == "bench")
    return {
        "spikenm-run bench", "Times a network: milliseconds a sample, the best of many runs.",
        "Of FILES, those that end in .snm are more networks, timed one after another. Another one "
        "is what\nthey run on; without it that is noise, at which layers fire otherwise than at "
        "real data.\n\n"
        "What --csv prints can be drawn:\n"
        "  spikenm plot points runs --with ms.csv --x milliseconds -o points.svg\n\n"
        "Examples:\n"
        "  spikenm-run bench m.snm picture.png\n"
        "  spikenm-run bench m.snm --batch 16 --threads 1 --json\n"
        "  spikenm-run bench runs/a.snm runs/b.snm --csv > ms.csv"};
  if (command == "inspect")
    return {"spikenm-run inspect",
            "Describes a .snm file: its layers, patterns, kept weights, and where it comes from.",
            "Example:\n"
            "  spikenm-run inspect m.snm"};
  if (command == "profile")
    return {"spikenm-run profile",
            "Times every layer: milliseconds, how many of its neurons fire, how many of its "
            "weights are "
            "kept, which kernel runs it and why.",
            "FILE is what it runs on; without one it is noise, at which layers fire otherwise than "
            "at real data.\n\n"
            "Example:\n"
            "  spikenm-run profile m.snm recording.aedat4"};
  return {
      "spikenm-run",
      "Runs trained spiking networks: .snm files, which `spikenm export` makes of a run.\n\n"
      "  spikenm-run MODEL FILE…               says the class of each file\n"
      "  spikenm-run MODEL --data NAME         measures the accuracy on a dataset's test part\n"
      "  spikenm-run bench MODEL [FILE]        times it\n"
      "  spikenm-run inspect MODEL             describes it\n"
      "  spikenm-run profile MODEL [FILE]      times every layer\n",
      "A network that was trained on images reads PNG and JPEG pictures of its size, one trained "
      "on "
      "events reads\nevent files (.aedat, .aedat4, .dat, .bin, .npz, …); both read .npy arrays of "
      "[frames, channels, height, width].\n\n"
      "Examples:\n"
      "  spikenm-run m.snm recording.aedat4 other.npy\n"
      "  spikenm-run m.snm --data n-mnist --root DIR --limit 1000\n"
      "  spikenm-run inspect m.snm\n\n"
      "Exit codes: 0 done, 1 failed, 2 bad usage, 70 a bug of ours, 130/143 interrupted."};
}

void add_options(CLI::App& app, Arguments& a, int& threads) {
  app.add_option("MODEL", a.model, "a .snm file")->required();
  if (a.command == "bench") {
    app.add_option("FILES", a.files,
                   "more .snm files; one event file, .npy array, PNG or JPEG picture");
    app.add_flag("--csv", a.csv, "print a row for each network: run, milliseconds");
  }
  if (a.command == "profile")
    app.add_option("FILE", a.files, "an event file, a .npy array, a PNG or JPEG picture")
        ->expected(0, 1);
  if (a.command == "bench" || a.command == "profile") {
    app.add_option("--batch", a.batch, "samples at once")->check(CLI::Range(1, 4096));
    app.add_option("--rounds", a.rounds, "the best of so many is shown")
        ->check(CLI::Range(1, 100000));
  }
  if (a.command.empty()) {
    CLI::Option* const files =
        app.add_option("FILES", a.files, "event files, .npy arrays, PNG or JPEG pictures");
    CLI::Option* const data =
        app.add_option("--data", a.data, "measure the accuracy on the test part of this dataset")
            ->excludes(files);
    app.add_option("--root", a.root, "its folder")->needs(data);
    app.add_option("--set", a.overrides, "key=value of [data]")
        ->allow_extra_args(false)
        ->needs(data);
    app.add_option("--limit", a.limit, "only so many samples")
        ->check(CLI::Range(1, 1 << 30))
        ->needs(data);
  }
  app.add_option("--threads", threads, "threads; 0: all cores")->check(CLI::Range(0, 1024));
  app.add_flag("--json", a.json, "print JSON");
}

// Of the files that bench was given, networks are told by their names.
void take_models(Arguments& a) {
  std::vector<std::string> samples;
  for (const std::string& file : a.files)
    (file.ends_with(".snm") ? a.more_models : samples).push_back(file);
  if (samples.size() > 1)
    throw spikenm::UsageError(
        fmt::format("found two files to run on ({} and {}), wanted one", samples[0], samples[1]));
  if (a.json && a.csv) throw spikenm::UsageError("found --json and --csv, wanted one of them");
  a.files = std::move(samples);
}

int run(int argc, char** argv) {
  // The first word is a command, or else the model.
  Arguments a;
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) words.emplace_back("--help");
  if (words[0] == "bench" || words[0] == "inspect" || words[0] == "profile") {
    a.command = words[0];
    words.erase(words.begin());
  }
  const Help help = help_of(a.command);
  int threads = 0;
  CLI::App app(help.summary, help.name);
  app.set_version_flag("--version", "spikenm-run " SPIKENM_VERSION);
  app.footer(help.footer);
  add_options(app, a, threads);

  try {
    std::reverse(words.begin(), words.end());
    app.parse(words);
  } catch (const CLI::ParseError& e) {
    std::ostringstream out, err;
    const int code = app.exit(e, out, err) == 0 ? 0 : kBadUsage;
    spikenm::show_text(out.str());
    spikenm::finish_output();
    spikenm::say_lines(err.str());
    return code;
  }

  spikenm::install_interrupt_handlers();
  spikenm::set_threads(threads);
  if (a.command == "bench") take_models(a);
  if (a.command == "bench")
    bench(a);
  else if (a.command == "inspect")
    inspect(a);
  else if (a.command == "profile")
    profile(a);
  else if (!a.data.empty())
    measure(a);
  else if (!a.files.empty())
    classify(a);
  else
    throw spikenm::UsageError(
        "found a model and nothing to run it on; wanted files or --data, or the command inspect");
  spikenm::finish_output();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const spikenm::UsageError& e) {
    return complain(kBadUsage, e.what());
  } catch (const spikenm::Error& e) {
    return complain(kFailed, e.what());
  } catch (const spikenm::Interrupted& e) {
    return complain(128 + e.signal_number(), e.what());
  } catch (const std::bad_alloc&) {
    return complain(kFailed,
                    "there is not enough memory for this model; a smaller --batch needs less");
  } catch (const std::system_error& e) {
    return complain(kFailed, e.what());
  } catch (const std::exception& e) {
    spikenm::say_lines(std::string("spikenm-run: a bug of ours, please report it: ") + e.what());
    return kOurBug;
  }
}
