// A file seen as memory: pages are read when touched, and never copied.
#pragma once

#include "spikenm/core/bytes.h"

#include <filesystem>

namespace spikenm {

class MappedFile {
 public:
  // An Error names the path when it cannot be opened or is not a file.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

}  // namespace spikenm
