#include "fate.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace spikenm::faults {
namespace {

struct Settings {
  char folder[PATH_MAX];
  size_t folder_size;  // 0: no call is counted
  const char *call, *kind, *log;
  long at;
  bool lasts;
  int error;  // errno of a call that fails; 0 for the other kinds
};
Settings settings;
long n_calls = 0;

using Path = char[PATH_MAX];

// The errno of a kind; 0 for the kinds that do not fail.
int error_of(const char* kind) {
  if (strcmp(kind, "ENOSPC") == 0 || strcmp(kind, "full") == 0) return ENOSPC;
  if (strcmp(kind, "EIO") == 0) return EIO;
  if (strcmp(kind, "EACCES") == 0) return EACCES;
  if (strcmp(kind, "EINTR") == 0) return EINTR;
  for (const char* other : {"short", "torn", "kill", "term"})
    if (strcmp(kind, other) == 0) return 0;
  fprintf(stderr, "SPIKENM_FAULT_KIND: '%s' is not known\n", kind);
  abort();
}

// The absolute path of a name. Links are followed in all parts but the last, which may not exist.
bool resolve(int folder, const char* name, Path& out) {
  Path given, parent;
  const bool beside = folder != AT_FDCWD && name[0] != '/';
  const int n = beside ? snprintf(given, sizeof given, "/proc/self/fd/%d/%s", folder, name)
                       : snprintf(given, sizeof given, "%s", name);
  if (n <= 0 || static_cast<size_t>(n) >= sizeof given) return false;
  for (size_t end = strlen(given); end > 1 && given[end - 1] == '/';) given[--end] = '\0';
  char* slash = strrchr(given, '/');
  const char* last = slash == nullptr ? given : slash + 1;
  if (strcmp(last, ".") == 0 || strcmp(last, "..") == 0 || *last == '\0')
    return realpath(given, out) != nullptr;
  if (slash != nullptr) *slash = '\0';
  const char* above = slash == nullptr ? "." : *given == '\0' ? "/" : given;
  if (realpath(above, parent) == nullptr) return false;
  const int size = snprintf(out, sizeof out, "%s/%s", strcmp(parent, "/") == 0 ? "" : parent, last);
  return size > 0 && static_cast<size_t>(size) < sizeof out;
}

bool resolve(int file, Path& out) {
  Path link;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t n = readlink(link, out, sizeof out - 1);
  if (n < 0) return false;
  out[n] = '\0';
  return true;
}

bool counts(const char* path) {
  if (strncmp(path, settings.folder, settings.folder_size) != 0) return false;
  const char next = path[settings.folder_size];
  return next == '\0' || next == '/' || next == ' ';  // as in "folder (deleted)"
}

void log_call(const char* call, const char* path) {
  if (settings.log == nullptr) return;
  char line[PATH_MAX + 16];
  const int n = snprintf(line, sizeof line, "%s %s\n", call, path);
  const long file =
      syscall(SYS_openat, AT_FDCWD, settings.log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return;
  syscall(SYS_write, file, line, n);
  syscall(SYS_close, file);
}

// Decides about a call on this path. Kills the process itself, and sets errno for kFail.
Fate judge(const char* call, const char* path) {
  if (!counts(path)) return Fate::kElsewhere;
  log_call(call, path);
  if (settings.call == nullptr || strcmp(call, settings.call) != 0) return Fate::kPass;
  const long n = __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED);
  if (n < settings.at || (n > settings.at && !settings.lasts)) return Fate::kPass;
  if (strcmp(settings.kind, "kill") == 0) die();
  if (strcmp(settings.kind, "term") == 0) {
    syscall(SYS_kill, syscall(SYS_getpid), SIGTERM);
    return Fate::kPass;
  }
  if (strcmp(settings.kind, "short") == 0) return Fate::kShort;
  if (strcmp(settings.kind, "full") == 0 && n == settings.at) return Fate::kShort;
  if (strcmp(settings.kind, "torn") == 0) return Fate::kTorn;
  errno = settings.error;
  return Fate::kFail;
}

// judge() for a name (folder, name) or for an open file.
template <class... Where>
Fate judge_at(const char* call, Where... where) {
  if (settings.folder_size == 0) return Fate::kElsewhere;
  const int before = errno;
  Path path;
  const Fate fate = resolve(where..., path) ? judge(call, path) : Fate::kElsewhere;
  if (fate != Fate::kFail) errno = before;
  return fate;
}

__attribute__((constructor)) void read_settings() {
  const char* folder = getenv("SPIKENM_FAULT_FOLDER");
  if (folder == nullptr || !resolve(AT_FDCWD, folder, settings.folder)) return;
  set_fault(getenv("SPIKENM_FAULT_CALL"), getenv("SPIKENM_FAULT_KIND"), getenv("SPIKENM_FAULT_AT"),
            getenv("SPIKENM_FAULT_LOG"));
  settings.folder_size = strlen(settings.folder);
}

}  // namespace

void set_fault(const char* call, const char* kind, const char* at, const char* log) {
  settings.call = at == nullptr || kind == nullptr ? nullptr : call;
  settings.kind = kind;
  settings.log = log;
  if (settings.call == nullptr) return;
  settings.at = atol(at);
  settings.lasts = strchr(at, '+') != nullptr || strcmp(kind, "full") == 0;
  settings.error = error_of(kind);
}

void die() {
  for (;;) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

Fate fate_of(const char* call, int folder, const char* name) {
  return judge_at(call, folder, name);
}

Fate fate_of(const char* call, int file) {
  return judge_at(call, file);
}

}  // namespace spikenm::faults
