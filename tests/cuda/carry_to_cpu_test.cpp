#include "spikenm/train/carry_to_cpu.h"

#include "support/gpu.h"
#include "support/tensors.h"

namespace spikenm::train {
namespace {

using test::tensors_identical;

// Nothing, one value, the pieces of 16 MiB that are carried and one byte around them.
TEST(CarryToCpu, GivesTheBytesInTheirOrder) {
  constexpr int64_t kPiece = int64_t{16} << 20;
  for (const int64_t n : {int64_t{0}, int64_t{1}, kPiece - 1, kPiece, kPiece + 1, 3 * kPiece + 5}) {
    const at::Tensor t = at::arange(n, at::device(at::kCUDA).dtype(at::kLong)).to(at::kByte);
    ops::synchronize();  // it waits for no other work
    ASSERT_TRUE(tensors_identical(carried_to_cpu(t), t.cpu())) << n;
  }
  const at::Tensor number = at::full({}, 0.1, at::device(at::kCUDA).dtype(at::kDouble));
  ops::synchronize();
  EXPECT_EQ(carried_to_cpu(number).item<double>(), 0.1);
}

TEST(CarryToCpu, KeepsTheOrderOfMemory) {
  const at::Tensor t = at::arange(2 * 3 * 4 * 5, at::device(at::kCUDA).dtype(at::kFloat))
                           .view({2, 3, 4, 5})
                           .contiguous(at::MemoryFormat::ChannelsLast);
  ops::synchronize();
  const at::Tensor found = carried_to_cpu(t);
  EXPECT_EQ(found.strides(), t.strides());
  EXPECT_TRUE(tensors_identical(found.contiguous(), t.cpu().contiguous()));
}

}  // namespace
}  // namespace spikenm::train
