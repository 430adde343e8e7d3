// Numpy's .npz files: a zip archive with a "<key>.npy" for each array.
#pragma once

#include "spikenm/data/formats/npy.h"
#include "spikenm/data/formats/zip.h"

#include <memory>

namespace spikenm::data {

// An array and the bytes it lies in, which stay where they are when the entry moves.
struct NpzEntry {
  std::shared_ptr<const std::string> bytes;
  NpyArray array;
};

class NpzReader {
 public:
  // `bytes` must outlive the reader. `limit` is that of a single array.
  NpzReader(Bytes bytes, std::string_view source, UnpackLimit limit = {});

  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> keys() const;
  // An absent key is an Error that lists those there are.
  [[nodiscard]] NpzEntry read(std::string_view key) const;

 private:
  std::string source_;
  ZipReader zip_;
};

}  // namespace spikenm::data
