#include "spikenm/train/tensorboard_log.h"

#include "spikenm/core/file.h"
#include "support/small_network.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

using test::method_on, test::small_network;

std::string only_file(const std::filesystem::path& folder) {
  return read_file(std::filesystem::directory_iterator(folder)->path());
}

// The records after the version whose text has this part.
size_t records_with(const std::string& file, std::string_view part) {
  size_t found = 0;
  for (const EventRecord& record : whole_records(as_bytes(file)))
    found += !record.is_version && as_text(record.bytes).find(part) != std::string::npos ? 1 : 0;
  return found;
}

const Json kLine = {{"epoch", 1}, {"phase", "search"}, {"loss", 0.5}, {"firing_rate", {{"a", 1}}}};

TEST(TensorBoardLog, HasCurvesPicturesOfMasksAndHistograms) {
  const auto network = small_network();
  const auto method = method_on(*network, "spikenm", "pattern = \"2:4\"");
  const sparsity::Masks masks = sparsity::harden_all(*method);
  ASSERT_FALSE(masks.weights.empty());
  const test::TempDir dir;
  TensorBoardLog log(dir / "tb");
  log.add_epoch(kLine, 7, *network, masks, method->kept_tensors());

  const std::string file = only_file(dir / "tb");
  const size_t layers = network->synapses().size(), masked = masks.weights.size();
  EXPECT_EQ(records_with(file, "loss"), 1u);
  EXPECT_EQ(records_with(file, "firing_rate/a"), 1u);
  EXPECT_EQ(records_with(file, "\x89PNG"), masked);
  EXPECT_EQ(records_with(file, "masks/" + masks.weights[0].synapse->name), 1u);
  EXPECT_EQ(records_with(file, "weights/"), layers);
  EXPECT_EQ(records_with(file, "logits/"), masked);
  const std::vector<EventRecord> records = whole_records(as_bytes(file));
  EXPECT_EQ(records.size(), 1 + 2 + 2 * masked + layers);
  for (size_t i = 1; i < records.size(); ++i) EXPECT_EQ(records[i].step, 7);
}

TEST(TensorBoardLog, EveryMethodsMasksAreDrawn) {
  for (const char* name : {"random", "stds", "grad-r", "esl", "upr", "gradual", "rewire"}) {
    const auto network = small_network();
    const auto method = method_on(*network, name, "");
    const sparsity::Masks masks = sparsity::harden_all(*method);
    const test::TempDir dir;
    TensorBoardLog log(dir / "tb");
    log.add_epoch(kLine, 1, *network, masks, method->kept_tensors());
    EXPECT_EQ(records_with(only_file(dir / "tb"), "\x89PNG"), masks.weights.size()) << name;
  }
}

TEST(TensorBoardLog, ARunThatGoesOnDoublesNothing) {
  const auto network = small_network();
  const auto method = method_on(*network, "random", "");
  const sparsity::Masks masks = sparsity::harden_all(*method);
  const test::TempDir dir;
  {
    TensorBoardLog log(dir / "tb");
    for (const int64_t step : {1, 2, 3}) log.add_epoch(kLine, step, *network, masks, {});
  }
  TensorBoardLog log(dir / "tb");
  log.cut_after(1);
  const std::string file = only_file(dir / "tb");
  EXPECT_EQ(records_with(file, "loss"), 1u);
  EXPECT_EQ(records_with(file, "\x89PNG"), masks.weights.size());
}

}  // namespace
}  // namespace spikenm::train
