// What must be settled before the libraries set themselves up: some end the process in words of
// their own. Memory that runs out there, or in a destructor, is one sentence too.
#include "exit_codes.h"

#include "spikenm/core/say.h"

#include <cxxabi.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
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

void begin(int, char**, char**) {
  usual = std::set_terminate(end_process);
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
