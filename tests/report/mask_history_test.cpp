#include "spikenm/report/mask_history.h"

#include "spikenm/core/safetensors.h"
#include "support/expect_error.h"
#include "support/report_runs.h"

#include <cstring>

namespace spikenm::report {
namespace {

StoredTensor floats(const std::string& name, std::vector<int64_t> shape, std::vector<float> v) {
  StoredTensor tensor{name, "F32", std::move(shape), std::vector<uint8_t>(4 * v.size())};
  std::memcpy(tensor.bytes.data(), v.data(), tensor.bytes.size());
  return tensor;
}

// One layer of two blocks of four.
class MaskHistory : public testing::Test {
 protected:
  MaskHistory()
      : run(runs.add("a", 0, "spikenm", "{\"epoch\": 1}\n",
                     R"(, "layer_patterns": {"fc": "2:4"})")) {}
  void write(const std::string& file, const SafetensorsFile& content) {
    make_folders((run.folder / file).parent_path());
    write_safetensors(run.folder / file, content);
  }

  test::ReportRuns runs;
  report::Run run;
  const std::vector<int64_t> shape{1, 8, 1, 1};
};

TEST_F(MaskHistory, CheckpointsThenTheModel) {
  write("model.safetensors", {{floats("fc.weight", shape, {0, 0, -3, 4, 5, 6, 0, 0}),
                               {"fc.mask", "U8", shape, {0, 0, 1, 1, 1, 1, 0, 0}}},
                              {}});
  write("checkpoints/step-10.safetensors",
        {{floats("network.fc.weight", shape, {1, 2, 3, 4, 5, 6, 7, 8}),
          floats("method.fc.logits", {2, 4}, {0, 0, 0, 0, 90, 0, 0, 0}),
          {"mask_watch.fc", "U8", {8}, {1, 1, 0, 0, 1, 1, 0, 0}}},
         {{"values", R"({"batch": 0, "epochs_done": 1})"}}});
  write("checkpoints/step-9.safetensors",  // within an epoch: the masks are older
        {{floats("network.fc.weight", shape, {1, 2, 3, 4, 5, 6, 7, 8}),
          {"mask_watch.fc", "U8", {8}, {1, 1, 0, 0, 1, 1, 0, 0}}},
         {{"values", R"({"batch": 3, "epochs_done": 0})"}}});

  const std::vector<MaskMoment> moments = read_masks(run);
  ASSERT_EQ(moments.size(), 2u);
  EXPECT_EQ(moments[0].name, "epoch 1");
  ASSERT_EQ(moments[0].layers.size(), 1u);
  EXPECT_NEAR(*moments[0].layers[0].entropy, 0.5, 1e-6);  // one block knows all, one nothing
  EXPECT_EQ(moments[1].name, "final");
  const LayerMask& fc = moments[1].layers.at(0);
  EXPECT_EQ(fc.name, "fc");
  EXPECT_EQ(fc.layout.n_blocks, 2);
  EXPECT_EQ(fc.magnitude[2], 3);
  EXPECT_EQ(fc.kept_share(), 0.5);
  EXPECT_FALSE(fc.entropy);
}

TEST_F(MaskHistory, ARunWithoutMasksIsRefused) {
  EXPECT_ERROR(read_masks(run), "found no masks");
  write("model.safetensors", {{floats("fc.weight", shape, {0, 0, -3, 4, 5, 6, 0, 0})}, {}});
  EXPECT_ERROR(read_masks(run), "found no masks");
}

}  // namespace
}  // namespace spikenm::report
