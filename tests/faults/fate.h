// Decides which calls on files go wrong, as the environment says (see shim.cpp).
#pragma once

namespace spikenm::faults {

enum class Fate { kElsewhere, kPass, kFail, kShort, kTorn };  // kElsewhere: not counted

// Counts and logs the call when its file is in the folder. Kills the process when the call is to be
// killed. errno is set for kFail and otherwise kept. folder: where a relative name starts, or
// AT_FDCWD.
Fate fate_of(const char* call, int folder, const char* name);
Fate fate_of(const char* call, int file);

// Says what goes wrong, in the words of the environment; null: nothing. The texts must stay.
void set_fault(const char* call, const char* kind, const char* at, const char* log);

[[noreturn]] void die();

}  // namespace spikenm::faults
