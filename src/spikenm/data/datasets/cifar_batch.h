// The files of CIFAR-10 and CIFAR-100: batches of 32x32 colour images with one or two labels each.
#pragma once

#include "spikenm/core/bytes.h"
#include "spikenm/data/datasets/image_dataset.h"

namespace spikenm::data {

struct CifarReading {
  bool fine_and_coarse = false;  // CIFAR-100: every image has both labels
  bool want_coarse = false;
  int64_t classes = 10;
};

// Records of one label byte (two in CIFAR-100, coarse then fine) and the planes of an image.
void append_cifar_binary(Bytes bytes, const CifarReading& reading, std::string_view source,
                         ImagePart& out);

// A pickled dict with `data`, an array [n,3072], and lists of labels.
void append_cifar_pickle(Bytes bytes, const CifarReading& reading, std::string_view source,
                         ImagePart& out);

}  // namespace spikenm::data
