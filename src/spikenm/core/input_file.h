// A file read piece by piece. If another process shortens it while it is open, the next read is an
// Error; with a mapped file, touching a lost page would end the process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace spikenm {

class InputFile {
 public:
  // An Error names the path when it cannot be opened or is not a file.
  explicit InputFile(std::filesystem::path path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] uint64_t size() const { return size_; }  // at the time of opening

  // Fills `out` with the bytes from `offset` on; an Error when the file ends earlier. Safe to call
  // from several threads at once.
  void read(uint64_t offset, std::span<uint8_t> out) const;

 private:
  std::filesystem::path path_;
  uint64_t size_ = 0;
  int file_ = -1;
};

// Refills `out` with the whole file. An interrupt stops the reading of a large file.
void read_bytes(const std::filesystem::path& path, std::vector<uint8_t>& out);

}  // namespace spikenm
