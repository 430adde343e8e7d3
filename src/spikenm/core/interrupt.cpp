#include "spikenm/core/interrupt.h"

#include "spikenm/core/error.h"

#include <csignal>

namespace spikenm {
namespace {

volatile std::sig_atomic_t received = 0, requested = 0;
thread_local int shields = 0;

void remember(int signal_number) {
  received = signal_number;
  for (const int any : {SIGINT, SIGTERM, SIGHUP}) std::signal(any, SIG_DFL);
}

void remember_request(int) {
  requested = 1;
}

}  // namespace

void install_interrupt_handlers() {
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
  std::signal(SIGHUP, remember);
  std::signal(SIGUSR1, remember_request);
}

NoInterrupts::NoInterrupts() {
  ++shields;
}

NoInterrupts::~NoInterrupts() {
  --shields;
}

void throw_if_interrupted(const std::string& where) {
  if (received == 0 || shields > 0) return;
  throw Interrupted(received, fmt::format("interrupted {}", where));
}

bool take_checkpoint_request() {
  const bool asked = requested != 0;
  requested = 0;
  return asked;
}

}  // namespace spikenm
