// Work in a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

namespace spikenm::test {

// Runs `body` in a child; what it returns is the exit status.
template <class Body>
pid_t in_child(const Body& body) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int status = 99;
  try {
    status = body();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "child: %s\n", e.what());
  }
  ::_exit(status);
}

// Waits for it; -1 for one that a signal ended.
inline int status_of(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace spikenm::test
