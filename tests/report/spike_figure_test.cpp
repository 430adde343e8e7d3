#include "spikenm/report/spike_figure.h"

#include <gtest/gtest.h>

namespace spikenm::report {
namespace {

TEST(SpikeFigure, ShowsInputRastersAndRates) {
  SpikeRecord record{.sample = "3 of validation", .right = "cat", .answer = "dog"};
  record.frames = 2;
  record.channels = 2;
  record.input = {0, 1, 2, 0};
  record.events = true;
  record.layers = {{.name = "lif1", .steps = 2, .neurons = 4, .spikes = {1, 0, 0, 0, 1, 1, 0, 0}},
                   {.name = "lif2", .steps = 2, .neurons = 1, .spikes = {0, 0}}};
  const std::string svg = spike_svg("title", record);
  for (const char* part : {"sample 3 of validation: class cat, answer dog", ">lif1<", ">lif2<",
                           "mean 37.50 %", "mean 0.00 %", ">50 %<", ">input<"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace spikenm::report
