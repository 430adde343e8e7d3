#include "spikenm/sparsity/blocks.h"

#include "support/block_sample.h"
#include "support/nm_formula.h"
#include "support/tensors.h"

namespace spikenm::sparsity {
namespace {

using at::Tensor;

// Numbers 0, 1, 2, … in the weight's order, so that a value is its own address.
Tensor addresses(const nm::BlockLayout& layout) {
  return at::arange(layout.numel, at::kDouble);
}

TEST(BlockView, HoldsEveryPositionOfEveryWeightBlock) {
  for (const int m : {1, 4, 16})
    for (const nm::BlockLayout& layout : test::all_layouts(m, 5)) {
      const Tensor view = block_view(layout, addresses(layout)).contiguous();
      const double* at = view.const_data_ptr<double>();
      for (int64_t channel = 0; channel < layout.n_channels; ++channel)
        for (int64_t row = 0; row < layout.rows * layout.taps; ++row)
          for (int64_t block = 0; block < layout.blocks_per_row; ++block)
            for (int32_t s = 0; s < m; ++s)
              ASSERT_EQ(*at++, channel * layout.channel_stride + row + block * layout.block_stride +
                                   s * layout.position_stride);
      EXPECT_EQ(view.numel(), layout.numel - layout.tail());
    }
}

TEST(BlockSums, AddTheWeightBlocksThatShareAMask) {
  for (const int m : {1, 4, 16})
    for (const nm::BlockLayout& layout : test::all_layouts(m, 5)) {
      const Tensor found = block_sums(layout, addresses(layout));
      ASSERT_EQ(found.sizes(), (std::vector<int64_t>{layout.n_blocks, m}));
      for (int64_t b = 0; b < layout.n_blocks; ++b) {
        const auto wanted =
            test::sum_members(layout, b, [](size_t at) { return static_cast<double>(at); });
        ASSERT_EQ(test::values_of<double>(found[b]), wanted) << m << " " << b;
      }
    }
}

TEST(SpreadBlocks, GivesEveryWeightBlockItsMaskBlockAndOneToTails) {
  for (const int m : {1, 4, 16})
    for (const nm::BlockLayout& layout : test::all_layouts(m, 5)) {
      const Tensor blocks =
          2 + at::arange(layout.n_blocks * m, at::kFloat).view({layout.n_blocks, m});
      const auto found = test::values_of<float>(
          spread_blocks(layout, blocks, at::zeros({layout.numel}, at::kFloat)));
      std::vector<float> wanted(static_cast<size_t>(layout.numel), 1.0f);
      for (int64_t b = 0; b < layout.n_blocks; ++b)
        for (int32_t i = 0; i < layout.members_of(b); ++i)
          for (int32_t s = 0; s < m; ++s)
            wanted[static_cast<size_t>(layout.start(b) + layout.member(i) +
                                       s * layout.position_stride)] =
                static_cast<float>(2 + b * m + s);
      EXPECT_EQ(found, wanted) << m;
    }
}

TEST(Blocks, ALayerThatIsAllTailHasNone) {
  const auto layout =
      nm::make_layout({5, 3, 2, 2}, {.n = 2, .m = 4, .share = 2}, nm::Axis::kIn, "");
  const Tensor x = at::ones({5, 3, 2, 2});
  EXPECT_EQ(block_sums(layout, x).sizes(), (std::vector<int64_t>{0, 4}));
  EXPECT_TRUE(at::equal(spread_blocks(layout, at::empty({0, 4}), x), x));
}

}  // namespace
}  // namespace spikenm::sparsity
