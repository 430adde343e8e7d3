// Checks that must run before the libraries initialise themselves, since some of them end the
// process with messages of their own. If memory runs out there, or in a destructor, one sentence is
// printed too.
#include "exit_codes.h"

#include "spikenm/core/say.h"

#include <cxxabi.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>

namespace spikenm::cli {
namespace {

std::terminate_handler usual = nullptr;

// Must not allocate memory.
void end_process() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type != nullptr && *type == typeid(std::bad_alloc)) {
    say("spikenm: out of memory; more is needed, or less to be asked for");
    ::_exit(kFailed);
  }
  if (usual != nullptr) usual();
  std::abort();
}

void begin(int, char**, char**) {
  usual = std::set_terminate(end_process);
  std::signal(SIGUSR1, SIG_IGN);  // until a run listens: it asks for a checkpoint, not for an end
  std::array<char, PATH_MAX> folder;
  if (::getcwd(folder.data(), folder.size()) == nullptr && errno == ENOENT) {
    say("spikenm: the working folder is gone; change to one that is there");
    ::_exit(kFailed);
  }
}

// Called before any library's constructors.
[[gnu::section(".preinit_array"), gnu::used]] void (*const begin_first)(int, char**,
                                                                        char**) = begin;

}  // namespace
}  // namespace spikenm::cli
