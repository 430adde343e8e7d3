// SIGINT, SIGTERM and SIGHUP set a flag, and long loops check it between steps. SIGUSR1 sets
// another flag, which asks for a checkpoint.
#pragma once

#include <string>

namespace spikenm {

// Installs handlers for these signals. After the first SIGINT, SIGTERM or SIGHUP, any second one of
// these ends the process at once.
void install_interrupt_handlers();

// Throws Interrupted if one of the first three signals has come. `where` tells the user, in the
// message, what was interrupted.
void throw_if_interrupted(const std::string& where);

// While an object of this class lives, throw_if_interrupted does nothing on its thread. It protects
// work that must be completed, such as saving a run.
class NoInterrupts {
 public:
  NoInterrupts();
  ~NoInterrupts();
  NoInterrupts(const NoInterrupts&) = delete;
  NoInterrupts& operator=(const NoInterrupts&) = delete;
};

// True if SIGUSR1 has come since the last call.
bool take_checkpoint_request();

}  // namespace spikenm
