// Memory that runs out where nothing may be thrown, or before main() begins: while the libraries
// set themselves up, or in a destructor. Still one sentence and no abort.
#include "out_of_memory.h"

#include "exit_codes.h"

#include "spikenm/core/say.h"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>

namespace spikenm::cli {
namespace {

std::terminate_handler usual = nullptr;

// Takes no memory.
void end_process() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type != nullptr && *type == typeid(std::bad_alloc)) {
    say("spikenm: out of memory; more is needed, or less to be asked for");
    ::_exit(kFailed);
  }
  if (usual != nullptr) usual();
  std::abort();
}

void install(int, char**, char**) {
  usual = std::set_terminate(end_process);
}

// Called before any library's constructors.
[[gnu::section(".preinit_array"), gnu::used]] void (*const install_first)(int, char**,
                                                                          char**) = install;

}  // namespace
}  // namespace spikenm::cli
