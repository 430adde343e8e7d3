// Whole files, read and written so that nothing is ever half there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace spikenm {

constexpr uint64_t kMostText = 16 << 20;  // bytes: far beyond any config, result or list

// The whole file. An Error names the path when it cannot be read, is no regular file (a device or a
// pipe may never end) or has more than `most` bytes. An interrupt ends the reading.
std::string read_file(const std::filesystem::path& path, uint64_t most = kMostText);

// A file that appears whole or not at all: written beside its place, synced, then renamed by
// commit(). Without commit() nothing remains. Each writes under a new name that nobody can foresee,
// so two writers of one file do not mix, and nothing that lies there already is written to.
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

// An AtomicFile of one piece: readers see the old content or the new one.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// True for what an AtomicFile of that name leaves behind when the process is killed.
bool is_part_of(std::string_view candidate, std::string_view name);

}  // namespace spikenm
