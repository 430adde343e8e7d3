// Reads and writes files. A reader never sees a file that is half written. Everything that a run
// writes goes through these functions (tools/lint/check_writes.py checks that). A system call that
// a signal interrupted is repeated, a short write is continued, and any other failure is an Error
// that names the file and the system's reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace spikenm {

constexpr uint64_t kMostText = 16 << 20;  // bytes: far beyond any config, result or list

// The whole file. An Error names the path when it cannot be read, is not a regular file (a device
// or a pipe may never end) or has more than `most` bytes. An interrupt stops the reading.
std::string read_file(const std::filesystem::path& path, uint64_t most = kMostText);

// A file that appears whole or not at all: it is written under a temporary name in the same folder.
// commit() syncs it, renames it and syncs the folder. Without commit() nothing remains. The
// temporary name is random and new, so two writers of one file do not mix, and no existing file is
// written to.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view content);
  void commit();

 private:
  void open_part();
  [[noreturn]] void give_up();
  std::filesystem::path path_, part_;
  int file_ = -1;
};

// Writes the whole content as an AtomicFile: readers see the old content or the new one.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Adds the text to the end of a file. The file is created if it is missing. A link is refused. When
// the text cannot be written whole, the file gets its old length back. After a power cut the text
// is sure to be there only if sync_file() was called.
void append_to_file(const std::filesystem::path& path, std::string_view text);

// Cuts a file to its first `length` bytes and syncs it. A shorter file is an Error.
void truncate_file(const std::filesystem::path& path, uint64_t length);

// Syncs the file and its folder, so that all that was appended survives a power cut.
void sync_file(const std::filesystem::path& path);

// Renames a file, replaces what was called `to`, and syncs both folders.
void move_file(const std::filesystem::path& from, const std::filesystem::path& to);

// Creates the folder and its missing parents, and syncs the folder around each new one.
void make_folders(const std::filesystem::path& path);

// Whether `candidate` is a temporary name of an AtomicFile called `name`. Such a file remains when
// the process is killed.
bool is_part_of(std::string_view candidate, std::string_view name);

}  // namespace spikenm
