#include "spikenm/data/transforms/image_ops.h"

#include <array>
#include <cmath>
#include <numbers>
#include <span>

namespace spikenm::data {
namespace {

using Table = std::array<uint8_t, 256>;  // the new value for every old value
using Counts = std::array<int64_t, 256>;

std::span<uint8_t> plane_of(Image& image, int64_t c) {
  return std::span(image.pixels)
      .subspan(static_cast<size_t>(c * image.plane()), static_cast<size_t>(image.plane()));
}

void apply_table(std::span<uint8_t> pixels, const Table& table) {
  for (uint8_t& p : pixels) p = table[p];
}

// `make(value)` returns the new value.
template <class Make>
Table make_table(Make&& make) {
  Table table;
  for (size_t v = 0; v < table.size(); ++v)
    table[v] = static_cast<uint8_t>(make(static_cast<int>(v)));
  return table;
}

Counts histogram(std::span<const uint8_t> pixels) {
  Counts counts{};
  for (const uint8_t p : pixels) ++counts[p];
  return counts;
}

// from + share * (to - from), in single precision and truncated to a whole number, as Pillow does;
// a share above 1 extrapolates beyond `to`.
uint8_t blend(int from, int to, float share) {
  const float value = static_cast<float>(from) + share * static_cast<float>(to - from);
  return static_cast<uint8_t>(std::clamp(value, 0.0f, 255.0f));
}

// Where the output pixel (x, y) comes from: (a x + b y + c, d x + e y + f).
struct Affine {
  double a, b, c, d, e, f;
};

// Pillow's nearest neighbour: pixel centres are mapped in 16.16 fixed point.
void warp(Image& image, const Affine& m) {
  const auto fixed = [](double v) { return static_cast<int64_t>(std::floor(v * 65536 + 0.5)); };
  const int64_t a = fixed(m.a), b = fixed(m.b), d = fixed(m.d), e = fixed(m.e);
  const int64_t c = fixed(m.c + 0.5 * (m.a + m.b)), f = fixed(m.f + 0.5 * (m.d + m.e));
  const int64_t H = image.height, W = image.width;
  const std::vector<uint8_t> old = image.pixels;

  for (int64_t y = 0; y < H; ++y) {
    for (int64_t x = 0; x < W; ++x) {
      const int64_t from_x = (a * x + b * y + c) >> 16, from_y = (d * x + e * y + f) >> 16;
      const bool inside = from_x >= 0 && from_x < W && from_y >= 0 && from_y < H;
      for (int64_t plane = 0; plane < image.channels * H * W; plane += H * W)
        image.pixels[static_cast<size_t>(plane + y * W + x)] =
            inside ? old[static_cast<size_t>(plane + from_y * W + from_x)] : 0;
    }
  }
}

void rotate(Image& image, double degrees) {
  const double angle = -degrees * std::numbers::pi / 180;
  // Makes quarter turns exact.
  const auto rounded = [](double v) { return std::round(v * 1e15) / 1e15; };
  const double cosine = rounded(std::cos(angle)), sine = rounded(std::sin(angle));
  const double x = 0.5 * static_cast<double>(image.width);
  const double y = 0.5 * static_cast<double>(image.height);
  warp(image, {cosine, sine, x - cosine * x - sine * y, -sine, cosine, y + sine * x - cosine * y});
}

// ITU-R 601 luma in 16-bit fixed point.
std::vector<uint8_t> luma(const Image& image) {
  if (image.channels == 1) return image.pixels;
  const auto n = static_cast<size_t>(image.plane());
  const uint8_t* const rgb = image.pixels.data();
  std::vector<uint8_t> gray(n);
  for (size_t i = 0; i < n; ++i)
    gray[i] = static_cast<uint8_t>(
        (19595 * rgb[i] + 38470 * rgb[n + i] + 7471 * rgb[2 * n + i] + 32768) >> 16);
  return gray;
}

void adjust_brightness(Image& image, float factor) {
  apply_table(image.pixels, make_table([&](int v) { return blend(0, v, factor); }));
}

void adjust_color(Image& image, float factor) {
  if (image.channels == 1) return;
  const std::vector<uint8_t> gray = luma(image);
  for (int64_t c = 0; c < image.channels; ++c) {
    const std::span<uint8_t> plane = plane_of(image, c);
    for (size_t i = 0; i < plane.size(); ++i) plane[i] = blend(gray[i], plane[i], factor);
  }
}

void adjust_contrast(Image& image, float factor) {
  double sum = 0;
  for (const uint8_t v : luma(image)) sum += v;
  const int mean = static_cast<int>(std::floor(sum / static_cast<double>(image.plane()) + 0.5));
  apply_table(image.pixels, make_table([&](int v) { return blend(mean, v, factor); }));
}

// Moves away from a smoothed copy (factor > 1) or towards it: 3x3 weights of 1 with 5 in the
// middle, divided by 13. The border is unchanged.
void adjust_sharpness(Image& image, float factor) {
  const int64_t H = image.height, W = image.width;
  const std::vector<uint8_t> old = image.pixels;
  for (int64_t c = 0; c < image.channels; ++c) {
    for (int64_t y = 1; y + 1 < H; ++y) {
      for (int64_t x = 1; x + 1 < W; ++x) {
        const uint8_t* const at = old.data() + (c * H + y) * W + x;
        int sum = 4 * at[0];
        for (const uint8_t* row = at - W; row <= at + W; row += W) sum += row[-1] + row[0] + row[1];
        image.pixels[static_cast<size_t>((c * H + y) * W + x)] =
            blend((2 * sum + 13) / 26, at[0], factor);
      }
    }
  }
}

// Stretches each channel to 0..255.
void auto_contrast(Image& image) {
  for (int64_t c = 0; c < image.channels; ++c) {
    const std::span<uint8_t> plane = plane_of(image, c);
    const auto [low, high] = std::minmax_element(plane.begin(), plane.end());
    if (*low == *high) continue;
    const double scale = 255.0 / (*high - *low), offset = -*low * scale;
    apply_table(plane,
                make_table([&](int v) { return std::clamp(v * scale + offset, 0.0, 255.0); }));
  }
}

// Gives each channel a flat histogram.
void equalize(Image& image) {
  for (int64_t c = 0; c < image.channels; ++c) {
    const std::span<uint8_t> plane = plane_of(image, c);
    const Counts counts = histogram(plane);
    const uint8_t highest = *std::max_element(plane.begin(), plane.end());
    const int64_t step = (image.plane() - counts[highest]) / 255;
    if (step == 0) continue;
    int64_t seen = step / 2;
    apply_table(plane, make_table([&](int v) {
                  const int64_t value = seen / step;
                  seen += counts[static_cast<size_t>(v)];
                  return std::min<int64_t>(255, value);
                }));
  }
}

void invert_from(Image& image, double threshold) {
  apply_table(image.pixels, make_table([&](int v) { return v < threshold ? v : 255 - v; }));
}

}  // namespace

void apply_op(Image& image, ImageOp op, double magnitude) {
  const auto factor = static_cast<float>(1 + magnitude);
  switch (op) {
    case ImageOp::kIdentity:
      return;
    case ImageOp::kShearX:
      return warp(image, {1, magnitude, 0, 0, 1, 0});
    case ImageOp::kShearY:
      return warp(image, {1, 0, 0, magnitude, 1, 0});
    case ImageOp::kTranslateX:
      return warp(image, {1, 0, -std::trunc(magnitude), 0, 1, 0});
    case ImageOp::kTranslateY:
      return warp(image, {1, 0, 0, 0, 1, -std::trunc(magnitude)});
    case ImageOp::kRotate:
      return rotate(image, magnitude);
    case ImageOp::kBrightness:
      return adjust_brightness(image, factor);
    case ImageOp::kColor:
      return adjust_color(image, factor);
    case ImageOp::kContrast:
      return adjust_contrast(image, factor);
    case ImageOp::kSharpness:
      return adjust_sharpness(image, factor);
    case ImageOp::kPosterize:
      return apply_table(image.pixels, make_table([&](int v) {
                           return v & ~(255 >> static_cast<int>(magnitude));
                         }));
    case ImageOp::kSolarize:
      return invert_from(image, magnitude);
    case ImageOp::kAutoContrast:
      return auto_contrast(image);
    case ImageOp::kEqualize:
      return equalize(image);
    case ImageOp::kInvert:
      return invert_from(image, 0);
  }
}

void edit_frames(Sample& sample, const std::function<void(Image&)>& edit) {
  const auto [T, C, H, W] = sample.shape;
  thread_local Image image;
  image.channels = C, image.height = H, image.width = W;
  image.pixels.resize(static_cast<size_t>(C * H * W));
  for (int64_t t = 0; t < T; ++t) {
    float* const frame = sample.values.data() + t * C * H * W;
    std::transform(frame, frame + C * H * W, image.pixels.begin(), [](float v) {
      return static_cast<uint8_t>(v > 0 ? std::min(v + 0.5f, 255.0f) : 0.0f);  // NaN is black
    });
    edit(image);
    std::copy(image.pixels.begin(), image.pixels.end(), frame);
  }
}

}  // namespace spikenm::data
