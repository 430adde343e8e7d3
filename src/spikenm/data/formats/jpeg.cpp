#include "spikenm/data/formats/jpeg.h"

#include "spikenm/core/error.h"

#if defined(SPIKENM_JPEG)
#include <turbojpeg.h>

#include <memory>
#include <type_traits>
#endif

namespace spikenm::data {

#if defined(SPIKENM_JPEG)
namespace {

struct Destroy {
  void operator()(void* decoder) const { tjDestroy(decoder); }
};
using Decoder = std::unique_ptr<std::remove_pointer_t<tjhandle>, Destroy>;

[[noreturn]] void refuse(const Decoder& decoder, const std::string& source) {
  fail("{}: found a JPEG that cannot be read: {}", source, tjGetErrorStr2(decoder.get()));
}

}  // namespace

spikenm::Picture read_jpeg(Bytes bytes, bool gray, const std::string& source,
                           const UnpackLimit& limit) {
  const Decoder decoder(tjInitDecompress());
  SPIKENM_CHECK(decoder != nullptr, "{}: the JPEG reader cannot be started: {}", source,
                tjGetErrorStr2(nullptr));
  int width = 0, height = 0, sampling = 0, colors = 0;
  if (tjDecompressHeader3(decoder.get(), bytes.data(), bytes.size(), &width, &height, &sampling,
                          &colors) != 0)
    refuse(decoder, source);

  const size_t size =
      static_cast<size_t>(width) * static_cast<size_t>(height) * static_cast<size_t>(gray ? 1 : 3);
  if (size > limit.of(bytes.size())) refuse_unpacking(source, limit.of(bytes.size()), limit);

  spikenm::Picture picture{.width = width, .height = height, .pixels = std::vector<uint8_t>(size)};
  // A damaged file is a warning to the library, which then makes pixels up. A progressive file may
  // hold thousands of scans in few bytes, each over the whole picture.
  constexpr int kFlags = TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS | TJFLAG_ACCURATEDCT;
  if (tjDecompress2(decoder.get(), bytes.data(), bytes.size(), picture.pixels.data(), width,
                    /*pitch=*/0, height, gray ? TJPF_GRAY : TJPF_RGB, kFlags) != 0)
    refuse(decoder, source);
  return picture;
}

#else

spikenm::Picture read_jpeg(Bytes, bool, const std::string& source, const UnpackLimit&) {
  fail("{}: found a JPEG, which this build cannot read: wanted libturbojpeg when it was made",
       source);
}

#endif

}  // namespace spikenm::data
