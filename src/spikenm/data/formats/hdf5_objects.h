// The structure of an HDF5 file: objects found by their path, each with a list of messages. We do
// not use libhdf5 because it crashes or hangs on about one damaged file in a hundred.
#pragma once

#include "spikenm/core/bytes.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::data {

// One fact about an object: its shape, type, place in the file, …
struct Hdf5Message {
  uint16_t type = 0;
  bool shared = false;  // the body only says where the message is
  Bytes body;
};

// A leaf entry of a version 1 B-tree.
struct Hdf5TreeEntry {
  Bytes key;
  uint64_t child = 0;  // address
};

class Hdf5Objects {
 public:
  // `bytes` must outlive the object. Superblocks 0 to 3, with addresses and lengths of 8 bytes.
  Hdf5Objects(Bytes bytes, std::string_view source);

  // The messages of the object at a path such as "spikes/times"; empty when there is no such
  // object.
  [[nodiscard]] std::optional<std::vector<Hdf5Message>> find(std::string_view path) const;

  // A reader that begins at an address and ends with the file.
  [[nodiscard]] ByteReader at(uint64_t address, std::string_view what) const;

  // The leaves of the B-tree at `root` in order; `type` is 0 for groups and 1 for chunks.
  [[nodiscard]] std::vector<Hdf5TreeEntry> tree(uint64_t root, uint8_t type, size_t key_size) const;

  [[nodiscard]] uint64_t file_size() const { return bytes_.size(); }

 private:
  [[nodiscard]] std::vector<Hdf5Message> messages(uint64_t address) const;
  [[nodiscard]] Bytes continuation(Bytes body, bool is_v2) const;
  [[nodiscard]] std::optional<uint64_t> child(uint64_t group, std::string_view name) const;
  [[nodiscard]] std::optional<uint64_t> find_in_table(Bytes table, std::string_view name) const;

  Bytes bytes_;  // from the base address to the end
  std::string source_;
  uint64_t root_ = 0;  // address of the root group's header
};

}  // namespace spikenm::data
