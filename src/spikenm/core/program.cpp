#include "spikenm/core/program.h"

#include "spikenm/core/descriptor.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace spikenm {
namespace {

// A file in memory. Pipes would need somebody who reads one while the other is full.
Descriptor memory_file(const std::string& program) {
  Descriptor file(::memfd_create("spikenm", MFD_CLOEXEC));
  if (file.get() < 0) fail_with_errno(program, "run");
  return file;
}

void fill(const Descriptor& file, std::string_view bytes, const std::string& program) {
  while (!bytes.empty()) {
    const ssize_t written =
        without_interruption([&] { return ::write(file.get(), bytes.data(), bytes.size()); });
    if (written < 0) fail_with_errno(program, "give input to");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  ::lseek(file.get(), 0, SEEK_SET);
}

std::string content(const Descriptor& file, const std::string& program) {
  std::string bytes(static_cast<size_t>(std::max<off_t>(0, ::lseek(file.get(), 0, SEEK_END))), 0);
  size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t got = without_interruption([&] {
      return ::pread(file.get(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    });
    if (got < 0) fail_with_errno(program, "read the output of");
    if (got == 0) break;
    at += static_cast<size_t>(got);
  }
  bytes.resize(at);
  return bytes;
}

}  // namespace

std::optional<ProgramResult> run_program(const std::vector<std::string>& words,
                                         std::string_view input) {
  const std::string& name = words.front();
  const Descriptor in = memory_file(name), out = memory_file(name), errors = memory_file(name);
  fill(in, input, name);

  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors.get(), STDERR_FILENO);
  pid_t child = 0;
  const int failure =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure == ENOENT) return std::nullopt;
  errno = failure;
  if (failure != 0) fail_with_errno(name, "run");

  int status = 0;
  if (without_interruption([&] { return ::waitpid(child, &status, 0); }) < 0)
    fail_with_errno(name, "wait for");
  return ProgramResult{
      .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
      .output = content(out, name),
      .errors = content(errors, name)};
}

}  // namespace spikenm
