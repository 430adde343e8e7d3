#include "program.h"

#include "commands.h"
#include "exit_codes.h"
#include "system_refusal.h"

#include "spikenm/core/diverged.h"
#include "spikenm/core/error.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/say.h"
#include "spikenm/core/show.h"

#include <fcntl.h>
#include <malloc.h>

#include <climits>
#include <csignal>
#include <map>
#include <sstream>

namespace spikenm::cli {
namespace {

int complain(int code, const std::string& message) {
  say("spikenm: " + message);
  return code;
}

// Messages of libraries may have several lines.
int report_bug(const std::string& message) {
  say_lines("spikenm: a bug of ours, please report it: " + message);
  return kOurBug;
}

// If a standard stream is closed, the next file that we open gets its number, and our messages
// would be written into that file. So a stream that cannot be written to takes its place.
void fill_closed_streams() {
  for (int stream = 0; stream <= 2; ++stream) {
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", O_RDONLY);
  }
}

// Training frees and allocates the same large tensors at every step. By default the allocator
// returns them to the system each time, and a third of the run is spent on page faults.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
}

int run(int argc, char** argv, const HandOver& hand_over) {
  CLI::App app("Trains spiking neural networks that keep N of every M weights.", "spikenm");
  app.set_version_flag("--version", "spikenm " SPIKENM_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  spikenm demo\n"
      "  spikenm train --config configs/demo/spikenm_2x4.toml --out runs/first\n"
      "  spikenm train --config configs/demo/spikenm_2x4.toml method.pattern=2:8 seed=1 --out "
      "runs/2x8\n"
      "  spikenm eval runs/first\n"
      "  spikenm inspect runs/first\n"
      "  spikenm sweep --list configs/ablations/lambda_eid.toml --set data.root=DIR --out "
      "runs/eid\n"
      "  spikenm table runs\n"
      "  spikenm keys train\n\n"
      "Exit codes: 0 done, 1 failed, 2 bad usage, 3 training diverged, 70 a bug of ours, 130/143 "
      "interrupted.");

  std::map<const CLI::App*, std::function<void()>> actions;
  for (const auto& command : commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    actions[sub] = command.setup(*sub);
  }

  check_command(app, argc, argv);
  hand_over(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    std::ostringstream out, err;
    const int code = app.exit(e, out, err) == 0 ? 0 : kBadUsage;
    show_text(out.str());
    finish_output();
    say_lines(err.str());
    return code;
  }

  install_interrupt_handlers();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that is too large is then an error of the write
  keep_freed_memory();
  actions.at(app.get_subcommands().front())();
  finish_output();
  return 0;
}

}  // namespace

int run_program(int argc, char** argv, const HandOver& hand_over, const LibraryErrors& errors) {
  fill_closed_streams();
  try {
    return run(argc, argv, hand_over);
  } catch (const UsageError& e) {
    return complain(kBadUsage, e.what());
  } catch (const Diverged& e) {
    return complain(kDiverged, e.what());
  } catch (const Error& e) {
    return complain(kFailed, e.what());
  } catch (const Interrupted& e) {
    return complain(128 + e.signal_number(), e.what());
  } catch (const std::exception& e) {
    const std::string memory = errors.memory(e);
    if (!memory.empty()) return complain(kFailed, memory);
    const std::string refusal = refusal_complaint(e);
    if (!refusal.empty()) return complain(kFailed, refusal);
    return report_bug(errors.text(e));
  } catch (...) {
    return report_bug("an unknown exception");
  }
}

}  // namespace spikenm::cli
