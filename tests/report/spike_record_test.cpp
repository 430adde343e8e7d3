#include "spikenm/report/spike_record.h"

#include "support/expect_error.h"

namespace spikenm::report {
namespace {

SpikeRecord record() {
  SpikeRecord r{.sample = "3 of validation", .right = "cat", .answer = "dog"};
  r.width = 2;
  r.input = {0, 1.5};
  r.layers = {{.name = "lif", .steps = 2, .neurons = 3, .spikes = {1, 0, 1, 0, 0, 0}}};
  return r;
}

TEST(SpikeRecord, IsTheSameAfterItsText) {
  const SpikeRecord back = read_spike_record(to_json(record()).dump(), "it");
  EXPECT_EQ(back.sample, "3 of validation");
  EXPECT_EQ(back.right, "cat");
  EXPECT_EQ(back.input, record().input);
  ASSERT_EQ(back.layers.size(), 1u);
  EXPECT_EQ(back.layers[0].spikes, record().layers[0].spikes);
  EXPECT_EQ(to_json(record())["layers"][0]["spikes"].dump(), "[[0,2],[]]");
}

TEST(SpikeRecord, WhatIsNoRecordIsRefused) {
  const auto changed = [](const char* path, const Json& value) {
    Json json = to_json(record());
    json[Json::json_pointer(path)] = value;
    return json.dump();
  };
  EXPECT_ERROR(read_spike_record("{}", "it"), "it:", "'sample'");
  EXPECT_ERROR(read_spike_record(changed("/shape/3", 3), "it"), "2 values of the input, wanted 3");
  EXPECT_ERROR(read_spike_record(changed("/shape/3", -1), "it"), "the size -1");
  EXPECT_ERROR(read_spike_record(changed("/layers/0/spikes/0/0", 3), "it"), "the neuron 3");
  EXPECT_ERROR(read_spike_record(changed("/layers/0/neurons", 1e9), "it"), "the size");
  EXPECT_ERROR(read_spike_record(changed("/layers/0/spikes", Json::array()), "it"), "0 steps");
  EXPECT_ERROR(read_spike_record(changed("/input/0", "x"), "it"), "in the input");
}

}  // namespace
}  // namespace spikenm::report
