#include "spikenm/train/metrics_lines.h"

#include "spikenm/core/file.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace spikenm::train {
namespace {

TEST(MetricsLines, NameTheFirstThatIsDamaged) {
  const test::TempDir dir;
  const std::filesystem::path file = dir / "metrics.jsonl";
  EXPECT_NO_THROW(check_metrics_lines(file, 0));
  EXPECT_NO_THROW(check_metrics_lines(file, 2));  // RunDir::keep_lines says that it is missing
  write_file_atomically(file, "{\"epoch\":1}\n{\"epoch\":2,\"loss\":1.5}\n{\"epo");
  EXPECT_NO_THROW(check_metrics_lines(file, 2));
  for (const char* damaged : {"{\"epoch\":1", "[1]", "1", "", "{}", "{\"epoch\":3}",
                              "{\"epoch\":\"2\"}", "{\"epoch\":2} {}", "\xff"}) {
    write_file_atomically(file, std::string("{\"epoch\":1}\n") + damaged + "\n{\"epoch\":3}\n");
    EXPECT_ERROR(check_metrics_lines(file, 3), "metrics.jsonl:2: found a line", "epoch 2",
                 "--force");
    EXPECT_NO_THROW(check_metrics_lines(file, 1));
  }
}

}  // namespace
}  // namespace spikenm::train
