// A block owns 128 x 128 weights and walks all time steps, each in chunks of 64 rows of the batch.
// Chunks pass through a ring buffer in shared memory: while one is multiplied on the tensor cores,
// the next three are copied.
//
//                    x_t [batch, n_in]       A warp owns 32 x 32 of the block's weights: 2 x 4
//                    +-----------+           products of 16 outputs x 8 inputs x 16 rows. A thread
//           64 rows  | 128 wide  |           has four sums per product, and keeps three numbers for
//                    +-----------+           each sum, from the first chunk to the last:
//                          |                   slice   g^t, the sum over the batch
//   grad_t [batch, n_out]  v                   total   sum_t g^t
//   +-----------+    +--+--+--+--+             credit  sum_t |g^t|
//   | 128 wide  |    |w0|w1|w2|w3|           At the end of a step the slice is added to both, and
//   +-----------+    +--+--+--+--+           starts again at zero.
//     64 rows   |    |w4|w5|w6|w7|
//               +->  +--+--+--+--+           Both operands have the batch outermost, so they are
//        a column    |w8|w9|wA|wB|           read transposed from shared memory (ldmatrix.trans).
//   is a row of the  +--+--+--+--+           Rows there are 16 bytes longer than the tile: eight
//           weights  |wC|wD|wE|wF|           of them then start in eight different groups of
//                    +--+--+--+--+           banks.
//                    [n_out, n_in]
#include "spikenm/kernels/credit_product.h"
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"

#include <type_traits>

namespace spikenm::kernels {
namespace {

constexpr unsigned kTile = 128;
constexpr unsigned kDepth = 64;  // rows of a chunk
constexpr unsigned kStages = 4;  // chunks in shared memory
constexpr unsigned kWarpTile = 32;
constexpr unsigned kWarpsAcross = kTile / kWarpTile;
constexpr unsigned kThreads = 32 * kWarpsAcross * kWarpsAcross;
constexpr unsigned kPitch = kTile + 8;

using Tile = uint16_t[kDepth][kPitch];  // bits of either type

struct Stage {
  Tile grad, x;
};

// An operand, [rows, columns]; every row is a whole number of aligned packs of `width` elements.
struct Matrix {
  const uint16_t* data;
  unsigned columns, width;
};

__device__ __forceinline__ unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// Copies V elements, asynchronously if V > 1, or sets them to zero.
template <int V>
__device__ __forceinline__ void copy_pack(uint16_t* to, const uint16_t* from, bool inside) {
  if constexpr (V == 1) {
    *to = inside ? __ldg(from) : uint16_t{0};
  } else if constexpr (V == 8) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(inside ? 16 : 0)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)),
                 "l"(from), "n"(2 * V), "r"(inside ? 2 * V : 0)
                 : "memory");
  }
}

// Copies rows row, row + 1, ... and columns column, column + 1, ... of a matrix; from n_rows on and
// past the last column it writes zeros.
template <int V>
__device__ __forceinline__ void copy_packs(const Matrix& m, unsigned row, unsigned n_rows,
                                           unsigned column, Tile& to) {
  constexpr unsigned kPacks = kTile / V;
  const unsigned c = threadIdx.x % kPacks * V;
#pragma unroll 2
  for (unsigned i = 0; i < kDepth; i += kThreads / kPacks) {
    const unsigned r = i + threadIdx.x / kPacks;
    const bool inside = r < n_rows && column + c < m.columns;
    const uint64_t at = static_cast<uint64_t>(row + r) * m.columns + (column + c);
    copy_pack<V>(&to[r][c], m.data + (inside ? at : 0), inside);
  }
}

__device__ __forceinline__ void copy_tile(const Matrix& m, unsigned row, unsigned n_rows,
                                          unsigned column, Tile& to) {
  switch (m.width) {
    case 8:
      return copy_packs<8>(m, row, n_rows, column, to);
    case 4:
      return copy_packs<4>(m, row, n_rows, column, to);
    case 2:
      return copy_packs<2>(m, row, n_rows, column, to);
    default:
      return copy_packs<1>(m, row, n_rows, column, to);
  }
}

// Loads four 8 x 8 matrices, transposed. Lane l points at row l % 8 of matrix l / 8, and receives
// two rows of each matrix, 2 (l % 4) and the next, in column l / 4.
__device__ __forceinline__ void load_transposed(const uint16_t* at, unsigned (&to)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(at))
               : "memory");
}

// sum [16 outputs, 8 inputs] += a^T b over 16 rows. Matrices of a: outputs 0-7 and 8-15 of the
// first eight rows, then of the last eight; of b: the first eight rows, the last eight.
template <class T>
__device__ __forceinline__ void multiply_add(const unsigned* a, const unsigned* b,
                                             float (&sum)[4]) {
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
}

// The sums of a thread: [products down][products across][sums of a product].
using Sums = float[2][4][4];

// Adds a chunk's part to the warp's weights, which start at (row, column) of the block's.
template <class T>
__device__ __forceinline__ void multiply_chunk(const Stage& stage, unsigned row, unsigned column,
                                               Sums& slice) {
  const unsigned lane = threadIdx.x % 32;
  const uint16_t* grad = &stage.grad[lane % 8 + lane / 16 * 8][row + lane / 8 % 2 * 8];
  const uint16_t* x = &stage.x[lane % 16][column + lane / 16 * 8];
#pragma unroll
  for (unsigned depth = 0; depth < kDepth; depth += 16) {
    unsigned a[2][4], b[2][4];  // b: two products each
    for (int i = 0; i < 2; ++i) load_transposed(grad + depth * kPitch + 16 * i, a[i]);
    for (int j = 0; j < 2; ++j) load_transposed(x + depth * kPitch + 16 * j, b[j]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j) multiply_add<T>(a[i], b[j / 2] + j % 2 * 2, slice[i][j]);
  }
}

__device__ __forceinline__ void end_step(Sums& slice, Sums& total, Sums& credit) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e) {
        total[i][j][e] += slice[i][j][e];
        credit[i][j][e] += fabsf(slice[i][j][e]);
        slice[i][j][e] = 0;
      }
}

// Writes the warp's weights, which start at (row, column). Stores are streaming: the sums are not
// read again soon, and the operands should stay in the cache. `pairs`: rows begin at a multiple of
// 8 bytes.
__device__ __forceinline__ void store_sums(const Sums& sums, unsigned row, unsigned column,
                                           const CreditProduct& a, bool pairs, float* to) {
  const unsigned lane = threadIdx.x % 32;
  const float factor = a.factor != nullptr ? *a.factor : 1.0f;

  for (int i = 0; i < 2; ++i)
    for (int half = 0; half < 2; ++half) {
      const unsigned out = row + 16 * i + 8 * half + lane / 4;
      if (out >= a.n_out) continue;
      for (int j = 0; j < 4; ++j) {
        const unsigned in = column + 8 * j + lane % 4 * 2;
        const float first = factor * sums[i][j][2 * half],
                    second = factor * sums[i][j][2 * half + 1];
        float* at = to + static_cast<uint64_t>(out) * a.n_in + in;
        if (pairs) {
          if (in < a.n_in) __stcs(reinterpret_cast<float2*>(at), make_float2(first, second));
        } else {
          if (in < a.n_in) __stcs(at, first);
          if (in + 1 < a.n_in) __stcs(at + 1, second);
        }
      }
    }
}

__host__ __device__ unsigned tiles(int64_t n) {
  return static_cast<unsigned>((n + kTile - 1) / kTile);
}

template <class T>
__global__ void __launch_bounds__(kThreads, 1)
    product(CreditProduct a, Matrix grad, Matrix x, bool pairs) {
  extern __shared__ uint4 memory[];
  auto* stages = reinterpret_cast<Stage*>(memory);
  const unsigned tiles_down = tiles(a.n_out);
  const unsigned row = blockIdx.x % tiles_down * kTile, column = blockIdx.x / tiles_down * kTile;
  const unsigned batch = static_cast<unsigned>(a.batch);
  const unsigned chunks_of_step = (batch + kDepth - 1) / kDepth;
  const unsigned n_chunks = static_cast<unsigned>(a.steps) * chunks_of_step;

  unsigned next_row = 0, rows_left = batch;  // next row to fetch, and the rows left in its step
  const auto fetch = [&](unsigned chunk) {
    if (chunk < n_chunks) {
      const unsigned n_rows = min(rows_left, kDepth);
      copy_tile(grad, next_row, n_rows, row, stages[chunk % kStages].grad);
      copy_tile(x, next_row, n_rows, column, stages[chunk % kStages].x);
      next_row += n_rows;
      rows_left = rows_left == n_rows ? batch : rows_left - n_rows;
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };

  const unsigned warp = threadIdx.x / 32;
  const unsigned warp_row = warp / kWarpsAcross * kWarpTile,
                 warp_column = warp % kWarpsAcross * kWarpTile;
  Sums slice = {}, total = {}, credit = {};

  for (unsigned chunk = 0; chunk < kStages - 1; ++chunk) fetch(chunk);
  for (unsigned chunk = 0, of_step = 1; chunk < n_chunks; ++chunk, ++of_step) {
    // This chunk has arrived for every thread, and no thread still reads the one before it.
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
    __syncthreads();
    fetch(chunk + kStages - 1);
    multiply_chunk<T>(stages[chunk % kStages], warp_row, warp_column, slice);
    if (of_step == chunks_of_step) {
      end_step(slice, total, credit);
      of_step = 0;
    }
  }

  store_sums(total, row + warp_row, column + warp_column, a, pairs, a.total);
  store_sums(credit, row + warp_row, column + warp_column, a, pairs, a.credit);
}

Matrix make_matrix(const void* data, int64_t columns) {
  unsigned width = 8;
  while (width > 1 && (columns % width != 0 || !is_aligned(data, 2 * width))) width /= 2;
  return {static_cast<const uint16_t*>(data), static_cast<unsigned>(columns), width};
}

}  // namespace

void credit_product_cuda(const CreditProduct& a, void* stream) {
  const unsigned blocks = tiles(a.n_out) * tiles(a.n_in);
  if (blocks == 0) return;
  const bool pairs = a.n_in % 2 == 0 && is_aligned(a.total, 8) && is_aligned(a.credit, 8);

  const auto launch = [&](auto* kernel) {
    constexpr int kBytes = kStages * sizeof(Stage);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
    kernel<<<blocks, kThreads, kBytes, static_cast<cudaStream_t>(stream)>>>(
        a, make_matrix(a.grad, a.n_out), make_matrix(a.x, a.n_in), pairs);
  };

  if (a.real == Real::kFloat)
    throw std::logic_error("credit_product: found float operands, wanted bf16 or fp16");
  a.real == Real::kHalf ? launch(product<__half>) : launch(product<__nv_bfloat16>);
  check_launch("credit_product");
}

}  // namespace spikenm::kernels
