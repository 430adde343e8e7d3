// One-dimensional datasets of an HDF5 file: numbers, or rows of numbers of any length. They are
// read in place, so that a file of any size needs no further memory and threads need no lock.
#pragma once

#include "spikenm/data/formats/hdf5_objects.h"
#include "spikenm/data/formats/npy.h"

namespace spikenm::data {

class Hdf5Dataset {
 public:
  // The dataset at `path`, such as "spikes/times". `objects` and its bytes must outlive it. An
  // Error names the dataset when it is missing or not supported. Supported are integers, IEEE
  // floats and variable-length rows of them, stored in one piece or in chunks under a version 1
  // B-tree, plain or deflated and shuffled; at most 2^22 elements, and at most 2^22 numbers in a
  // row.
  Hdf5Dataset(const Hdf5Objects& objects, std::string_view path, std::string_view source);

  [[nodiscard]] int64_t size() const { return size_; }
  [[nodiscard]] bool has_rows() const { return has_rows_; }
  [[nodiscard]] const NpyType& type() const { return type_; }  // of a number

  // All numbers, or those of one row; npy_values() converts them.
  [[nodiscard]] NpyArray values() const;
  [[nodiscard]] NpyArray row(int64_t index) const;

 private:
  void read_elements(const std::vector<Hdf5Message>& messages, uint64_t n);
  [[nodiscard]] Bytes elements() const { return chunks_.empty() ? in_place_ : Bytes(chunks_); }

  const Hdf5Objects* objects_;
  std::string name_;  // for messages: the file and the path in it
  int64_t size_ = 0;
  bool has_rows_ = false;
  NpyType type_;                 // of a number
  Bytes in_place_;               // elements in the file, or
  std::vector<uint8_t> chunks_;  // gathered from its chunks
};

}  // namespace spikenm::data
