#include "spikenm/data/datasets/cifar_batch.h"

#include "spikenm/data/formats/pickle.h"

namespace spikenm::data {
namespace {

constexpr size_t kPixels = 3 * 32 * 32;

// image: the index of the image in its file.
void append_label(int64_t label, size_t image, const CifarReading& reading, std::string_view source,
                  ImagePart& out) {
  SPIKENM_CHECK(label >= 0 && label < reading.classes,
                "{}: image {} has the label {}, wanted 0 to {}", source, image, label,
                reading.classes - 1);
  out.labels.push_back(static_cast<uint8_t>(label));
}

}  // namespace

void append_cifar_binary(Bytes bytes, const CifarReading& reading, std::string_view source,
                         ImagePart& out) {
  const size_t n_labels = reading.fine_and_coarse ? 2 : 1, record = n_labels + kPixels;
  SPIKENM_CHECK(!bytes.empty() && bytes.size() % record == 0,
                "{}: holds {} bytes, wanted a multiple of the {} of a record", source, bytes.size(),
                record);
  for (size_t at = 0; at < bytes.size(); at += record) {
    const size_t which = reading.fine_and_coarse && !reading.want_coarse ? 1 : 0;
    append_label(bytes[at + which], at / record, reading, source, out);
    const Bytes image = bytes.subspan(at + n_labels, kPixels);
    out.pixels.insert(out.pixels.end(), image.begin(), image.end());
  }
}

void append_cifar_pickle(Bytes bytes, const CifarReading& reading, std::string_view source,
                         ImagePart& out) {
  const PickleValue batch = parse_pickle(bytes, source);
  const char* const key = !reading.fine_and_coarse ? "labels"
                          : reading.want_coarse    ? "coarse_labels"
                                                   : "fine_labels";
  const PickleValue* data = batch.get("data");
  const PickleValue* labels = batch.get(key);
  SPIKENM_CHECK(data != nullptr && data->array() != nullptr && labels != nullptr &&
                    labels->items() != nullptr,
                "{}: wanted a dict with an array 'data' and a list '{}'", source, key);

  const NpyArray& array = data->array()->array;
  const auto n = static_cast<int64_t>(labels->items()->size());
  SPIKENM_CHECK(array.kind == 'u' && array.item_size == 1 && !array.fortran_order &&
                    array.shape == (std::vector<int64_t>{n, kPixels}),
                "{}: 'data' has the shape [{}] and type {}{} beside {} labels, wanted bytes "
                "[{},{}], row by row",
                source, fmt::join(array.shape, ","), array.kind, array.item_size, n, n, kPixels);

  for (size_t i = 0; i < labels->items()->size(); ++i) {
    const int64_t* const label = (*labels->items())[i].integer();
    SPIKENM_CHECK(label != nullptr, "{}: '{}' holds something that is not a whole number", source,
                  key);
    append_label(*label, i, reading, source, out);
  }
  out.pixels.insert(out.pixels.end(), array.data.begin(), array.data.end());
}

}  // namespace spikenm::data
