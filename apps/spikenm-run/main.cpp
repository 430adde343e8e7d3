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

namespace {

using spikenm::run::Arguments;

constexpr int kFailed = 1, kBadUsage = 2, kOurBug = 70;

int complain(int code, const std::string& message) {
  spikenm::say("spikenm-run: " + message);
  return code;
}

void add_common(CLI::App& app, Arguments& a, int& threads) {
  app.add_option("model", a.model, "a .snm file")->required();
  app.add_option("files", a.files, "event files, .npy arrays or PNG pictures");
  app.add_option("--threads", threads, "threads; 0: all cores")->check(CLI::Range(0, 1024));
  app.add_flag("--json", a.json, "print JSON");
}

void add_timing(CLI::App& app, Arguments& a) {
  app.add_option("--batch", a.batch, "samples at once")->check(CLI::Range(1, 4096));
  app.add_option("--rounds", a.rounds, "the best of so many is shown")
      ->check(CLI::Range(1, 100000));
}

int run(int argc, char** argv) {
  Arguments a;
  int threads = 0;
  CLI::App app("Runs trained spiking networks.", "spikenm-run");
  app.set_version_flag("--version", "spikenm-run " SPIKENM_VERSION);
  app.footer(
      "Examples:\n"
      "  spikenm-run m.snm recording.aedat4 other.npy\n"
      "  spikenm-run m.snm --data n-mnist --root DIR\n"
      "  spikenm-run bench m.snm --batch 16\n"
      "  spikenm-run inspect m.snm\n"
      "  spikenm-run profile m.snm recording.aedat4\n\n"
      "Exit codes: 0 done, 1 failed, 2 bad usage, 70 a bug of ours, 130/143 interrupted.");

  // The first word is a command, or else the model.
  const std::string first = argc > 1 ? argv[1] : "";
  std::vector<std::string> words(argv + 1, argv + argc);
  if (first == "bench" || first == "inspect" || first == "profile") {
    a.command = first;
    words.erase(words.begin());
  }
  add_common(app, a, threads);
  if (a.command.empty()) {
    app.add_option("--data", a.data, "measure the accuracy on the test part of this dataset");
    app.add_option("--root", a.root, "its folder");
    app.add_option("--set", a.overrides, "key=value of [data]");
    app.add_option("--limit", a.limit, "only so many samples")->check(CLI::Range(1, 1 << 30));
  }
  if (a.command == "bench" || a.command == "profile") add_timing(app, a);

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
    throw spikenm::UsageError("found a model and nothing to run it on; wanted files or --data");
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
    return complain(kFailed, "there is not enough memory for this model");
  } catch (const std::system_error& e) {
    return complain(kFailed, e.what());
  } catch (const std::exception& e) {
    spikenm::say_lines(std::string("spikenm-run: a bug of ours, please report it: ") + e.what());
    return kOurBug;
  }
}
