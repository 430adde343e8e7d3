#include "spikenm/data/formats/hdf5_objects.h"

#include <algorithm>

namespace spikenm::data {
namespace {

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
constexpr uint64_t kUndefined = UINT64_MAX;  // the address of something that does not exist

enum MessageType : uint16_t {
  kLinkInfo = 0x02,
  kLink = 0x06,
  kContinuation = 0x10,
  kSymbolTable = 0x11,
};

// The superblock starts the file, or follows a user block of 512, 1024, 2048, … bytes.
uint64_t find_superblock(Bytes bytes, std::string_view source) {
  for (uint64_t offset = 0; offset + kSignature.size() <= bytes.size();
       offset = std::max<uint64_t>(512, 2 * offset)) {
    if (as_text(bytes.subspan(offset, kSignature.size())) == kSignature) return offset;
  }
  fail("{}: found no HDF5 signature, wanted an HDF5 file", source);
}

// Numbers whose width the file chooses: 1, 2, 4 or 8 bytes, as 0 to 3.
uint64_t read_sized(ByteReader& reader, int log2_size, std::string_view what) {
  switch (log2_size) {
    case 0:
      return reader.le<uint8_t>(what);
    case 1:
      return reader.le<uint16_t>(what);
    case 2:
      return reader.le<uint32_t>(what);
    default:
      return reader.le<uint64_t>(what);
  }
}

struct HeaderForm {
  bool is_v2 = false, is_ordered = false;
  uint64_t size = 0;  // bytes of messages that follow

  [[nodiscard]] size_t message_head() const { return is_v2 ? (is_ordered ? 6 : 4) : 8; }
};

HeaderForm read_header_form(ByteReader& reader) {
  HeaderForm form;
  form.is_v2 = as_text(reader.take(4, "object header")) == "OHDR";
  if (form.is_v2) {
    reader.take(1, "header version");
    const auto flags = reader.le<uint8_t>("header flags");
    form.is_ordered = (flags & 0x04) != 0;
    reader.take(((flags & 0x20) != 0 ? 16 : 0) + ((flags & 0x10) != 0 ? 4 : 0), "header times");
    form.size = read_sized(reader, flags & 3, "header size");
  } else {
    reader.take(4, "reference count");
    form.size = reader.le<uint32_t>("header size");
    reader.take(4, "header padding");
  }
  return form;
}

Hdf5Message read_message(ByteReader& reader, const HeaderForm& form) {
  Hdf5Message message;
  message.type = form.is_v2 ? reader.le<uint8_t>("type") : reader.le<uint16_t>("type");
  const auto size = reader.le<uint16_t>("message size");
  message.shared = (reader.le<uint8_t>("message flags") & 2) != 0;
  reader.take(form.is_v2 ? (form.is_ordered ? 2 : 0) : 3, "message head");
  message.body = reader.take(size, "header message");
  return message;
}

struct Link {
  std::string_view name;
  std::optional<uint64_t> target;  // empty for a soft or an external link
};

Link read_link(Bytes body, const std::string& source) {
  ByteReader reader(body, source);
  reader.take(1, "link version");
  const auto flags = reader.le<uint8_t>("link flags");
  const uint8_t type = (flags & 0x08) != 0 ? reader.le<uint8_t>("link type") : 0;
  if ((flags & 0x04) != 0) reader.take(8, "link creation order");
  if ((flags & 0x10) != 0) reader.take(1, "link character set");

  const uint64_t length = read_sized(reader, flags & 3, "link name length");
  Link link{.name = as_text(reader.take(length, "link name"))};
  if (type == 0) link.target = reader.le<uint64_t>("link address");
  return link;
}

}  // namespace

Hdf5Objects::Hdf5Objects(Bytes bytes, std::string_view source) : bytes_(bytes), source_(source) {
  ByteReader reader(bytes, source);
  reader.take(find_superblock(bytes, source) + kSignature.size(), "signature");
  const auto version = reader.le<uint8_t>("superblock version");
  SPIKENM_CHECK(version <= 3, "{}: found HDF5 superblock version {}, wanted 0 to 3", source,
                version);
  if (version < 2) reader.take(4, "superblock versions");

  const auto offset_size = reader.le<uint8_t>("size of offsets");
  const auto length_size = reader.le<uint8_t>("size of lengths");
  SPIKENM_CHECK(offset_size == 8 && length_size == 8,
                "{}: found HDF5 addresses of {} and lengths of {} bytes, wanted 8", source,
                offset_size, length_size);

  constexpr size_t kRest[] = {9, 13, 1, 1};  // bytes before the base address, by version
  reader.take(kRest[version], "superblock");
  const auto base = reader.le<uint64_t>("base address");
  reader.take(8, "superblock");
  const auto end = reader.le<uint64_t>("end of file address");
  SPIKENM_CHECK(end <= bytes.size(), "{}: cut short: found {} bytes, wanted the {} of its header",
                source, bytes.size(), end);

  if (version < 2) reader.take(16, "root group entry");
  root_ = reader.le<uint64_t>("root group address");
  SPIKENM_CHECK(base <= bytes.size(), "{}: damaged: its base address is {}, beyond its {} bytes",
                source, base, bytes.size());
  bytes_ = bytes.subspan(base);
}

ByteReader Hdf5Objects::at(uint64_t address, std::string_view what) const {
  SPIKENM_CHECK(address <= bytes_.size(), "{}: damaged: its {} lies at byte {}, beyond its {}",
                source_, what, address, bytes_.size());
  ByteReader reader(bytes_, source_);
  reader.take(address, what);
  return reader;
}

// Headers of version 1 start with a count of bytes and those of version 2 with "OHDR"; both may
// continue elsewhere in the file.
std::vector<Hdf5Message> Hdf5Objects::messages(uint64_t address) const {
  ByteReader head = at(address, "object header");
  const HeaderForm form = read_header_form(head);

  std::vector<Hdf5Message> result;
  std::vector<Bytes> blocks{head.take(form.size, "object header")};
  uint64_t seen = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    ByteReader reader(blocks[i], source_);
    seen += blocks[i].size();
    SPIKENM_CHECK(seen <= bytes_.size(), "{}: damaged: an object header runs in a circle", source_);
    while (reader.left() >= form.message_head()) {
      const Hdf5Message message = read_message(reader, form);
      if (message.type == kContinuation)
        blocks.push_back(continuation(message.body, form.is_v2));
      else
        result.push_back(message);
    }
  }
  return result;
}

Bytes Hdf5Objects::continuation(Bytes body, bool is_v2) const {
  ByteReader reader(body, source_);
  ByteReader there = at(reader.le<uint64_t>("continuation address"), "header continuation");
  const auto length = reader.le<uint64_t>("continuation length");
  const Bytes block = there.take(length, "header continuation");
  if (!is_v2) return block;
  // The messages are between the signature "OCHK" and a checksum.
  return block.size() < 8 ? Bytes{} : block.subspan(4, block.size() - 8);
}

std::vector<Hdf5TreeEntry> Hdf5Objects::tree(uint64_t root, uint8_t type, size_t key_size) const {
  std::vector<Hdf5TreeEntry> leaves;
  std::vector<uint64_t> nodes{root};

  uint64_t seen = 0;
  while (!nodes.empty()) {
    ByteReader reader = at(nodes.back(), "B-tree");
    nodes.pop_back();
    SPIKENM_CHECK(as_text(reader.take(4, "B-tree")) == "TREE",
                  "{}: damaged: found no B-tree node at byte {}", source_, reader.offset() - 4);
    SPIKENM_CHECK(reader.le<uint8_t>("B-tree type") == type,
                  "{}: damaged: a B-tree node is of the wrong kind", source_);
    const auto level = reader.le<uint8_t>("B-tree level");
    const auto n_entries = reader.le<uint16_t>("B-tree entries");
    reader.take(16, "B-tree siblings");
    // In a valid tree, no byte is visited twice; a damaged tree must not cause an endless loop.
    seen += 24 + n_entries * (key_size + 8);
    SPIKENM_CHECK(seen <= bytes_.size(), "{}: damaged: a B-tree runs in a circle", source_);

    const size_t first = nodes.size();
    for (int i = 0; i < n_entries; ++i) {
      const Bytes key = reader.take(key_size, "B-tree key");
      const auto child = reader.le<uint64_t>("B-tree child");
      if (level == 0)
        leaves.push_back({key, child});
      else
        nodes.push_back(child);
    }
    std::reverse(nodes.begin() + static_cast<std::ptrdiff_t>(first), nodes.end());
  }
  return leaves;
}

// `table` names a B-tree of symbol nodes, and the heap that holds their names.
std::optional<uint64_t> Hdf5Objects::find_in_table(Bytes table, std::string_view name) const {
  ByteReader addresses(table, source_);
  const auto root = addresses.le<uint64_t>("group B-tree address");
  ByteReader heap = at(addresses.le<uint64_t>("group heap address"), "group heap");
  heap.take(8, "group heap");
  const auto names_size = heap.le<uint64_t>("group heap size");
  heap.take(8, "group heap");
  const auto names_address = heap.le<uint64_t>("group names address");
  const std::string_view names =
      as_text(at(names_address, "group names").take(names_size, "group names"));

  uint64_t seen = 0;
  for (const Hdf5TreeEntry& leaf : tree(root, 0, 8)) {
    ByteReader node = at(leaf.child, "group node");
    SPIKENM_CHECK(as_text(node.take(4, "group node")) == "SNOD",
                  "{}: damaged: found no group node at byte {}", source_, leaf.child);
    node.take(2, "group node");
    const auto n_symbols = node.le<uint16_t>("group node size");
    seen += 8 + n_symbols * uint64_t{40};
    SPIKENM_CHECK(seen <= bytes_.size(), "{}: damaged: a group runs in a circle", source_);

    for (int i = 0; i < n_symbols; ++i) {
      const auto at_name = node.le<uint64_t>("link name");
      const auto address = node.le<uint64_t>("link address");
      const bool is_soft = node.le<uint32_t>("link kind") == 2;
      node.take(20, "group entry");
      if (at_name > names.size() || is_soft) continue;
      const std::string_view rest = names.substr(at_name);
      if (rest.substr(0, rest.find('\0')) == name) return address;
    }
  }
  return {};
}

std::optional<uint64_t> Hdf5Objects::child(uint64_t group, std::string_view name) const {
  for (const Hdf5Message& message : messages(group)) {
    if (message.type == kSymbolTable) return find_in_table(message.body, name);
    if (message.type == kLink) {
      const Link link = read_link(message.body, source_);
      if (link.name == name) return link.target;
    }
    if (message.type == kLinkInfo) {
      ByteReader reader(message.body, source_);
      reader.take(1, "link info version");
      const bool has_order = (reader.le<uint8_t>("link info flags") & 1) != 0;
      reader.take(has_order ? 8 : 0, "link info");
      SPIKENM_CHECK(reader.le<uint64_t>("link heap address") == kUndefined,
                    "{}: found a group of many links in HDF5's newest form, wanted the form that "
                    "h5py and PyTables write unless asked for libver='latest'",
                    source_);
    }
  }
  return {};
}

std::optional<std::vector<Hdf5Message>> Hdf5Objects::find(std::string_view path) const {
  uint64_t address = root_;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::optional<uint64_t> next = child(address, path.substr(begin, end - begin));
    if (!next) return {};
    address = *next;
    begin = end + 1;
  }
  return messages(address);
}

}  // namespace spikenm::data
