// Samples of known values for tests of transforms, and counts compared with a flat distribution.
#pragma once

#include "spikenm/data/transforms/image_ops.h"
#include "spikenm/data/transforms/transform.h"

#include <cmath>
#include <string>
#include <vector>

namespace spikenm::test {

// 1, 2, 3, … : no two places are alike, and none is 0.
inline data::Sample numbered_sample(const data::SampleShape& shape) {
  data::Sample sample{.shape = shape};
  for (int64_t i = 1; i <= shape.size(); ++i) sample.values.push_back(static_cast<float>(i));
  return sample;
}

// Every plane holds the same values, whole numbers from 1 to 255.
inline data::Sample equal_planes(const data::SampleShape& shape) {
  data::Sample sample{.shape = shape};
  for (int64_t i = 0; i < shape.size(); ++i)
    sample.values.push_back(static_cast<float>(1 + i % shape.plane() * 37 % 255));
  return sample;
}

inline bool planes_are_equal(const data::Sample& sample) {
  const auto plane = static_cast<size_t>(sample.shape.plane());
  for (size_t i = plane; i < sample.values.size(); ++i)
    if (sample.values[i] != sample.values[i - plane]) return false;
  return true;
}

// low + (37 x + 61 y + 101 c + 11 x y + 5 x^2) % span.
inline data::Image formula_image(int64_t channels, int64_t height, int64_t width, int64_t low,
                                 int64_t span) {
  data::Image image{channels, height, width, {}};
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x)
        image.pixels.push_back(static_cast<uint8_t>(
            low + (37 * x + 61 * y + 101 * c + 11 * x * y + 5 * x * x) % span));
  return image;
}

// Stands for all values in their order: h = 31 h + v.
template <class Values>
uint32_t fold(const Values& values) {
  uint32_t h = 0;
  for (const auto v : values) h = 31 * h + static_cast<uint32_t>(v);
  return h;
}

// A chain of one entry on sample `index`.
inline data::Sample transformed(const std::string& text, const data::TransformContext& context,
                                data::Sample sample, int64_t index, int64_t epoch = 0) {
  data::TransformChain({text}, context, "data.augment").apply(sample, 1, epoch, index);
  return sample;
}

// Whether counts may come from equally likely cases: chi-square within four standard deviations.
inline bool looks_uniform(const std::vector<int64_t>& counts) {
  double n = 0, chi_square = 0;
  for (const int64_t c : counts) n += static_cast<double>(c);
  const double expected = n / static_cast<double>(counts.size());
  for (const int64_t c : counts)
    chi_square += std::pow(static_cast<double>(c) - expected, 2) / expected;
  const auto freedom = static_cast<double>(counts.size() - 1);
  return chi_square < freedom + 4 * std::sqrt(2 * freedom);
}

}  // namespace spikenm::test
