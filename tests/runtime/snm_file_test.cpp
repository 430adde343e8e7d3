#include "spikenm/runtime/snm_file.h"

#include "spikenm/core/file.h"
#include "spikenm/graph/graph_json.h"
#include "spikenm/runtime/snm_sections.h"
#include "support/expect_error.h"
#include "support/run_graphs.h"
#include "support/stored_models.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace spikenm::runtime {
namespace {

const WeightRule kRule{{2, 4, 2}, nm::Axis::kIn, true};

// Every kind of node and of section.
StoredModel example() {
  graph::Graph graph("mine", {2, 8, 8}, {"cat", "dog"});
  auto conv = graph.add("conv1", test::synapse_of(6, 3), {0});
  const auto bn = graph.add("bn1", graph::Norm{}, {conv});
  graph::Neuron plif;
  plif.params.neuron = graph::NeuronKind::kPlif;
  const auto fire = graph.add("fire1", plif, {bn});
  conv = graph.add("conv2", test::synapse_of(6, 3), {fire});
  const auto again = graph.add("fire2", graph::Neuron{}, {conv});
  const auto sum = graph.add("sum", graph::Sum{}, {fire, again});
  const auto pool = graph.add("pool", graph::Pool{}, {sum});
  const auto flat = graph.add("flatten", graph::Flatten{}, {pool});
  graph::Synapse fc = test::synapse_of(4);
  fc.bias = true;
  const auto last = graph.add("fc", fc, {flat});
  graph.add("vote", graph::Vote{.voters = 2}, {last});
  graph.finish();

  StoredModel model = test::random_model(
      std::move(graph),
      {.steps = 3, .rule = kRule, .type = WeightType::kInt8, .masks_neurons = true});
  model.input = {.events = true, .mean = {}, .std = {}, .frames_by_time = true, .resize = 8};
  model.rates[fire] = 0.0625;
  model.provenance = {{"seed", 7}, {"commit", "abc"}};
  return model;
}

// The same with zeros as bits.
StoredModel with_bits() {
  StoredModel model = example();
  for (auto& [id, tensor] : model.synapses) {
    std::vector<float> weight;
    std::vector<uint8_t> keep;
    for (int64_t i = 0; i < tensor.shape.numel(); ++i) {
      weight.push_back(static_cast<float>(i % 7) - 3);
      keep.push_back(i % 3 == 0);
    }
    const std::vector<float> bias = tensor.bias;
    tensor = pack_synapse(weight, keep, tensor.shape, std::nullopt, tensor.type, "w");
    tensor.bias = bias;
  }
  return model;
}

void expect_same(const StoredModel& a, const StoredModel& b) {
  EXPECT_EQ(graph::graph_to_json(a.graph).dump(), graph::graph_to_json(b.graph).dump());
  EXPECT_EQ(encode_snm(a), encode_snm(b));
}

TEST(SnmFile, ComesBackAsItWas) {
  const StoredModel model = example();
  const std::string bytes = encode_snm(model);
  const StoredModel again = decode_snm(as_bytes(bytes), "m.snm");
  expect_same(again, model);
  EXPECT_EQ(again.steps, 3);
  EXPECT_TRUE(again.input.frames_by_time);
  EXPECT_EQ(again.provenance["seed"], 7);
  EXPECT_EQ(again.synapses.size(), 3u);
  EXPECT_EQ(again.synapses.at(*again.graph.find("conv2")).rule, kRule);
  EXPECT_EQ(again.synapses.at(*again.graph.find("conv1")).type, WeightType::kFloat);
  EXPECT_EQ(again.neuron_masks, model.neuron_masks);
  EXPECT_EQ(again.leaks, model.leaks);
  EXPECT_EQ(again.rates, model.rates);
}

TEST(SnmFile, IsWrittenAndReadByPath) {
  const test::TempDir folder;
  write_snm(folder / "m.snm", example());
  expect_same(read_snm(folder / "m.snm"), example());
  EXPECT_ERROR(read_snm(folder / "none.snm"), "none.snm");
}

TEST(SnmFile, TheGoldenFileOfVersion1IsReadForEver) {
  const StoredModel model =
      read_snm(std::string(SPIKENM_SOURCE_DIR) + "/tests/golden/model_v1.snm");
  expect_same(model, example());
}

TEST(SnmFile, ZerosAreBitsInAFileOfVersion2) {
  const StoredModel model = with_bits();
  const std::string bytes = encode_snm(model);
  EXPECT_EQ(bytes[8], 2);
  EXPECT_EQ(encode_snm(example())[8], 1);  // older programs go on reading what has no bits
  const StoredModel again = decode_snm(as_bytes(bytes), "m.snm");
  expect_same(again, model);
  for (const auto& [id, tensor] : model.synapses) {
    EXPECT_TRUE(again.synapses.at(id).as_bits);
    EXPECT_EQ(again.synapses.at(id).values, tensor.values);
  }
  expect_same(read_snm(std::string(SPIKENM_SOURCE_DIR) + "/tests/golden/model_v2.snm"), model);
}

TEST(SnmFile, BitsThatDoNotFitAreRefused) {
  const std::string bytes = encode_snm(with_bits());
  const auto refuses = [&](SectionKind kind, const std::string& text, const char* part) {
    std::vector<Section> sections = decode_sections(as_bytes(bytes), "m.snm");
    for (Section& section : sections)
      if (section.kind == kind && (section.node == 1 || section.node == 0))
        section.bytes = as_bytes(text);
    EXPECT_ERROR(decode_snm(as_bytes(encode_sections(sections, 2)), "m.snm"), "m.snm", part);
  };
  refuses(kBitsSection, "abc", "section WBIT of 'conv1': found 3 bytes, wanted 14");
  refuses(kBitsSection, std::string(14, '\xff'), "found a bit behind its 108 weights");
  refuses(kBitsSection, std::string(14, '\0'), "wanted 0 for 0 bits");
  refuses(kValuesSection, "abc", "found 3 bytes of values, wanted");
  refuses(kMetaSection,
          R"({"steps":3,"input":{"kind":"events"},"weights":{"conv1":{"type":"fp32",)"
          R"("pattern":"2:4","stored":"bits"}}})",
          "found bits beside the pattern 2:4");
}

TEST(SnmFile, CutAndDamagedFilesAreRefusedInOneSentence) {
  const std::string bytes = encode_snm(example());
  for (size_t n = 0; n < bytes.size(); n += 7)
    EXPECT_ERROR(decode_snm(as_bytes(bytes.substr(0, n)), "m.snm"), "m.snm");
  for (size_t at = 0; at < bytes.size(); at += 5) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_ERROR(decode_snm(as_bytes(damaged), "m.snm"), "m.snm");
  }
}

// The sections of a file with one of them replaced.
std::string with_section(SectionKind kind, uint32_t node, const std::string& text) {
  const std::string bytes = encode_snm(example());
  std::vector<Section> sections = decode_sections(as_bytes(bytes), "m.snm");
  for (Section& section : sections)
    if (section.kind == kind && section.node == node) section.bytes = as_bytes(text);
  return encode_sections(sections);
}

TEST(SnmFile, SectionsMustFitTheGraph) {
  const auto refuses = [](const std::string& file, const char* part) {
    EXPECT_ERROR(decode_snm(as_bytes(file), "m.snm"), "m.snm", part);
  };
  refuses(with_section(kValuesSection, 1, "abc"), "found 3 bytes, wanted 432");
  refuses(with_section(kNormSection, 2, std::string(48, '\xff')), "not finite");
  refuses(with_section(kMetaSection, 0, "{}"), "steps");
  refuses(with_section(kMetaSection, 0, R"({"steps":3,"input":{"kind":"events"}})"), "conv1");
  refuses(with_section(kMetaSection, 0, R"({"steps":0})"), "wanted 1 to");
  refuses(with_section(kGraphSection, 0, "["), "m.snm (graph)");
  refuses(with_section(kMetaSection, 0, R"({"steps":3,"input":{"kind":"events"},"more":1})"),
          "'more'");
}

// The sections of `kind` with their highest bit set, which stands behind the last of their bits.
std::string with_last_bit(const StoredModel& model, SectionKind kind) {
  const std::string bytes = encode_snm(model);
  std::vector<Section> sections = decode_sections(as_bytes(bytes), "m.snm");
  std::vector<std::string> changed;
  changed.reserve(sections.size());
  for (Section& section : sections)
    if (section.kind == kind) {
      changed.emplace_back(as_text(section.bytes));
      changed.back().back() = static_cast<char>(changed.back().back() | 0x80);
      section.bytes = as_bytes(changed.back());
    }
  return encode_sections(sections);
}

TEST(SnmFile, BitsBehindTheLastOneAreRefused) {
  test::GraphMaker m({1, 3, 3}, 2);
  const auto fire = m.unit(0, 4, 1);  // 36 neurons
  m.add(test::synapse_of(2), {m.add(graph::Flatten{}, {fire})});
  const StoredModel model = test::random_model(
      m.finish(), {.rule = WeightRule{{1, 4, 1}, nm::Axis::kIn, false}, .masks_neurons = true});
  EXPECT_ERROR(decode_snm(as_bytes(with_last_bit(model, kMaskSection)), "m.snm"),
               "found a bit behind its 36 neurons, wanted zeros");
  EXPECT_ERROR(decode_snm(as_bytes(with_last_bit(model, kPositionsSection)), "m.snm"),
               "found a bit behind its", "bits of positions, wanted zeros");
}

TEST(SnmFile, RatesAreShares) {
  for (const double rate : {-0.5, -1.0, 1.5}) {
    StoredModel model = example();
    model.rates.begin()->second = rate;
    EXPECT_ERROR(decode_snm(as_bytes(encode_snm(model)), "m.snm"), "rate: found", "wanted 0 to 1");
  }
}

TEST(SnmFile, AGraphAloneAsksForNoMemory) {
  graph::Graph graph("huge", {2, 8, 8}, {"a", "b"});
  const auto flat = graph.add("flatten", graph::Flatten{}, {0});
  const auto wide = graph.add("wide", test::synapse_of(1 << 24), {flat});
  graph.add("fc", test::synapse_of(2), {wide});
  const std::string text = graph::graph_to_json(graph).dump();
  const std::string meta =
      R"({"steps":1,"input":{"kind":"image"},"weights":{"wide":{"type":"int8"},"fc":{"type":"int8"}}})";
  const std::string file =
      encode_sections({{kGraphSection, 0, as_bytes(text)}, {kMetaSection, 0, as_bytes(meta)}});
  EXPECT_ERROR(decode_snm(as_bytes(file), "m.snm"), "no section WVAL of 'wide'");
}

}  // namespace
}  // namespace spikenm::runtime
