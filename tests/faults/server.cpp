// Runs the program many times in a process that has loaded its libraries once: before main() begins,
// the process waits for requests, and each request makes a copy of it that goes on into main().
// SPIKENM_FAULT_SERVER names two file descriptors. From the first comes a line per request:
//   CALL KIND AT LOG ERR      as in shim.cpp, - for none; ERR: a file that receives standard error
// To the second goes the status of the copy, as waitpid() gives it.
#include "fate.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Main = int (*)(int, char**, char**);
using Nothing = void (*)();
Main real_main = nullptr;

constexpr size_t kWords = 5;
char request[2 * PATH_MAX];  // a copy of the process uses its words until it ends

bool read_request(int from) {
  size_t size = 0;
  for (; size + 1 < sizeof request; ++size) {
    if (read(from, request + size, 1) != 1) return false;
    if (request[size] == '\n') break;
  }
  request[size] = '\0';
  return true;
}

void become_copy() {
  const char* words[kWords] = {};
  char* rest = request;
  for (const char*& word : words) {
    word = strsep(&rest, " ");
    if (word != nullptr && strcmp(word, "-") == 0) word = nullptr;
  }
  const auto [call, kind, at, log, err] = words;
  spikenm::faults::set_fault(call, kind, at, log);
  dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
  dup2(open(err, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), STDERR_FILENO);
}

// Returns in the copies alone.
void serve(int from, int to) {
  while (read_request(from)) {
    const pid_t child = fork();
    if (child == 0) {
      close(from);
      close(to);
      return become_copy();
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (write(to, &status, sizeof status) != sizeof status) break;
  }
  _exit(0);
}

int main_of_copies(int n_words, char** words, char** environment) {
  int from = -1, to = -1;
  const char* server = getenv("SPIKENM_FAULT_SERVER");
  if (server != nullptr && sscanf(server, "%d %d", &from, &to) == 2) serve(from, to);
  return real_main(n_words, words, environment);
}

}  // namespace

// The first function of every program calls this one, when all libraries are loaded.
extern "C" int __libc_start_main(Main main, int n_words, char** words, Nothing begin, Nothing end,
                                 Nothing end_loader, void* stack) {
  using Start = int (*)(Main, int, char**, Nothing, Nothing, Nothing, void*);
  real_main = main;
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(main_of_copies, n_words, words, begin, end, end_loader, stack);
}
