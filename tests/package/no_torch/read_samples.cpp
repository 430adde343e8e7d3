// The data, from outside and without torch: open a set and read one sample.
#include "spikenm/data/open.h"

#include <cstdio>

int main() {
  const auto config = spikenm::Config::from_text(
      "[data]\nname = 'moving-shapes'\ntrain_size = 20\ntest_size = 10\n", "text");
  const auto dataset =
      spikenm::data::open_dataset(config.section("data"), {.frames = 4, .seed = 1});
  std::vector<float> frames(static_cast<size_t>(dataset->info().sample_size()));
  dataset->read(spikenm::data::Part::kTest, 0, frames.data());
  std::printf("%lld samples\n", static_cast<long long>(dataset->size(spikenm::data::Part::kTest)));
  return dataset->size(spikenm::data::Part::kTest) == 10 ? 0 : 1;
}
