#include "spikenm/core/run_owner.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/say.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

namespace spikenm {
namespace fs = std::filesystem;
namespace {

using std::chrono::milliseconds;

// find_owner() holds the lock for a moment, and a new owner has the lock a moment before it has
// written its name: take() tries again before it refuses.
constexpr milliseconds kPause{10};
constexpr int kAttempts = 20;
// Without locks: longer than another process needs from reading a record to replacing it.
constexpr milliseconds kSettled{200};

enum class Lock { kOurs, kHeld, kNone };

Descriptor open_record(const fs::path& file, int how) {
  // Opening a pipe would block, and a link may point to any file.
  constexpr int kSafely = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  Descriptor record(
      without_interruption([&] { return ::open(file.c_str(), how | kSafely, 0644); }));
  struct stat status{};
  if (record.get() < 0 || ::fstat(record.get(), &status) != 0) fail_with_errno(file, "open");
  SPIKENM_CHECK(S_ISREG(status.st_mode),
                "{}: found something that is not a file, wanted the record of a run's owner",
                file.string());
  return record;
}

// `how`: LOCK_EX or LOCK_SH. Does not wait.
Lock lock(const Descriptor& record, int how, const fs::path& file) {
  if (without_interruption([&] { return ::flock(record.get(), how | LOCK_NB); }) == 0)
    return Lock::kOurs;
  if (errno == EWOULDBLOCK) return Lock::kHeld;
  if (errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS) return Lock::kNone;
  fail_with_errno(file, "lock");
}

bool is_at(const fs::path& file, dev_t device, ino_t inode) {
  struct stat at_path{};
  return ::lstat(file.c_str(), &at_path) == 0 && at_path.st_dev == device &&
         at_path.st_ino == inode;
}

// False if an owner has removed the file since we opened it. Then a lock on it protects nothing.
bool is_in_place(const Descriptor& record, const fs::path& file) {
  struct stat opened{};
  return ::fstat(record.get(), &opened) == 0 && is_at(file, opened.st_dev, opened.st_ino);
}

std::optional<OwnerRecord> read_record(const Descriptor& record, const fs::path& file) {
  std::array<char, 4096> text{};
  const ssize_t n =
      without_interruption([&] { return ::pread(record.get(), text.data(), text.size(), 0); });
  if (n < 0) fail_with_errno(file, "read");
  return parse_owner({text.data(), static_cast<size_t>(n)}, file.string());
}

// Writes into the file itself, because the lock is on it. Without fsync another host may not see
// the text as long as the file is open.
void sign(const Descriptor& record, const fs::path& file) {
  const std::string text = to_text(owner_of_now());
  if (without_interruption([&] { return ::ftruncate(record.get(), 0); }) != 0)
    fail_with_errno(file, "write");
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = without_interruption([&] {
      return ::pwrite(record.get(), text.data() + done, text.size() - done,
                      static_cast<off_t>(done));
    });
    if (n < 0) fail_with_errno(file, "write");
    done += static_cast<size_t>(n);
  }
  if (without_interruption([&] { return ::fsync(record.get()); }) != 0)
    fail_with_errno(file, "write");
}

[[noreturn]] void refuse_live(const fs::path& folder, const OwnerRecord& owner) {
  fail(
      "{}: is the folder of {}, which still runs; wait for it to end, or name another folder with "
      "--out",
      folder.string(), describe(owner));
}

void check_host(const fs::path& folder, const std::optional<OwnerRecord>& last, bool take_over) {
  if (!last) return;
  SPIKENM_CHECK(is_on_this_host(*last) || take_over,
                "{}: is the folder of {}, which cannot be seen from here; where it no longer runs "
                "say --take-over, else name another folder with --out",
                folder.string(), describe(*last));
}

void say_taken(const fs::path& folder, const std::optional<OwnerRecord>& last) {
  if (last)
    say(fmt::format("note: {}: taken over from {}{}", folder.string(), describe(*last),
                    is_on_this_host(*last) ? ", which is gone" : ""));
}

}  // namespace

RunOwner::RunOwner(fs::path file, Descriptor lock)
    : file_(std::move(file)), lock_(std::move(lock)), pid_(::getpid()) {
  struct stat status{};
  if (::lstat(file_.c_str(), &status) != 0) fail_with_errno(file_, "open");
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

RunOwner::RunOwner(RunOwner&& other) noexcept
    : file_(std::move(other.file_)),
      lock_(std::move(other.lock_)),
      device_(other.device_),
      inode_(other.inode_),
      pid_(std::exchange(other.pid_, 0)) {}

// The file is removed before it is unlocked: a process that locks it afterwards finds that it is no
// longer in its place.
RunOwner::~RunOwner() {
  if (pid_ == ::getpid() && is_at(file_, device_, inode_)) ::unlink(file_.c_str());
}

RunOwner RunOwner::take(const fs::path& folder, const TakeOptions& options) {
  if (!options.kernel_locks) return take_without_locks(folder, options.take_over);
  const fs::path file = folder / kFile;
  for (int attempt = 0;; ++attempt) {
    Descriptor record = open_record(file, O_RDWR | O_CREAT);
    const Lock found = lock(record, LOCK_EX, file);
    if (found == Lock::kNone) return take_without_locks(folder, options.take_over);
    if (found == Lock::kOurs && is_in_place(record, file)) {
      const std::optional<OwnerRecord> last = read_record(record, file);
      check_host(folder, last, options.take_over);
      sign(record, file);
      say_taken(folder, last);
      return {file, std::move(record)};
    }
    if (attempt == kAttempts)
      refuse_live(folder, read_record(record, file).value_or(OwnerRecord{}));
    std::this_thread::sleep_for(kPause);
  }
}

// Without locks an owner counts as alive if a process with its id and start time exists. If several
// processes take a folder at the same time, the last one to write its record wins: each waits and
// then reads the record again. This is weaker than a lock: a process that is delayed for longer
// than the wait, between reading and writing, is not noticed.
RunOwner RunOwner::take_without_locks(const fs::path& folder, bool take_over) {
  const fs::path file = folder / kFile;
  const auto read = [&] { return read_record(open_record(file, O_RDONLY | O_CREAT), file); };
  const std::optional<OwnerRecord> last = read();
  if (last && is_on_this_host(*last) && is_alive(*last)) refuse_live(folder, *last);
  check_host(folder, last, take_over);
  const OwnerRecord mine = owner_of_now();
  write_file_atomically(file, to_text(mine));
  std::this_thread::sleep_for(kSettled);
  const std::optional<OwnerRecord> winner = read();
  if (winner != mine) refuse_live(folder, winner.value_or(OwnerRecord{}));
  say_taken(folder, last);
  return {file, Descriptor(-1)};
}

std::optional<OwnerRecord> find_owner(const fs::path& folder) {
  const fs::path file = folder / RunOwner::kFile;
  try {
    const Descriptor record = open_record(file, O_RDONLY);
    const Lock found = lock(record, LOCK_SH, file);
    if (found == Lock::kHeld && !is_in_place(record, file)) return std::nullopt;  // released
    const std::optional<OwnerRecord> owner = read_record(record, file);
    if (found == Lock::kHeld) return owner.value_or(OwnerRecord{});
    const bool may_live =
        owner && (!is_on_this_host(*owner) || (found == Lock::kNone && is_alive(*owner)));
    return may_live ? owner : std::nullopt;
  } catch (const Error&) {  // there is no record; any other problem is reported by take()
    return std::nullopt;
  }
}

}  // namespace spikenm
