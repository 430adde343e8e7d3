#include "spikenm/kernels/conv3x3.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"
#include "spikenm/kernels/cpu/table.h"
#include "spikenm/kernels/cpu/winograd.h"

#include <algorithm>
#include <atomic>

namespace spikenm::kernels {
namespace {

constexpr int kPlanes = 16;

int64_t round_up(int64_t n, int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

// Floats of one strip of a matrix. The number of rows is made odd, so that strips and planes do not
// fall into the same sets of a cache.
int64_t strip_of(int64_t rows) {
  return (round_up(rows, kProductRows) + 1) * kStrip;
}

int64_t plane_of(int64_t rows, int64_t columns) {
  return strip_of(rows) * (round_up(columns, kStrip) / kStrip);
}

Planes planes_of(float* data, int64_t rows, int64_t columns) {
  return {.data = data, .strip = strip_of(rows), .plane = plane_of(rows, columns)};
}

// How the work of a call is cut: groups of tile rows, each with 16 planes of inputs and 16 of
// outputs.
struct Plan {
  int64_t cin, cout;
  int64_t tiles_x, tile_rows;  // over all images
  int64_t group;               // tile rows in a group
  int64_t workers = 1;         // threads that work on a group each; 1: all share one

  // `floats`: wanted size of the 16 planes.
  Plan(const Conv3x3& s, int64_t floats)
      : cin(s.cin),
        cout(s.cout),
        tiles_x((s.width + 1) / 2),
        tile_rows(s.images * ((s.height + 1) / 2)) {
    const int64_t row = kPlanes * tiles_x * round_up(std::max(cin, cout), kStrip);
    group = std::clamp<int64_t>(floats / row, 1, std::max<int64_t>(1, tile_rows));
  }
  [[nodiscard]] int64_t groups() const { return (tile_rows + group - 1) / group; }
  [[nodiscard]] int64_t tiles() const { return group * tiles_x; }
  [[nodiscard]] int64_t weight_floats() const {
    return kPlanes * std::max(plane_of(cin, cout), plane_of(cout, cin));
  }
  [[nodiscard]] int64_t worker_floats() const {
    return kPlanes * (plane_of(tiles(), cin) + plane_of(tiles(), cout));
  }
  [[nodiscard]] int64_t zeros() const { return std::max(cin, cout); }
  [[nodiscard]] int64_t floats() const {
    return zeros() + weight_floats() + workers * worker_floats();
  }
};

// Floats per group. A group stays in a second-level cache (1 MiB each for inputs and outputs),
// unless the weights, which every group reads, are much larger.
int64_t group_floats(const Conv3x3& s, double weights) {
  const double planes = weights * static_cast<double>(kPlanes * s.cin * s.cout);
  return static_cast<int64_t>(std::clamp(planes, 0x1p18, 0x1p21));
}

// No sum crosses groups, so no bit depends on which thread works on a group.
Plan output_plan(const Conv3x3& s) {
  Plan plan(s, group_floats(s, 0.5));
  if (plan.groups() >= 2 * threads()) plan.workers = threads();
  return plan;
}

// Sums run over all groups, one after another, so the groups are fewer and larger.
Plan weight_plan(const Conv3x3& s) {
  return {s, group_floats(s, 2)};
}

// The parts of the workspace.
struct Parts {
  float* zeros;
  Planes weight;  // [cin, cout]
  float* workers;

  Parts(const Plan& plan, float* workspace)
      : zeros(workspace),
        weight(planes_of(zeros + plan.zeros(), plan.cin, plan.cout)),
        workers(weight.data + plan.weight_floats()) {
    std::fill(zeros, zeros + plan.zeros(), 0.0f);
  }
};

// Tile rows of one group as inputs and outputs, and their planes.
struct Group {
  TileRows from, to;
  Planes input, output;  // [tiles, cin] and [tiles, cout]
  int64_t n;             // tile rows

  Group(const Conv3x3& s, const Plan& plan, const Parts& parts, int64_t worker, int64_t index)
      : from{.height = s.height,
             .width = s.width,
             .channels = s.cin,
             .first = index * plan.group,
             .zeros = parts.zeros},
        to(from),
        input(planes_of(parts.workers + worker * plan.worker_floats(), plan.tiles(), s.cin)),
        output(planes_of(input.data + kPlanes * input.plane, plan.tiles(), s.cout)),
        n(std::min(plan.group, plan.tile_rows - from.first)) {
    to.channels = s.cout;
  }
};

// G g, three values to four.
void weight_row(const float (&g)[3], float (&out)[4]) {
  const float sum = 0.5f * (g[0] + g[2]), half = 0.5f * g[1];
  out[0] = g[0];
  out[1] = sum + half;
  out[2] = sum - half;
  out[3] = g[2];
}
// G^T u, four values to three.
void weight_gradient_row(const float (&u)[4], float (&out)[3]) {
  const float sum = 0.5f * (u[1] + u[2]);
  out[0] = u[0] + sum;
  out[1] = 0.5f * (u[1] - u[2]);
  out[2] = sum + u[3];
}

// Calls body(cout, cin) for all weights on several threads, in squares: the two sides of the copy
// have opposite orders, so one of them is always accessed at large strides.
template <class Body>
void for_weights(const Conv3x3& s, Body&& body) {
  constexpr int64_t kSide = 16;
  parallel_for(s.cin, kSide, [&](int64_t begin, int64_t end) {
    for (int64_t first = 0; first < s.cout; first += kSide)
      for (int64_t i = begin; i < end; ++i)
        for (int64_t o = first; o < std::min(s.cout, first + kSide); ++o) body(o, i);
  });
}

// planes [cin, cout] = G g G^T. With `turn`, planes [cout, cin] of g rotated by 180 degrees: the
// weights that carry gradients back.
void transform_weight(const Conv3x3& s, const float* weight, bool turn, const Planes& planes) {
  for_weights(s, [&](int64_t o, int64_t i) {
    const float* const g = weight + (o * s.cin + i) * 9;
    float columns[3][4];
    for (int j = 0; j < 3; ++j) {
      const float column[3] = {g[j], g[3 + j], g[6 + j]};
      const float back[3] = {g[8 - j], g[5 - j], g[2 - j]};
      weight_row(turn ? back : column, columns[j]);
    }

    float* const target = turn ? planes.at(o, i) : planes.at(i, o);
    for (int r = 0; r < 4; ++r) {
      const float row[3] = {columns[0][r], columns[1][r], columns[2][r]};
      float out[4];
      weight_row(row, out);
      for (int j = 0; j < 4; ++j) target[(4 * r + j) * planes.plane] = out[j];
    }
  });
}

// grad_weight = G^T u G of planes [cin, cout].
void gather_weight_gradient(const Conv3x3& s, const Planes& planes, float* grad_weight) {
  for_weights(s, [&](int64_t o, int64_t i) {
    const float* const source = planes.at(i, o);
    float columns[4][3];
    for (int j = 0; j < 4; ++j) {
      float column[4];
      for (int r = 0; r < 4; ++r) column[r] = source[(4 * r + j) * planes.plane];
      weight_gradient_row(column, columns[j]);
    }

    float* const target = grad_weight + (o * s.cin + i) * 9;
    for (int r = 0; r < 3; ++r) {
      const float row[4] = {columns[0][r], columns[1][r], columns[2][r], columns[3][r]};
      float out[3];
      weight_gradient_row(row, out);
      for (int j = 0; j < 3; ++j) target[3 * r + j] = out[j];
    }
  });
}

// Calls body(worker, group) for all groups; each worker has one group at a time. With several
// workers, parallel loops inside body run on one thread.
template <class Body>
void for_groups(const Plan& plan, Body&& body) {
  std::atomic<int64_t> next = 0;
  parallel_for(plan.workers, 1, [&](int64_t worker, int64_t) {
    for (int64_t g = next++; g < plan.groups(); g = next++) body(worker, g);
  });
}

// Calls multiply for rows [0, rows) of all 16 planes, cut into blocks of rows.
void multiply_planes(void (*multiply)(const PlaneProduct&), const Planes& a, const Planes& b,
                     const Planes& c, int64_t rows, int64_t columns, int64_t depth) {
  constexpr int64_t kRows = 8 * kProductRows;
  const int64_t blocks = (rows + kRows - 1) / kRows;
  const auto plane = [](Planes planes, int64_t k) {
    planes.data += k * planes.plane;
    return planes;
  };

  parallel_for(kPlanes * blocks, 1, [&](int64_t task, int64_t) {
    const int64_t k = task / blocks, first = task % blocks * kRows;
    multiply({.a = plane(a, k),
              .b = plane(b, k),
              .c = plane(c, k),
              .begin = first,
              .end = std::min(rows, first + kRows),
              .columns = columns,
              .depth = depth});
  });
}

// y = weight * x; the weight's planes are already made.
void convolve(const Conv3x3& s, const Plan& plan, const Parts& parts, const float* x, float* y,
              const WinogradKernels& kernels) {
  for_groups(plan, [&](int64_t worker, int64_t index) {
    const Group g(s, plan, parts, worker, index);
    parallel_for(g.n, 1, [&](int64_t begin, int64_t end) {
      kernels.transform_input(g.from, x, g.input, begin, end);
    });
    multiply_planes(kernels.multiply, g.input, parts.weight, g.output, g.n * plan.tiles_x, s.cout,
                    s.cin);
    parallel_for(g.n, 1, [&](int64_t begin, int64_t end) {
      kernels.transform_output(g.to, g.output, y, begin, end);
    });
  });
}

// The shape of the convolution that carries gradients back.
Conv3x3 turned(const Conv3x3& s) {
  return {.images = s.images, .height = s.height, .width = s.width, .cin = s.cout, .cout = s.cin};
}

const WinogradKernels& kernels_of(Isa isa) {
  SPIKENM_ASSERT(has_conv3x3(isa));
  return *cpu_kernels(isa).winograd;
}

}  // namespace

bool has_conv3x3(Isa isa) {
  return cpu_kernels(isa).winograd != nullptr;
}

int64_t conv3x3_workspace(const Conv3x3& shape) {
  return std::max({output_plan(shape).floats(), output_plan(turned(shape)).floats(),
                   weight_plan(shape).floats()});
}

void conv3x3_forward(const Conv3x3& shape, const float* x, const float* weight, float* y,
                     float* workspace, Isa isa) {
  const Plan plan = output_plan(shape);
  const Parts parts(plan, workspace);
  transform_weight(shape, weight, /*turn=*/false, parts.weight);
  convolve(shape, plan, parts, x, y, kernels_of(isa));
}

void conv3x3_grad_input(const Conv3x3& shape, const float* grad_y, const float* weight,
                        float* grad_x, float* workspace, Isa isa) {
  const Plan plan = output_plan(turned(shape));
  const Parts parts(plan, workspace);
  transform_weight(shape, weight, /*turn=*/true, parts.weight);
  convolve(turned(shape), plan, parts, grad_y, grad_x, kernels_of(isa));
}

void conv3x3_grad_weight(const Conv3x3& s, const float* x, const float* grad_y, float* grad_weight,
                         float* workspace, Isa isa) {
  const Plan plan = weight_plan(s);
  const Parts parts(plan, workspace);
  const WinogradKernels& kernels = kernels_of(isa);
  std::fill(parts.weight.data, parts.weight.data + kPlanes * parts.weight.plane, 0.0f);

  for_groups(plan, [&](int64_t worker, int64_t index) {
    const Group g(s, plan, parts, worker, index);
    parallel_for(g.n, 1, [&](int64_t begin, int64_t end) {
      kernels.transform_input(g.from, x, g.input, begin, end);
      kernels.transform_gradient(g.to, grad_y, g.output, begin, end);
    });
    multiply_planes(kernels.add_transposed, g.input, g.output, parts.weight, s.cin, s.cout,
                    g.n * plan.tiles_x);
  });

  gather_weight_gradient(s, parts.weight, grad_weight);
}

}  // namespace spikenm::kernels
