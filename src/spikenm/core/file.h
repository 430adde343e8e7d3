// Whole files, read and written so that nothing is ever half there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace spikenm {

// The whole file. An Error names the path when it cannot be read.
std::string read_file(const std::filesystem::path& path);

// A file that appears whole or not at all: written beside its place, synced, then renamed by
// commit(). Without commit() nothing remains. Each process has a name of its own to write under, so
// two writers of one file do not mix.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view content);
  void commit();

 private:
  [[noreturn]] void give_up();
  std::filesystem::path path_, part_;
  int file_ = -1;
};

// An AtomicFile of one piece: readers see the old content or the new one.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace spikenm
