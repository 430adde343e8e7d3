#include "spikenm/data/formats/hdf5.h"

#include <zlib.h>

#include <algorithm>

namespace spikenm::data {
namespace {

constexpr uint64_t kLargest = uint64_t{1} << 26;  // bytes of one dataset's gathered chunks
// Elements of a dataset, or numbers of a row: SHD has 8156 rows of up to ten thousand numbers.
constexpr uint64_t kMostElements = uint64_t{1} << 22;
constexpr uint64_t kDeflateRatio = 1032;  // bytes that one deflated byte can unpack to
constexpr size_t kRowRecord = 16;         // u32 length, u64 heap address, u32 heap index

enum MessageType : uint16_t {
  kDataspace = 0x01,
  kDatatype = 0x03,
  kLayout = 0x08,
  kFilters = 0x0b,
};

const Hdf5Message* find_message(const std::vector<Hdf5Message>& messages, uint16_t type) {
  const auto it = std::find_if(messages.begin(), messages.end(),
                               [&](const Hdf5Message& m) { return m.type == type; });
  return it == messages.end() ? nullptr : &*it;
}

ByteReader require_message(const std::vector<Hdf5Message>& messages, uint16_t type,
                           std::string_view what, const std::string& name) {
  const Hdf5Message* message = find_message(messages, type);
  SPIKENM_CHECK(message != nullptr, "{}: has no {}, wanted a dataset", name, what);
  SPIKENM_CHECK(!message->shared, "{}: its {} is kept elsewhere in the file, which is not read",
                name, what);
  return {message->body, name};
}

uint64_t read_size(ByteReader reader, const std::string& name) {
  const auto version = reader.le<uint8_t>("dataspace version");
  const auto n_dims = reader.le<uint8_t>("number of dimensions");
  SPIKENM_CHECK(n_dims == 1, "{}: found {} dimensions, wanted 1", name, n_dims);
  reader.take(version == 1 ? 6 : 2, "dataspace");
  return reader.le<uint64_t>("size");
}

// Whether the exponent, the mantissa and the bias are those of an IEEE float of this size in bytes.
bool is_ieee(ByteReader& reader, uint32_t size) {
  const int mantissa = size == 2 ? 10 : size == 4 ? 23 : 52;
  const int exponent = static_cast<int>(size) * 8 - 1 - mantissa;
  const Bytes form = reader.take(4, "float layout");
  const auto bias = reader.le<uint32_t>("exponent bias");
  return form[0] == mantissa && form[1] == exponent && form[2] == 0 && form[3] == mantissa &&
         bias == (1U << (exponent - 1)) - 1;
}

NpyType read_number_type(ByteReader& reader, const std::string& name) {
  constexpr int kInteger = 0, kFloat = 1;
  const int kind = reader.le<uint8_t>("type class") & 15;
  const auto bits = reader.le<uint8_t>("type bits");  // 0: big-endian, 3: signed, 6: VAX order
  reader.take(2, "type bits");
  const auto size = reader.le<uint32_t>("type size");
  const bool is_power = size == 1 || size == 2 || size == 4 || size == 8;

  if (kind <= kFloat && is_power) {
    const auto bit_offset = reader.le<uint16_t>("bit offset");
    const auto precision = reader.le<uint16_t>("bit precision");
    const bool big_endian = (bits & 1) != 0;
    const bool is_whole = bit_offset == 0 && precision == 8 * size;
    if (kind == kInteger && is_whole) return {(bits & 8) != 0 ? 'i' : 'u', size, big_endian};
    if (kind == kFloat && is_whole && size > 1 && (bits & 0x40) == 0 && is_ieee(reader, size))
      return {'f', size, big_endian};
  }
  fail("{}: found numbers of HDF5 class {} and {} bytes, wanted integers or IEEE floats", name,
       kind, size);
}

struct Filter {
  uint16_t id = 0;
  uint32_t first_value = 0;  // the shuffle filter's element size
};

std::vector<Filter> read_filters(const std::vector<Hdf5Message>& messages,
                                 const std::string& name) {
  if (find_message(messages, kFilters) == nullptr) return {};
  ByteReader reader = require_message(messages, kFilters, "filter list", name);
  const auto version = reader.le<uint8_t>("filter version");
  const auto n_filters = reader.le<uint8_t>("number of filters");
  SPIKENM_CHECK(n_filters <= 4, "{}: damaged: it names {} filters, wanted at most 4", name,
                n_filters);
  if (version == 1) reader.take(6, "filters");

  std::vector<Filter> filters;
  for (int i = 0; i < n_filters; ++i) {
    Filter filter{.id = reader.le<uint16_t>("filter")};
    SPIKENM_CHECK(filter.id == 1 || filter.id == 2,
                  "{}: packed by HDF5 filter {}, wanted 1 (deflate) or 2 (shuffle)", name,
                  filter.id);

    const bool has_name = version == 1 || filter.id >= 256;
    const size_t name_size = has_name ? reader.le<uint16_t>("filter name size") : 0;
    reader.take(2, "filter flags");
    const auto n_values = reader.le<uint16_t>("filter values");
    reader.take(version == 1 ? (name_size + 7) / 8 * 8 : name_size, "filter name");
    for (int v = 0; v < n_values; ++v) {
      const auto value = reader.le<uint32_t>("filter value");
      if (v == 0) filter.first_value = value;
    }
    if (version == 1 && n_values % 2 == 1) reader.take(4, "filter padding");
    filters.push_back(filter);
  }
  return filters;
}

std::vector<uint8_t> unshuffle(const std::vector<uint8_t>& in, size_t element) {
  const size_t n = in.size() / element;
  if (n == 0) return in;
  std::vector<uint8_t> out = in;  // bytes after the last whole element are not moved
  for (size_t b = 0; b < element; ++b)
    for (size_t e = 0; e < n; ++e) out[e * element + b] = in[b * n + e];
  return out;
}

// A chunk was packed by the filters in order, except those whose bit is set in `skipped`.
std::vector<uint8_t> unpack(Bytes packed, const std::vector<Filter>& filters, uint32_t skipped,
                            size_t chunk_size, const std::string& name) {
  std::vector<uint8_t> data(packed.begin(), packed.end());
  for (size_t i = filters.size(); i-- > 0;) {
    if ((skipped >> i & 1) != 0) continue;
    if (filters[i].id == 2) {
      if (filters[i].first_value > 1) data = unshuffle(data, filters[i].first_value);
      continue;
    }
    std::vector<uint8_t> out(chunk_size);
    uLongf size = out.size();
    const int status = uncompress(out.data(), &size, data.data(), data.size());
    SPIKENM_CHECK(status == Z_OK && size == chunk_size,
                  "{}: damaged: a chunk does not unpack to its {} bytes", name, chunk_size);
    data = std::move(out);
  }
  SPIKENM_CHECK(data.size() == chunk_size, "{}: damaged: found a chunk of {} bytes, wanted {}",
                name, data.size(), chunk_size);
  return data;
}

// The layout message of a chunked dataset, from its B-tree address onwards.
struct ChunkPlan {
  uint64_t root = 0;
  uint64_t chunk = 0;  // elements in a chunk
};

ChunkPlan read_chunk_plan(ByteReader& reader, size_t element_size, const std::string& name) {
  const auto n_dims = reader.le<uint8_t>("chunk dimensions");
  ChunkPlan plan{.root = reader.le<uint64_t>("chunk tree address"),
                 .chunk = reader.le<uint32_t>("chunk size")};
  const auto last = reader.le<uint32_t>("chunk element size");
  SPIKENM_CHECK(n_dims == 2 && plan.chunk > 0 && last == element_size,
                "{}: damaged: its chunks do not fit its elements", name);
  return plan;
}

std::vector<uint8_t> gather_chunks(const Hdf5Objects& objects, const ChunkPlan& plan,
                                   const std::vector<Filter>& filters, uint64_t n,
                                   size_t element_size, const std::string& name) {
  const uint64_t chunk_size = plan.chunk * element_size;
  const uint64_t largest = std::min(kLargest, objects.file_size() * kDeflateRatio);
  SPIKENM_CHECK(chunk_size <= largest && n <= largest / element_size,
                "{}: damaged: it claims {} elements in chunks of {}, more than the file can hold",
                name, n, plan.chunk);
  std::vector<uint8_t> out(n * element_size);
  const uint64_t n_chunks = (n + plan.chunk - 1) / plan.chunk;
  std::vector<bool> found(n_chunks);
  // A key: u32 packed size, u32 skipped filters, u64 first element, u64 0.
  for (const Hdf5TreeEntry& entry : objects.tree(plan.root, 1, 24)) {
    const auto packed_size = load_le<uint32_t>(entry.key.data());
    const auto skipped = load_le<uint32_t>(entry.key.data() + 4);
    const auto first = load_le<uint64_t>(entry.key.data() + 8);
    if (first >= n) continue;  // remains from a time when the dataset was longer
    SPIKENM_CHECK(first % plan.chunk == 0 && !found[first / plan.chunk],
                  "{}: damaged: a chunk starts at element {}", name, first);
    found[first / plan.chunk] = true;
    const Bytes packed = objects.at(entry.child, "chunk").take(packed_size, "chunk");
    const std::vector<uint8_t> data = unpack(packed, filters, skipped, chunk_size, name);
    const size_t begin = first * element_size;
    std::copy_n(data.begin(), std::min(data.size(), out.size() - begin),
                out.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  const auto missing = std::find(found.begin(), found.end(), false);
  SPIKENM_CHECK(missing == found.end(), "{}: elements from {} on were never written", name,
                static_cast<uint64_t>(missing - found.begin()) * plan.chunk);
  return out;
}

}  // namespace

Hdf5Dataset::Hdf5Dataset(const Hdf5Objects& objects, std::string_view path, std::string_view source)
    : objects_(&objects), name_(fmt::format("{}: '{}'", source, path)) {
  const auto messages = objects.find(path);
  SPIKENM_CHECK(messages.has_value(), "{}: found no dataset '{}'", source, path);
  const uint64_t n = read_size(require_message(*messages, kDataspace, "dataspace", name_), name_);
  SPIKENM_CHECK(n <= kMostElements, "{}: claims {} elements, wanted at most {} (a fixed limit)",
                name_, n, kMostElements);

  ByteReader type = require_message(*messages, kDatatype, "datatype", name_);
  constexpr int kVariableLength = 9;
  has_rows_ =
      !type.at_end() && (ByteReader(type).le<uint8_t>("type class") & 15) == kVariableLength;
  if (has_rows_) {
    const Bytes head = type.take(8, "row type");
    SPIKENM_CHECK((head[1] & 15) == 0, "{}: found rows of text, wanted rows of numbers", name_);
    SPIKENM_CHECK(load_le<uint32_t>(head.data() + 4) == kRowRecord,
                  "{}: damaged: its rows have records of a wrong size", name_);
  }
  type_ = read_number_type(type, name_);
  read_elements(*messages, n);
  size_ = static_cast<int64_t>(n);
}

void Hdf5Dataset::read_elements(const std::vector<Hdf5Message>& messages, uint64_t n) {
  const size_t element_size = has_rows_ ? kRowRecord : static_cast<size_t>(type_.item_size);
  ByteReader layout = require_message(messages, kLayout, "layout", name_);
  const auto version = layout.le<uint8_t>("layout version");
  const auto kind = layout.le<uint8_t>("layout kind");
  constexpr int kCompact = 0, kContiguous = 1, kChunked = 2;
  SPIKENM_CHECK((version == 3 || (version == 4 && kind <= kContiguous)) && kind <= kChunked,
                "{}: stored by HDF5 layout {} of version {}, wanted version 3, which h5py and "
                "PyTables write unless asked for libver='latest'",
                name_, kind, version);

  if (kind == kChunked) {
    const ChunkPlan plan = read_chunk_plan(layout, element_size, name_);
    if (n > 0)
      chunks_ =
          gather_chunks(*objects_, plan, read_filters(messages, name_), n, element_size, name_);
  } else {
    SPIKENM_CHECK(n <= objects_->file_size() / element_size,
                  "{}: damaged: it claims {} elements, more than the file can hold", name_, n);
    const size_t wanted = n * element_size;
    if (kind == kCompact) {
      layout.take(2, "compact size");
      in_place_ = layout.take(wanted, "compact elements");
    } else if (n > 0) {
      const auto address = layout.le<uint64_t>("elements address");
      SPIKENM_CHECK(address != UINT64_MAX, "{}: was never written", name_);
      in_place_ = objects_->at(address, "elements").take(wanted, "elements");
    }
  }
}

NpyArray Hdf5Dataset::values() const {
  SPIKENM_CHECK(!has_rows_, "{}: found rows of numbers, wanted one number an element", name_);
  NpyArray array{type_};
  array.shape = {size_};
  array.data = elements();
  return array;
}

// A row is stored in a global heap: "GCOL", a version, a size, then objects of u16 index, u16
// reference count, u32 unused, u64 size and their bytes, each padded to a multiple of 8 bytes.
NpyArray Hdf5Dataset::row(int64_t index) const {
  SPIKENM_CHECK(has_rows_, "{}: found one number an element, wanted rows of numbers", name_);
  SPIKENM_ASSERT(index >= 0 && index < size_);
  const uint8_t* record = elements().data() + static_cast<size_t>(index) * kRowRecord;
  const auto length = load_le<uint32_t>(record);
  const auto heap_address = load_le<uint64_t>(record + 4);
  const auto heap_index = load_le<uint32_t>(record + 12);
  NpyArray array{type_};
  array.shape = {length};
  if (length == 0) return array;
  SPIKENM_CHECK(length <= kMostElements,
                "{}: row {} claims {} numbers, wanted at most {} (a fixed limit)", name_, index,
                length, kMostElements);

  ByteReader heap = objects_->at(heap_address, "row heap");
  SPIKENM_CHECK(as_text(heap.take(4, "row heap")) == "GCOL",
                "{}: damaged: row {} points at byte {}, where no row is", name_, index,
                heap_address);
  heap.take(4, "row heap version");
  const auto heap_size = heap.le<uint64_t>("row heap size");
  ByteReader objects(heap.take(heap_size < 16 ? 0 : heap_size - 16, "row heap"), name_);
  while (objects.left() >= 16) {
    const auto object = objects.le<uint16_t>("heap index");
    objects.take(6, "heap object");
    const auto size = objects.le<uint64_t>("heap object size");
    if (object == 0) break;  // free space at the end
    const Bytes data = objects.take(size, "heap object");
    if (object == heap_index) {
      const uint64_t wanted = uint64_t{length} * static_cast<uint64_t>(type_.item_size);
      SPIKENM_CHECK(wanted <= size, "{}: damaged: row {} claims {} numbers, found {} bytes", name_,
                    index, length, size);
      array.data = data.first(wanted);
      return array;
    }
    objects.take(std::min<size_t>((8 - size % 8) % 8, objects.left()), "heap padding");
  }
  fail("{}: damaged: row {} is not where it should be", name_, index);
}

}  // namespace spikenm::data
