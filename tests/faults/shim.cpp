// A library for LD_PRELOAD. In any program, it makes one call on a file in a given folder go wrong.
// The environment says which call:
//   SPIKENM_FAULT_FOLDER  only calls on this folder and on files below it are counted
//   SPIKENM_FAULT_CALL    open, write, fsync, rename, mkdir, truncate or unlink. Each includes all
//                         variants of the call, and open includes opening for reading.
//   SPIKENM_FAULT_AT      the number of the call, from 1. "3+": the third and all later ones.
//   SPIKENM_FAULT_KIND    ENOSPC, EIO, EACCES, EINTR: the call fails with this error
//                         short: a write writes half of the bytes
//                         full: a write writes half of the bytes, all later ones fail with ENOSPC
//                         kill: SIGKILL instead of the call
//                         term: SIGTERM, then the call
//                         torn: a write writes half of the bytes, then SIGKILL
//   SPIKENM_FAULT_LOG     a file; every counted call adds a line with its name and the path
//   SPIKENM_FAULT_SERVER  two file descriptors: the program starts once and runs many times
//                         (server.cpp)
// Writes from the buffers of stdio (fwrite) are not seen, because they do not call write().
#include "fate.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace {

using spikenm::faults::die, spikenm::faults::Fate, spikenm::faults::fate_of;

template <class Call>
int on_name(const char* call, int folder, const char* name, Call real) {
  return fate_of(call, folder, name) == Fate::kFail ? -1 : static_cast<int>(real());
}

template <class Call>
int on_file(const char* call, int file, Call real) {
  return fate_of(call, file) == Fate::kFail ? -1 : static_cast<int>(real());
}

// real(n) writes at most n bytes.
template <class Call>
long on_write(int file, size_t n, Call real) {
  const Fate fate = fate_of("write", file);
  if (fate == Fate::kFail) return -1;
  const bool whole = fate == Fate::kPass || fate == Fate::kElsewhere;
  if (whole || (fate == Fate::kShort && n < 2)) return real(n);
  const long done = real(n / 2);
  if (fate == Fate::kTorn) die();
  return done;
}

int open_file(int folder, const char* name, int how, mode_t mode) {
  return on_name("open", folder, name,
                 [&] { return syscall(SYS_openat, folder, name, how, mode); });
}

// The mode argument of open(), if there is one.
mode_t mode_of(int how, va_list rest) {
  return (how & O_CREAT) != 0 || (how & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

FILE* open_stream(const char* real, const char* name, const char* how) {
  using Open = FILE* (*)(const char*, const char*);
  if (fate_of("open", AT_FDCWD, name) == Fate::kFail) return nullptr;
  return reinterpret_cast<Open>(dlsym(RTLD_NEXT, real))(name, how);
}

int rename_file(int from, const char* old_name, int to, const char* new_name, unsigned how) {
  return on_name("rename", to, new_name,
                 [&] { return syscall(SYS_renameat2, from, old_name, to, new_name, how); });
}

// Counted files are not really synced. The kernel keeps what a killed process has written, and
// tests with thousands of syncs would wait for the disk.
int sync_file(int file, long real) {
  const Fate fate = fate_of("fsync", file);
  if (fate == Fate::kFail) return -1;
  return fate == Fate::kElsewhere ? static_cast<int>(syscall(real, file)) : 0;
}

int unlink_file(int folder, const char* name, int how) {
  return on_name("unlink", folder, name, [&] { return syscall(SYS_unlinkat, folder, name, how); });
}

int make_folder(int folder, const char* name, mode_t mode) {
  return on_name("mkdir", folder, name, [&] { return syscall(SYS_mkdirat, folder, name, mode); });
}

}  // namespace

#define OPEN(function)                                                   \
  int function(const char* name, int how, ...) {                         \
    va_list rest;                                                        \
    va_start(rest, how);                                                 \
    const int file = open_file(AT_FDCWD, name, how, mode_of(how, rest)); \
    va_end(rest);                                                        \
    return file;                                                         \
  }
#define OPENAT(function)                                               \
  int function(int folder, const char* name, int how, ...) {           \
    va_list rest;                                                      \
    va_start(rest, how);                                               \
    const int file = open_file(folder, name, how, mode_of(how, rest)); \
    va_end(rest);                                                      \
    return file;                                                       \
  }

extern "C" {

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
// open() as _FORTIFY_SOURCE calls it when there is no mode.
int __open_2(const char* name, int how) {
  return open_file(AT_FDCWD, name, how, 0);
}
int __open64_2(const char* name, int how) {
  return open_file(AT_FDCWD, name, how, 0);
}
int __openat_2(int folder, const char* name, int how) {
  return open_file(folder, name, how, 0);
}
int __openat64_2(int folder, const char* name, int how) {
  return open_file(folder, name, how, 0);
}
int creat(const char* name, mode_t mode) {
  return open_file(AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, mode);
}
int creat64(const char* name, mode_t mode) {
  return creat(name, mode);
}
FILE* fopen(const char* name, const char* how) {
  return open_stream("fopen", name, how);
}
FILE* fopen64(const char* name, const char* how) {
  return open_stream("fopen64", name, how);
}

ssize_t write(int file, const void* bytes, size_t n) {
  return on_write(file, n, [&](size_t most) { return syscall(SYS_write, file, bytes, most); });
}
ssize_t pwrite(int file, const void* bytes, size_t n, off_t at) {
  return on_write(file, n,
                  [&](size_t most) { return syscall(SYS_pwrite64, file, bytes, most, at); });
}
ssize_t pwrite64(int file, const void* bytes, size_t n, off64_t at) {
  return pwrite(file, bytes, n, at);
}
ssize_t writev(int file, const iovec* pieces, int n_pieces) {
  size_t n = 0;
  for (int i = 0; i < n_pieces; ++i) n += pieces[i].iov_len;
  return on_write(file, n, [&](size_t most) -> long {
    if (most == n) return syscall(SYS_writev, file, pieces, n_pieces);
    int first = 0;
    while (pieces[first].iov_len == 0) ++first;
    const size_t size = pieces[first].iov_len < most ? pieces[first].iov_len : most;
    return syscall(SYS_write, file, pieces[first].iov_base, size);
  });
}
ssize_t sendfile(int to, int from, off_t* at, size_t n) noexcept {
  return on_write(to, n, [&](size_t most) { return syscall(SYS_sendfile, to, from, at, most); });
}
ssize_t sendfile64(int to, int from, off64_t* at, size_t n) noexcept {
  return sendfile(to, from, at, n);
}
ssize_t copy_file_range(int from, off64_t* begin, int to, off64_t* at, size_t n, unsigned how) {
  return on_write(to, n, [&](size_t most) {
    return syscall(SYS_copy_file_range, from, begin, to, at, most, how);
  });
}

int fsync(int file) {
  return sync_file(file, SYS_fsync);
}
int fdatasync(int file) {
  return sync_file(file, SYS_fdatasync);
}

int rename(const char* from, const char* to) noexcept {
  return rename_file(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int from, const char* old_name, int to, const char* new_name) noexcept {
  return rename_file(from, old_name, to, new_name, 0);
}
int renameat2(int from, const char* old_name, int to, const char* new_name, unsigned how) noexcept {
  return rename_file(from, old_name, to, new_name, how);
}

int mkdir(const char* name, mode_t mode) noexcept {
  return make_folder(AT_FDCWD, name, mode);
}
int mkdirat(int folder, const char* name, mode_t mode) noexcept {
  return make_folder(folder, name, mode);
}

int truncate(const char* name, off_t size) noexcept {
  return on_name("truncate", AT_FDCWD, name, [&] { return syscall(SYS_truncate, name, size); });
}
int truncate64(const char* name, off64_t size) noexcept {
  return truncate(name, size);
}
int ftruncate(int file, off_t size) noexcept {
  return on_file("truncate", file, [&] { return syscall(SYS_ftruncate, file, size); });
}
int ftruncate64(int file, off64_t size) noexcept {
  return ftruncate(file, size);
}

int unlink(const char* name) noexcept {
  return unlink_file(AT_FDCWD, name, 0);
}
int unlinkat(int folder, const char* name, int how) noexcept {
  return unlink_file(folder, name, how);
}
int rmdir(const char* name) noexcept {
  return unlink_file(AT_FDCWD, name, AT_REMOVEDIR);
}
int remove(const char* name) noexcept {
  const int before = errno;
  if (unlink(name) == 0) return 0;
  if (errno != EISDIR && errno != EPERM) return -1;
  errno = before;
  return rmdir(name);
}

}  // extern "C"
