#include "commands.h"
#include "path_option.h"

#include "spikenm/core/error.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/report/watch_text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <thread>

namespace spikenm::cli {
namespace {

struct WatchArguments {
  std::string run;
  double every = 2;  // seconds
  bool once = false;
};

struct TerminalSize {
  size_t width = 100, height = SIZE_MAX;
};

// Looked at anew before each drawing: a window may change.
TerminalSize terminal_size() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
  return {.width = size.ws_col, .height = size.ws_row > 0 ? size.ws_row : SIZE_MAX};
}

// Waits in short pieces, so that Ctrl-C ends it at once.
void wait(double seconds) {
  constexpr std::chrono::milliseconds kPiece{100};
  for (int64_t pieces = std::lround(10 * seconds); pieces > 0; --pieces) {
    throw_if_interrupted("while watching");
    std::this_thread::sleep_for(kPiece);
  }
}

void watch(const WatchArguments& a) {
  const bool redraws = !a.once && ::isatty(STDERR_FILENO) != 0;
  report::Run run = report::read_begun_run(a.run);
  while (redraws && !run.number("test_accuracy")) {
    // The cursor stands on the line below.
    const TerminalSize size = terminal_size();
    draw("\x1b[H\x1b[J" + report::watch_text(run, size.width, size.height - 1));
    wait(a.every);
    run = report::read_begun_run(a.run);
  }
  if (redraws) draw("\x1b[H\x1b[J");
  show_text(report::watch_text(run, terminal_size().width));
}

}  // namespace

std::function<void()> setup_watch(CLI::App& app) {
  auto a = std::make_shared<WatchArguments>();
  as_path(app.add_option("run", a->run, "folder of a run, at work or finished"))->required();
  app.add_option("--every", a->every, "seconds between two looks")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  app.add_flag("--once", a->once, "print what is known now, and end");
  app.footer(
      "On a terminal the numbers are redrawn until the run ends; elsewhere they are printed "
      "once.\n\n"
      "Examples:\n"
      "  spikenm watch runs/a\n"
      "  spikenm watch runs/a --once");
  return [a] { watch(*a); };
}

}  // namespace spikenm::cli
