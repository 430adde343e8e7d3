// SIGINT, SIGTERM and SIGHUP become a flag that long loops check between steps.
#pragma once

#include <string>

namespace spikenm {

// Installs handlers for these signals; a second signal ends the process at once.
void install_interrupt_handlers();

// Throws Interrupted when a signal has come; `where` says in the message what was being done.
void throw_if_interrupted(const std::string& where);

}  // namespace spikenm
