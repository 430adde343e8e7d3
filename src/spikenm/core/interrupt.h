// SIGINT, SIGTERM and SIGHUP become a flag that long loops look at between steps; so does SIGUSR1,
// which asks for a checkpoint.
#pragma once

#include <string>

namespace spikenm {

// Installs handlers for these signals; a second signal ends the process at once.
void install_interrupt_handlers();

// Throws Interrupted when a signal has come; `where` says in the message what was being done.
void throw_if_interrupted(const std::string& where);

// While one lives, throw_if_interrupted does nothing on its thread: what saves a run must end.
class NoInterrupts {
 public:
  NoInterrupts();
  ~NoInterrupts();
  NoInterrupts(const NoInterrupts&) = delete;
  NoInterrupts& operator=(const NoInterrupts&) = delete;
};

// True once after each SIGUSR1.
bool take_checkpoint_request();

}  // namespace spikenm
