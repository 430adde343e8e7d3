// What the networks of the registry read is what their declarations say.
#include "spikenm/graph/models/model_keys.h"

#include "spikenm/graph/models/models.h"
#include "support/declared_keys.h"

namespace spikenm::graph {
namespace {

TEST(ModelKeys, EveryModelReadsWhatItDeclares) {
  for (const std::string& name : models().names()) {
    Config config = Config::from_text("[model]\nname = '" + name + "'", "test");
    static_cast<void>(make_model({2, 33, 32}, numbered_classes(3), config));
    test::expect_declared(config, model_keys(), {{"model", {name}}}, name);
  }
}

TEST(ModelKeys, OptionsThatChangeWhatIsReadAreDeclaredToo) {
  for (const char* text :
       {"[neuron]\nreset = 'soft'", "[neuron]\nname = 'if'", "[neuron]\nsurrogate = 'triangle'"}) {
    const Config config = Config::from_text(text, "test");
    static_cast<void>(make_model({2, 33, 32}, numbered_classes(3), config));
    test::expect_declared(config, model_keys(), {{"model", {"small_conv"}}}, text);
  }
}

TEST(ModelKeys, DeclarationsAreWhole) {
  test::expect_whole(model_keys());
}

}  // namespace
}  // namespace spikenm::graph
