#include "spikenm/data/formats/picture_file.h"

#include "spikenm/core/error.h"
#include "spikenm/data/formats/jpeg.h"

#include <string_view>

namespace spikenm::data {
namespace {

// What the pixels of a PNG would take, from its first chunk; 0 if the file is too short to say.
size_t png_size(Bytes bytes, bool gray) {
  constexpr size_t kWidthAt = 16, kEnd = 24;
  if (bytes.size() < kEnd) return 0;
  size_t sides[2] = {0, 0};
  for (size_t i = 0; i < 8; ++i) sides[i / 4] = sides[i / 4] << 8 | bytes[kWidthAt + i];
  return sides[0] * sides[1] > (SIZE_MAX >> 2) ? SIZE_MAX : sides[0] * sides[1] * (gray ? 1 : 3);
}

}  // namespace

spikenm::Picture read_picture(Bytes bytes, bool gray, const std::string& source,
                              const UnpackLimit& limit) {
  const std::string_view text = as_text(bytes);
  if (text.starts_with("\x89PNG\r\n\x1a\n")) {
    if (png_size(bytes, gray) > limit.of(bytes.size()))
      refuse_unpacking(source, limit.of(bytes.size()), limit);
    return read_png(bytes, gray, source);
  }
  if (text.starts_with("\xff\xd8\xff")) return read_jpeg(bytes, gray, source, limit);
  SPIKENM_CHECK(!bytes.empty(), "{}: found an empty file, wanted a PNG or JPEG picture", source);
  fail("{}: found neither a PNG nor a JPEG picture", source);
}

}  // namespace spikenm::data
