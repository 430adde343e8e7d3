// Reads and writes whole files. A reader never sees a file that is half written.
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

// A file that appears whole or not at all: it is written under a temporary name in the same folder,
// synced, then renamed by commit(). Without commit() nothing remains. The temporary name is random
// and new, so two writers of one file do not mix, and no existing file is written to.
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

// Whether `candidate` is a temporary name of an AtomicFile called `name`. Such a file remains when
// the process is killed.
bool is_part_of(std::string_view candidate, std::string_view name);

}  // namespace spikenm
