// Numpy's .npz files: a zip archive with one "<key>.npy" per array.
#pragma once

#include "spikenm/data/formats/npy.h"
#include "spikenm/data/formats/zip.h"

#include <memory>

namespace spikenm::data {

// An array and the bytes that hold its data; the bytes keep their address when the entry is moved.
struct NpzEntry {
  std::shared_ptr<const std::string> bytes;
  NpyArray array;
};

class NpzReader {
 public:
  // `bytes` must outlive the reader. `limit` applies to each array.
  NpzReader(Bytes bytes, std::string_view source, UnpackLimit limit = {});

  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> keys() const;
  // A missing key is an Error that lists the existing ones.
  [[nodiscard]] NpzEntry read(std::string_view key) const;

 private:
  std::string source_;
  ZipReader zip_;
};

}  // namespace spikenm::data
