// SIGINT, SIGTERM and SIGHUP become a flag that long loops look at between steps.
#pragma once

#include <string>

namespace spikenm {

// Takes the signals over; a second signal ends the process at once.
void install_interrupt_handlers();

// Throws Interrupted, saying where the work stood, when a signal has come.
void throw_if_interrupted(const std::string& where);

}  // namespace spikenm
