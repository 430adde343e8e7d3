// Makes sure that one process at a time writes into a run folder. The file `.owner` names the
// process. A lock on that file, which the kernel releases when the process dies, shows that it is
// alive.
#pragma once

#include "spikenm/core/descriptor.h"
#include "spikenm/core/owner_record.h"

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string_view>

namespace spikenm {

struct TakeOptions {
  bool take_over = false;    // also from an owner on another host, which may be alive
  bool kernel_locks = true;  // false: behave as on a file system without locks
};

class RunOwner {
 public:
  static constexpr std::string_view kFile = ".owner";

  // Makes this process the owner of an existing folder. If a dead process on this host owned it,
  // prints a note. If the owner is alive, or is on another host and `take_over` is false, throws an
  // Error that names it.
  static RunOwner take(const std::filesystem::path& folder, const TakeOptions& options = {});

  // Removes the record and the lock. In a forked child it does neither.
  ~RunOwner();
  RunOwner(RunOwner&& other) noexcept;
  RunOwner& operator=(RunOwner&&) = delete;

 private:
  RunOwner(std::filesystem::path file, Descriptor lock);
  static RunOwner take_without_locks(const std::filesystem::path& folder, bool take_over);

  std::filesystem::path file_;
  Descriptor lock_;  // -1 on a file system without locks
  dev_t device_ = 0;
  ino_t inode_ = 0;
  pid_t pid_;  // 0: moved from
};

// Returns the owner that take() would refuse to replace without `take_over`: one that is alive or
// on another host. Returns nothing if there is none, or if the record cannot be read.
std::optional<OwnerRecord> find_owner(const std::filesystem::path& folder);

}  // namespace spikenm
