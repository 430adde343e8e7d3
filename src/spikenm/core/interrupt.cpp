#include "spikenm/core/interrupt.h"

#include "spikenm/core/error.h"

#include <csignal>

namespace spikenm {
namespace {

volatile std::sig_atomic_t received = 0;

void remember(int signal_number) {
  received = signal_number;
  std::signal(signal_number, SIG_DFL);
}

}  // namespace

void install_interrupt_handlers() {
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
  std::signal(SIGHUP, remember);
}

void throw_if_interrupted(const std::string& where) {
  if (received == 0) return;
  throw Interrupted(received, fmt::format("interrupted {}", where));
}

}  // namespace spikenm
