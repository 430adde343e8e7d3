#include "spikenm/data/formats/idx.h"

#include <algorithm>

namespace spikenm::data {

IdxArray parse_idx(Bytes bytes, std::string_view source) {
  ByteReader reader(bytes, source);
  const Bytes magic = reader.take(4, "the IDX magic number");
  SPIKENM_CHECK(magic[0] == 0 && magic[1] == 0,
                "{}: not an IDX file: it begins with {:02x} {:02x}, wanted 00 00", source, magic[0],
                magic[1]);
  SPIKENM_CHECK(magic[2] == 8, "{}: found IDX element type {:#04x}, wanted 0x08 (unsigned bytes)",
                source, magic[2]);

  IdxArray array;
  uint64_t wanted = 1;
  bool fits = true;
  for (int axis = 0; axis < magic[3]; ++axis) {
    array.shape.push_back(reader.be<uint32_t>("the size of an axis"));
    // A size of 0 counts as 1 here, so that an overflow of the other sizes is found too.
    const auto size = static_cast<uint64_t>(std::max<int64_t>(1, array.shape.back()));
    fits = fits && !__builtin_mul_overflow(wanted, size, &wanted) && wanted <= INT64_MAX;
  }

  SPIKENM_CHECK(fits, "{}: its sizes multiply to more than a file can hold", source);
  for (const int64_t size : array.shape) wanted = size == 0 ? 0 : wanted;
  SPIKENM_CHECK(reader.left() == wanted, "{}: {} bytes follow the header, wanted {}{}", source,
                reader.left(), wanted, reader.left() < wanted ? ": cut file" : "");
  array.data = reader.take(reader.left(), "the data");
  return array;
}

}  // namespace spikenm::data
