// The pieces of conv3x3 over vectors of channels, compiled once per instruction set: the includer
// defines the value type F, as for neuron_seq_inl.h, and includes this inside its unnamed
// namespace.

// Calls body(tile within the planes, image, top row, left column) for the tiles of rows
// [begin, end); rows and columns are the output's.
template <class Body>
void for_tiles(const TileRows& rows, int64_t begin, int64_t end, Body&& body) {
  for (int64_t r = begin; r < end; ++r) {
    const int64_t image = (rows.first + r) / rows.tiles_y(), ty = (rows.first + r) % rows.tiles_y();
    for (int64_t tx = 0; tx < rows.tiles_x(); ++tx)
      body(r * rows.tiles_x() + tx, image, 2 * ty, 2 * tx);
  }
}

// The channels of a pixel; zeros outside the image.
const float* pixel(const TileRows& rows, const float* x, int64_t image, int64_t row,
                   int64_t column) {
  const bool inside = row >= 0 && row < rows.height && column >= 0 && column < rows.width;
  return inside ? x + ((image * rows.height + row) * rows.width + column) * rows.channels
                : rows.zeros;
}

// Calls body(channel, lanes used) for the vectors of a pixel.
template <class Body>
void for_channels(const TileRows& rows, Body&& body) {
  int64_t c = 0;
  for (; c + F::kLanes <= rows.channels; c += F::kLanes) body(c, F::kLanes);
  if (c < rows.channels) body(c, static_cast<int>(rows.channels - c));
}

// B^T d, four values.
SPIKENM_HD void input_row(const F (&d)[4], F (&out)[4]) {
  out[0] = d[0] - d[2];
  out[1] = d[1] + d[2];
  out[2] = d[2] - d[1];
  out[3] = d[1] - d[3];
}
// A^T m, four values to two.
SPIKENM_HD void output_row(const F (&m)[4], F (&out)[2]) {
  out[0] = m[0] + m[1] + m[2];
  out[1] = m[1] - m[2] - m[3];
}
// A y, two values to four.
SPIKENM_HD void gradient_row(const F (&y)[2], F (&out)[4]) {
  out[0] = y[0];
  out[1] = y[0] + y[1];
  out[2] = y[0] - y[1];
  out[3] = F(0.0) - y[1];
}

void transform_input(const TileRows& rows, const float* x, const Planes& planes, int64_t begin,
                     int64_t end) {
  for_tiles(rows, begin, end, [&](int64_t tile, int64_t image, int64_t top, int64_t left) {
    const float* source[4][4];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) source[i][j] = pixel(rows, x, image, top - 1 + i, left - 1 + j);

    for_channels(rows, [&](int64_t c, int count) {
      F turned[4][4];  // B^T d, transposed
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        const F column[4] = {F::load(source[0][j] + c, count), F::load(source[1][j] + c, count),
                             F::load(source[2][j] + c, count), F::load(source[3][j] + c, count)};
        F out[4];
        input_row(column, out);
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) turned[i][j] = out[i];
      }

      float* const target = planes.at(tile, c);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        F out[4];
        input_row(turned[i], out);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) out[j].store(target + (4 * i + j) * planes.plane, count);
      }
    });
  });
}

void transform_output(const TileRows& rows, const Planes& planes, float* y, int64_t begin,
                      int64_t end) {
  for_tiles(rows, begin, end, [&](int64_t tile, int64_t image, int64_t top, int64_t left) {
    const bool below = top + 1 < rows.height, right = left + 1 < rows.width;
    float* const target = y + ((image * rows.height + top) * rows.width + left) * rows.channels;
    const int64_t next_row = rows.width * rows.channels;

    for_channels(rows, [&](int64_t c, int count) {
      const float* const source = planes.at(tile, c);
      F halves[2][4];
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        F column[4], out[2];
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) column[i] = F::load(source + (4 * i + j) * planes.plane, count);
        output_row(column, out);
        halves[0][j] = out[0];
        halves[1][j] = out[1];
      }

      F upper[2], lower[2];
      output_row(halves[0], upper);
      output_row(halves[1], lower);
      upper[0].store(target + c, count);
      if (right) upper[1].store(target + rows.channels + c, count);
      if (below) lower[0].store(target + next_row + c, count);
      if (below && right) lower[1].store(target + next_row + rows.channels + c, count);
    });
  });
}

void transform_gradient(const TileRows& rows, const float* grad_y, const Planes& planes,
                        int64_t begin, int64_t end) {
  for_tiles(rows, begin, end, [&](int64_t tile, int64_t image, int64_t top, int64_t left) {
    const float* const source[4] = {
        pixel(rows, grad_y, image, top, left), pixel(rows, grad_y, image, top, left + 1),
        pixel(rows, grad_y, image, top + 1, left), pixel(rows, grad_y, image, top + 1, left + 1)};

    for_channels(rows, [&](int64_t c, int count) {
      F columns[2][4];
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) {
        const F column[2] = {F::load(source[j] + c, count), F::load(source[2 + j] + c, count)};
        gradient_row(column, columns[j]);
      }

      float* const target = planes.at(tile, c);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        const F row[2] = {columns[0][i], columns[1][i]};
        F out[4];
        gradient_row(row, out);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) out[j].store(target + (4 * i + j) * planes.plane, count);
      }
    });
  });
}

// Sums over kRows rows and two vectors of columns, kept in registers: AVX-512 has room for 12 rows,
// AVX2 for 6. The array has the bare vector type and every loop over it is unrolled, because
// compilers keep it in registers only then.
constexpr int kVectors = 2;
using Bare = decltype(F::r);

template <int kRows>
struct Sums {
  Bare sum[kRows][kVectors];

  SPIKENM_HD void clear() {
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) sum[r][0] = sum[r][1] = F(0.0).r;
  }
  // sum[r] += a[r kStride] b, for one k.
  template <int kStride>
  SPIKENM_HD void add_product(const float* a, const float* b) {
    const F b0 = F::load(b, F::kLanes), b1 = F::load(b + F::kLanes, F::kLanes);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      const F value = F::spread(a[r * kStride]);
      sum[r][0] = fused(value, b0, F(sum[r][0])).r;
      sum[r][1] = fused(value, b1, F(sum[r][1])).r;
    }
  }
  template <bool kAdds>
  SPIKENM_HD void store(float* c) const {
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; ++j) {
        float* const target = c + r * kStrip + j * F::kLanes;
        const F value(sum[r][j]);
        (kAdds ? value + F::load(target, F::kLanes) : value).store(target, F::kLanes);
      }
  }
};

// Columns are the outer loop: the strip of b stays in the cache while all rows pass.
template <int kRows, class Block>
void for_blocks(const PlaneProduct& p, Block&& block) {
  for (int64_t column = 0; column < p.columns; column += kVectors * F::kLanes)
    for (int64_t row = p.begin; row < p.end; row += kRows) block(row, column);
}

constexpr int kTileRows = F::kLanes == 16 ? 12 : 6;

void multiply(const PlaneProduct& p) {
  for_blocks<kTileRows>(p, [&](int64_t row, int64_t column) {
    Sums<kTileRows> sums;
    sums.clear();
    const float* b = p.b.at(0, column);
    for (int64_t first = 0; first < p.depth; first += kStrip) {
      const float* a = p.a.at(row, first);
      const int64_t n = p.depth - first < kStrip ? p.depth - first : kStrip;
      for (int64_t k = 0; k < n; ++k, ++a, b += kStrip) sums.add_product<kStrip>(a, b);
    }
    sums.store<false>(p.c.at(row, column));
  });
}

// Rows are channels here; a block of them must not cross a strip.
constexpr int kChannelRows = F::kLanes == 16 ? 8 : 4;

void add_transposed(const PlaneProduct& p) {
  for_blocks<kChannelRows>(p, [&](int64_t row, int64_t column) {
    Sums<kChannelRows> sums;
    sums.clear();
    const float *a = p.a.at(0, row), *b = p.b.at(0, column);
    for (int64_t k = 0; k < p.depth; ++k, a += kStrip, b += kStrip) sums.add_product<1>(a, b);
    sums.store<true>(p.c.at(row, column));
  });
}

constexpr WinogradKernels kWinograd = {.transform_input = transform_input,
                                       .transform_output = transform_output,
                                       .transform_gradient = transform_gradient,
                                       .multiply = multiply,
                                       .add_transposed = add_transposed};
